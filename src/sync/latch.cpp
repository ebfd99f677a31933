#include <pawl/latch.h>

#include "sync/client_access.h"
#include "sync/gate_arrivals.h"
#include "sync/waitable_state.h"

#include <string>

namespace pawl {

class latch::arrivals final : public sync::gate_arrivals {
public:
    using gate_arrivals::gate_arrivals;
};

latch::latch(client& client, std::string_view name, unsigned expected)
    : waitable{std::make_unique<state>(client_access::share(client),
                                       sync::settle_gate({.name = std::string{name},
                                                          .kind = core::object_kind::latch,
                                                          .expected = expected}))},
      arrivals_{std::make_unique<arrivals>(
          client_access::share(client),
          sync::settle_gate(
              {.name = std::string{name}, .kind = core::object_kind::latch, .expected = expected}))}
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
    sync::with_code(ec, [&] {
        const auto got = arrivals_->arrive({.count = count});
        if (const auto* const failed = std::get_if<sync::trouble>(&got)) ec = failed->code;
    });
}

void latch::arrive_and_wait(unsigned count, const std::stop_token& stop)
{
    count_down(count);
    wait(stop);
}

unsigned latch::expected() const noexcept
{
    return arrivals_->what().expected;
}

}  // namespace pawl
