// Some locks have holds that end by themselves: lock_options::longest_hold and lock_options::heartbeat.
#pragma once

#include "sim/dice.h"
#include "sim/plan.h"

#include <pawl/options.h>

#include <algorithm>
#include <chrono>

namespace pawl::sim {

// With separate dice, so that the rest of the run is the same.
inline void limit_holding(lock_options& options, const lock_plan& what, dice dice)
{
    using namespace std::chrono_literals;
    const nanoseconds lease = options.lease;
    if (dice.chance(0.15)) options.longest_hold = in_ms(dice.spread(lease, 4 * lease));
    const bool can_beat = options.renew && what.linger == 0ms;
    if (can_beat && dice.chance(0.15)) {
        const auto often = in_ms(dice.spread(lease / 3, 3 * lease));
        options.heartbeat = std::max<std::chrono::milliseconds>(10ms, often);
    }
}

[[nodiscard]] inline bool ends_by_itself(const lock_options& options)
{
    using namespace std::chrono_literals;
    return options.longest_hold > 0ms || options.heartbeat > 0ms;
}

}  // namespace pawl::sim
