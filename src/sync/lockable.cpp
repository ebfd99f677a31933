#include <pawl/error.h>
#include <pawl/lockable.h>

#include "sync/lock_state.h"
#include "sync/log_records.h"

#include <utility>

namespace pawl {

lockable::lockable(std::unique_ptr<state> made) noexcept : acquirable{std::move(made)} {}

lockable::~lockable() = default;

void lockable::lock()
{
    // Without a time limit it returns false only if this thread would wait for itself.
    if (!try_lock_within(time_limit::never())) state_->raise("lock", state_->deadlock());
}

bool lockable::try_lock()
{
    return try_lock_within(time_limit::now());
}

bool lockable::try_lock_within(time_limit limit)
{
    if (!state_->client().inherited() && state_->would_deadlock()) {
        state_->count(errc::would_deadlock);
        return false;
    }
    auto got = try_acquire_within(limit, {});
    if (got) state_->keep(std::move(*got));
    return got.has_value();
}

void lockable::unlock() noexcept
{
    if (state_->client().inherited()) return;
    // The destructor releases it, and writes to the log if that fails.
    const auto mine = state_->take_current();
    if (!mine || !*mine) {
        state_->client().log(sync::not_the_owner(name(), state_->client().server()));
    }
}

void lockable::unlock(std::error_code& ec) noexcept
{
    if (state_->client().inherited()) {
        ec = errc::wrong_process;
        return;
    }
    const auto mine = state_->take_current();
    if (mine) {
        mine->release(ec);
    } else {
        ec = errc::not_owner;
    }
}

hold* lockable::current() const noexcept
{
    return state_->client().inherited() ? nullptr : state_->current();
}

}  // namespace pawl
