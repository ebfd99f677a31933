#include <pawl/acquirable.h>
#include <pawl/detail/async_result.h>

#include "sync/lock_state.h"
#include "sync/message.h"

#include <utility>

namespace pawl {

acquirable::acquirable(std::unique_ptr<state> made) noexcept : state_{std::move(made)} {}

acquirable::~acquirable() = default;

hold acquirable::acquire(const std::stop_token& stop)
{
    auto got = state_->acquire(time_limit::never(), stop);
    if (const auto* failed = std::get_if<sync::trouble>(&got)) state_->raise(*failed);
    return hold{std::get<0>(std::move(got))};
}

hold acquirable::acquire(std::error_code& ec) noexcept
{
    return acquire({}, ec);
}

hold acquirable::acquire(const std::stop_token& stop, std::error_code& ec) noexcept
{
    return try_acquire_within(time_limit::never(), stop, ec).value_or(hold{});
}

std::optional<hold> acquirable::try_acquire(const std::stop_token& stop)
{
    return try_acquire_within(time_limit::now(), stop);
}

std::optional<hold> acquirable::try_acquire(std::error_code& ec) noexcept
{
    return try_acquire_within(time_limit::now(), {}, ec);
}

std::optional<hold> acquirable::try_acquire(const std::stop_token& stop,
                                            std::error_code& ec) noexcept
{
    return try_acquire_within(time_limit::now(), stop, ec);
}

std::optional<hold> acquirable::try_acquire_within(time_limit limit, const std::stop_token& stop)
{
    auto got = state_->acquire(limit, stop);
    if (const auto* failed = std::get_if<sync::trouble>(&got)) {
        if (detail::is_just_no(failed->code)) return std::nullopt;
        state_->raise(*failed);
    }
    return hold{std::get<0>(std::move(got))};
}

std::optional<hold> acquirable::try_acquire_within(time_limit limit, const std::stop_token& stop,
                                                   std::error_code& ec) noexcept
{
    return sync::with_code(ec, [&]() -> std::optional<hold> {
        auto got = state_->acquire(limit, stop);
        if (const auto* failed = std::get_if<sync::trouble>(&got)) {
            ec = failed->code;
            return std::nullopt;
        }
        return hold{std::get<0>(std::move(got))};
    });
}

const std::string& acquirable::name() const noexcept
{
    return state_->name();
}

}  // namespace pawl
