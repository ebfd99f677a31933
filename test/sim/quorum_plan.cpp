// The plan of a run of the family `quorum`.
#include "core/quorum/nodes.h"
#include "sim/plan.h"

#include <algorithm>

namespace pawl::sim {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {

// A lease on a quorum has a greatest length, and a run must be long enough for some quarantines.
void shorten(plan& drawn)
{
    constexpr milliseconds longest{6'000};
    if (drawn.lease <= longest) return;
    const auto by = static_cast<double>(longest.count()) / static_cast<double>(drawn.lease.count());
    const auto scaled = [by](nanoseconds value) {
        return std::max(
            nanoseconds{static_cast<std::int64_t>(static_cast<double>(value.count()) * by)},
            nanoseconds{20us});
    };
    drawn.delay = scaled(drawn.delay);
    drawn.think = scaled(drawn.think);
    drawn.work = scaled(drawn.work);
    drawn.length = scaled(drawn.length);
    drawn.poll_interval = in_ms(scaled(drawn.poll_interval));
    drawn.lease = longest;
}

}  // namespace

void draw_quorum(plan& drawn, dice dice)
{
    using kind = lock_plan::kind;
    drawn.nodes = static_cast<unsigned>(dice.one_of({3, 3, 3, 3, 3, 5, 5, 7}));
    // The protocol assumes that clocks drift by less than is allowed for. Its check for steps allows for 1 %.
    drawn.faults.reset(static_cast<std::size_t>(fault::wild_drift));
    drawn.faults.reset(static_cast<std::size_t>(fault::server_far_back));
    drawn.drift = std::min(drawn.drift, 0.01);
    drawn.locks.clear();
    const auto count = dice.one_of({1, 1, 2});
    for (int i = 0; i < count; ++i) {
        const auto what = dice.one_of({kind::mutex, kind::mutex, kind::mutex, kind::recursive,
                                       kind::fair, kind::fair, kind::polling});
        drawn.locks.push_back({.name = "lock:" + std::to_string(i), .what = what});
    }
    shorten(drawn);
    drawn.command_limit = std::min<milliseconds>(drawn.command_limit, 5s);
    // Users extend their leases to at most six times the usual one. A lease that ensures a time is a little longer.
    drawn.longest_lease = 6 * drawn.lease + 200ms + in_ms(40 * drawn.delay);
    drawn.quarantine = core::quorum::quarantine(drawn.longest_lease, drawn.drift);
}

}  // namespace pawl::sim
