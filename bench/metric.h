// The figures of a contender, each from the counts of one round.
#pragma once

#include "round.h"
#include "workload.h"

#include <optional>
#include <string_view>
#include <vector>

namespace pawl::bench {

struct metric_description {
    metric what;
    std::string_view word;     // for data
    std::string_view heading;  // for tables
    int digits;                // after the decimal point
    bool shows_largest;        // tables show the largest of all rounds, not the median
    double (*of)(const round_result&);
};

[[nodiscard]] const metric_description& describe(metric what);

// Summarises the rounds of a run.
struct summary {
    double median = 0;
    double least = 0;
    double most = 0;
};

// Of the values that are known. Nothing if there are none.
[[nodiscard]] std::optional<summary> summarize(std::vector<double> values);

}  // namespace pawl::bench
