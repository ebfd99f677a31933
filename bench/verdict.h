// Whether a target was reached.
#pragma once

#include "comparison.h"

#include <optional>
#include <string>
#include <vector>

namespace pawl::bench {

struct verdict {
    const target* what = nullptr;
    std::string text;               // the target
    std::optional<double> reached;  // unset: not measured

    [[nodiscard]] bool met() const;
};

// In the order of the workload's targets.
[[nodiscard]] std::vector<verdict> judge(const comparison& result);

// The best peer in this figure, of those that were measured: that with the greatest figure, or with
// the smallest if the figure should be at most so much. nullptr if there is none.
[[nodiscard]] const contestant* best_peer(const comparison& result, metric what,
                                          target::bound which);

}  // namespace pawl::bench
