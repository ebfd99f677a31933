#include <pawl/detail/async_result.h>
#include <pawl/waitable.h>

#include "sync/waitable_state.h"

#include <string>
#include <utility>
#include <variant>

namespace pawl {

waitable::waitable(std::unique_ptr<state> made) noexcept : state_{std::move(made)} {}
waitable::waitable(waitable&&) noexcept = default;
waitable& waitable::operator=(waitable&&) noexcept = default;
waitable::~waitable() = default;

void waitable::wait(const std::stop_token& stop) const
{
    const auto got = mine().acquire(time_limit::never(), stop);
    if (const auto* const failed = std::get_if<sync::trouble>(&got)) mine().raise(*failed);
}

void waitable::wait(std::error_code& ec) const noexcept
{
    wait({}, ec);
}

void waitable::wait(const std::stop_token& stop, std::error_code& ec) const noexcept
{
    static_cast<void>(wait_within(time_limit::never(), stop, ec));
}

bool waitable::try_wait() const
{
    return wait_within(time_limit::now(), {});
}

bool waitable::try_wait(std::error_code& ec) const noexcept
{
    return wait_within(time_limit::now(), {}, ec);
}

bool waitable::wait_within(time_limit limit, const std::stop_token& stop) const
{
    const auto got = mine().acquire(limit, stop);
    const auto* const failed = std::get_if<sync::trouble>(&got);
    if (failed != nullptr && !detail::is_just_no(failed->code)) mine().raise(*failed);
    return failed == nullptr;
}

bool waitable::wait_within(time_limit limit, const std::stop_token& stop,
                           std::error_code& ec) const noexcept
{
    return sync::with_code(ec, [&] {
        const auto got = mine().acquire(limit, stop);
        const auto* const failed = std::get_if<sync::trouble>(&got);
        if (failed != nullptr) ec = failed->code;
        return failed == nullptr;
    });
}

const std::string& waitable::name() const noexcept
{
    static const std::string none;
    return state_ ? state_->name() : none;
}

waitable::state& waitable::mine() const
{
    if (!state_) throw error{errc::bad_argument, "wait: nothing to wait for"};
    return *state_;
}

}  // namespace pawl
