#include <pawl/latch.h>

#include "sync/async_access.h"
#include "sync/client_access.h"
#include "sync/gates.h"
#include "sync/waitable_state.h"

#include <string>

namespace pawl {

latch::latch(client& client, std::string_view name, unsigned expected)
    : waitable{std::make_unique<state>(client_access::share(client),
                                       sync::settle_gate({.name = std::string{name},
                                                          .kind = core::object_kind::latch,
                                                          .expected = expected}))},
      arrivals_{std::make_shared<arrivals>(client_access::share(client),
                                           async_access::state(*this).settings())}
{
}

latch::~latch() = default;

void latch::count_down(unsigned count)
{
    arrivals_->checked(arrivals_->arrive({.count = count}));
}

void latch::count_down(std::error_code& ec) noexcept
{
    count_down(1, ec);
}

void latch::count_down(unsigned count, std::error_code& ec) noexcept
{
    sync::with_code(ec, [&] { count_down(count); });
}

void latch::arrive_and_wait(unsigned count, const std::stop_token& stop)
{
    count_down(count);
    wait(stop);
}

void latch::arrive_and_wait(std::error_code& ec) noexcept
{
    arrive_and_wait(1, {}, ec);
}

void latch::arrive_and_wait(unsigned count, const std::stop_token& stop,
                            std::error_code& ec) noexcept
{
    sync::with_code(ec, [&] { arrive_and_wait(count, stop); });
}

unsigned latch::expected() const noexcept
{
    return arrivals_->what().expected;
}

}  // namespace pawl
