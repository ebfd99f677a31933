// A latency histogram as a few lines for people: ranges with round bounds, each wider than the one
// before by about the same factor.
#pragma once

#include "common/latency_histogram.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pawl::cli {

struct log_bucket {
    std::chrono::nanoseconds from{};
    std::chrono::nanoseconds to{};  // not included, except in the last one
    std::uint64_t count = 0;
};

// The finest such ranges of which no more than `most`, two at least, are needed from the smallest
// value to the 99th percentile; the few that are left over, if any, are in the last one. Empty
// when nothing was measured. All counts together are those of the histogram.
[[nodiscard]] std::vector<log_bucket> log_buckets(const common::latency_histogram& times,
                                                  std::size_t most);

}  // namespace pawl::cli
