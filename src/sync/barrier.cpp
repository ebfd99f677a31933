#include <pawl/barrier.h>

#include "sync/client_access.h"
#include "sync/gate_arrivals.h"
#include "sync/waitable_state.h"

#include <string>
#include <utility>

namespace pawl {

class barrier::arrivals final : public sync::gate_arrivals {
public:
    using gate_arrivals::gate_arrivals;
};

barrier::barrier(client& client, std::string_view name, unsigned expected)
    : arrivals_{std::make_unique<arrivals>(client_access::share(client),
                                           sync::settle_gate({.name = std::string{name},
                                                              .kind = core::object_kind::barrier,
                                                              .expected = expected}))}
{
}

barrier::~barrier() = default;

barrier::arrival barrier::arrive(unsigned count)
{
    const auto phase = arrivals_->checked(arrivals_->arrive({.count = count}));
    return arrival{
        std::make_unique<waitable::state>(arrivals_->client(), arrivals_->waiting_for(phase))};
}

// A member, as in std::barrier.
// NOLINTNEXTLINE(readability-convert-member-functions-to-static)
void barrier::wait(arrival&& mine, const std::stop_token& stop) const
{
    auto passing = std::move(mine);
    passing.wait(stop);
}

void barrier::arrive_and_wait(const std::stop_token& stop)
{
    arrive().wait(stop);
}

void barrier::arrive_and_drop()
{
    arrivals_->checked(arrivals_->arrive({.drops_out = true}));
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
