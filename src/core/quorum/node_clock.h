// What is known of the clock of one node: its line, by which its time at any moment is estimated, and whether it
// was stepped.
//
// A lock ends on a node by that node's clock. A step forward ends it too early, so the votes of a node whose clock
// was stepped must not count for a while. A constant difference between two clocks does no harm.
#pragma once

#include "base/clock.h"
#include "core/vote.h"

#include <optional>

namespace pawl::core::quorum {

class node_clock {
public:
    // A request that was sent at `sent` was answered at `now`, and the node's clock showed `then` meanwhile. False
    // if that does not fit the answers before: the clock was stepped.
    bool heard(node_time then, base::boot_time sent, base::boot_time now);

    // The latest time that the clock can show at `when`, without drift. Nothing before the first answer.
    [[nodiscard]] std::optional<node_time> at(base::boot_time when) const;

private:
    struct answer {
        node_time then;
        base::boot_time sent;
        base::boot_time received;
    };
    [[nodiscard]] bool fits(const answer& next) const;

    std::optional<answer> last_;
};

}  // namespace pawl::core::quorum
