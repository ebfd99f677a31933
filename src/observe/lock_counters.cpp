#include "observe/lock_counters.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <span>

namespace pawl::observe {
namespace {

using std::chrono::nanoseconds;

nanoseconds end_of(std::size_t slot)
{
    if (slot == duration_counter::slots::count - 1) return nanoseconds::max();
    return nanoseconds{static_cast<nanoseconds::rep>(duration_counter::slots::last_of(slot))};
}

histogram sum_of(std::span<const duration_counter* const> all)
{
    histogram got;
    for (const auto* each : all) got.sum += each->sum();
    for (std::size_t slot = 0; slot < duration_counter::slots::count; ++slot) {
        std::uint64_t here = 0;
        for (const auto* each : all) here += each->in_slot(slot);
        if (here == 0) continue;
        got.buckets.push_back({end_of(slot), here});
        got.count += here;
    }
    return got;
}

}  // namespace

histogram read(const duration_counter& one)
{
    return sum_of(std::array{&one});
}

histogram read(const duration_counter& one, const duration_counter& other)
{
    return sum_of(std::array{&one, &other});
}

lock_metrics lock_counters::read() const
{
    lock_metrics got;
    // Before the grants: a hold that ends in between then has its grant counted too, and held() is not below 0.
    got.hold = observe::read(inside.hold, hold);
    granted.add_to(got.granted);
    got.granted[grant_way::passed_on] += inside.passed_on.get();
    got.granted[grant_way::lingered] += inside.lingered.get();
    not_granted.add_to(got.not_granted);
    losses.add_to(got.losses);
    got.jeopardies = jeopardies.get();
    got.recoveries = recoveries.get();
    got.lost_in_jeopardy = lost_in_jeopardy.get();
    got.renewals = {.sent = renewals_sent.get(),
                    .done = renewals_done.get(),
                    .failed = renewals_failed.get(),
                    .denied = renewals_denied.get()};
    got.queue = {.joined = queues_joined.get(),
                 .waiters = waiters_seen.get(),
                 .longest = longest_queue.get()};
    got.wait = observe::read(inside.wait, wait);
    got.hand_over = observe::read(hand_over);
    got.margin = observe::read(margin);
    return got;
}

}  // namespace pawl::observe
