#include <pawl/condition_variable.h>
#include <pawl/error.h>

#include "sync/async_access.h"
#include "sync/condition_state.h"
#include "sync/trouble.h"

#include <memory>

namespace pawl {

condition_variable::condition_variable(mutex& lock, std::string_view name)
    : condition_variable{static_cast<lockable&>(lock), name}
{
}

condition_variable::condition_variable(fair_mutex& lock, std::string_view name)
    : condition_variable{static_cast<lockable&>(lock), name}
{
}

condition_variable::condition_variable(lockable& lock, std::string_view name)
    : state_{std::make_unique<state>(async_access::state(lock).client().shared_from_this(),
                                     *async_access::state(lock).settings(), name)}
{
}

condition_variable::~condition_variable() = default;

void condition_variable::notify_one()
{
    state_->notify(false);
}

void condition_variable::notify_one(std::error_code& ec) noexcept
{
    sync::with_code(ec, [&] { notify_one(); });
}

void condition_variable::notify_all()
{
    state_->notify(true);
}

void condition_variable::notify_all(std::error_code& ec) noexcept
{
    sync::with_code(ec, [&] { notify_all(); });
}

bool condition_variable::wait_within(hold& held, time_limit limit, const std::stop_token& stop)
{
    return state_->wait(held, limit, stop);
}

bool condition_variable::wait_locked(lockable& lock, bool& is_locked, time_limit limit,
                                     const std::stop_token& stop)
{
    is_locked = true;
    auto* const mine = lock.current();
    if (mine == nullptr) state_->refuse_to_wait();
    try {
        return state_->wait(*mine, limit, stop);
    } catch (...) {
        is_locked = static_cast<bool>(*mine);
        if (!is_locked) static_cast<void>(async_access::state(lock).take_current());
        throw;
    }
}

void condition_variable::refuse_unlocked() const
{
    state_->refuse_to_wait();
}

const std::string& condition_variable::name() const noexcept
{
    return state_->name();
}

}  // namespace pawl
