#include <pawl/barrier.h>

#include "sync/async_access.h"
#include "sync/client_access.h"
#include "sync/gates.h"

#include <memory>
#include <string>
#include <utility>

namespace pawl {

barrier::arrival::arrival() noexcept : waitable{nullptr} {}

barrier::arrival::arrival(std::unique_ptr<state> made) noexcept : waitable{std::move(made)} {}

barrier::barrier(client& client, std::string_view name, unsigned expected)
    : arrivals_{std::make_shared<arrivals>(client_access::share(client),
                                           sync::settle_gate({.name = std::string{name},
                                                              .kind = core::object_kind::barrier,
                                                              .expected = expected}))}
{
}

barrier::~barrier() = default;

barrier::arrival barrier::arrive(unsigned count)
{
    const auto phase = arrivals_->checked(arrivals_->arrive({.count = count}));
    return async_access::make(*arrivals_, phase);
}

barrier::arrival barrier::arrive(std::error_code& ec) noexcept
{
    return arrive(1, ec);
}

barrier::arrival barrier::arrive(unsigned count, std::error_code& ec) noexcept
{
    return sync::with_code(ec, [&] { return arrive(count); });
}

// A member, as in std::barrier.
// NOLINTNEXTLINE(readability-convert-member-functions-to-static)
void barrier::wait(arrival&& mine, const std::stop_token& stop) const
{
    const auto taken = std::move(mine);
    taken.wait(stop);
}

void barrier::wait(arrival&& mine, std::error_code& ec) const noexcept
{
    wait(std::move(mine), {}, ec);
}

// NOLINTNEXTLINE(readability-convert-member-functions-to-static)
void barrier::wait(arrival&& mine, const std::stop_token& stop, std::error_code& ec) const noexcept
{
    const auto taken = std::move(mine);
    taken.wait(stop, ec);
}

void barrier::arrive_and_wait(const std::stop_token& stop)
{
    arrive().wait(stop);
}

void barrier::arrive_and_wait(std::error_code& ec) noexcept
{
    arrive_and_wait({}, ec);
}

void barrier::arrive_and_wait(const std::stop_token& stop, std::error_code& ec) noexcept
{
    sync::with_code(ec, [&] { arrive_and_wait(stop); });
}

void barrier::arrive_and_drop()
{
    arrivals_->checked(arrivals_->arrive({.drops_out = true}));
}

void barrier::arrive_and_drop(std::error_code& ec) noexcept
{
    sync::with_code(ec, [&] { arrive_and_drop(); });
}

unsigned barrier::expected() const noexcept
{
    return arrivals_->what().expected;
}

const std::string& barrier::name() const noexcept
{
    return arrivals_->what().name;
}

}  // namespace pawl
