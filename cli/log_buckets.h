// A latency histogram as a few lines for people: ranges with round bounds. Each range is wider than
// the one before by about the same factor.
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

// The finest ranges that need no more than `most` lines (at least two) from the smallest value to
// the 99th percentile. Larger values are in the last range. Empty if nothing was measured. The
// counts add up to the count of the histogram.
[[nodiscard]] std::vector<log_bucket> log_buckets(const common::latency_histogram& times,
                                                  std::size_t most);

}  // namespace pawl::cli
