// Whether a target was reached.
#pragma once

#include "comparison.h"

#include <optional>
#include <string>
#include <vector>

namespace pawl::bench {

struct verdict {
    const target* what = nullptr;
    std::string text;               // what was aimed at
    std::optional<double> reached;  // nothing: not measured

    [[nodiscard]] bool met() const;
};

// In the order of the workload's targets.
[[nodiscard]] std::vector<verdict> judge(const comparison& result);

// Of those peers that were measured, the one that is ahead in this; nullptr when there is none.
[[nodiscard]] const contestant* best_peer(const comparison& result, metric what);

}  // namespace pawl::bench
