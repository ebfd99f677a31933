#include <pawl/waitable.h>

#include "sync/waitable_state.h"

#include <pawl/error.h>

#include <utility>
#include <variant>

namespace pawl {
namespace {

bool is_just_no(errc code)
{
    return code == errc::busy || code == errc::timed_out || code == errc::cancelled;
}

}  // namespace

waitable::waitable(std::unique_ptr<state> made) noexcept : state_{std::move(made)} {}
waitable::waitable(waitable&&) noexcept = default;
waitable& waitable::operator=(waitable&&) noexcept = default;
waitable::~waitable() = default;

void waitable::wait(const std::stop_token& stop)
{
    const auto got = state_->acquire(time_limit::never(), stop);
    if (const auto* const failed = std::get_if<sync::trouble>(&got)) state_->raise("wait", *failed);
}

void waitable::wait(std::error_code& ec) noexcept
{
    wait({}, ec);
}

void waitable::wait(const std::stop_token& stop, std::error_code& ec) noexcept
{
    static_cast<void>(wait_within(time_limit::never(), stop, ec));
}

bool waitable::try_wait()
{
    return wait_within(time_limit::now(), {});
}

bool waitable::try_wait(std::error_code& ec) noexcept
{
    return wait_within(time_limit::now(), {}, ec);
}

bool waitable::wait_within(time_limit limit, const std::stop_token& stop)
{
    const auto got = state_->acquire(limit, stop);
    const auto* const failed = std::get_if<sync::trouble>(&got);
    if (failed != nullptr && !is_just_no(failed->code)) state_->raise("wait", *failed);
    return failed == nullptr;
}

bool waitable::wait_within(time_limit limit, const std::stop_token& stop,
                           std::error_code& ec) noexcept
{
    return sync::with_code(ec, [&] {
        const auto got = state_->acquire(limit, stop);
        const auto* const failed = std::get_if<sync::trouble>(&got);
        if (failed != nullptr) ec = failed->code;
        return failed == nullptr;
    });
}

const std::string& waitable::name() const noexcept
{
    return state_->name();
}

}  // namespace pawl
