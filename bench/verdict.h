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

// The best peer in this figure, of those that were measured. nullptr if there is none.
[[nodiscard]] const contestant* best_peer(const comparison& result, metric what);

}  // namespace pawl::bench
