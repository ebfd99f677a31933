// The results of `pawl bench`, for people and for programs.
#pragma once

#include "bench_parts.h"
#include "screen.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace pawl::cli {

struct bench_report {
    std::string server;
    std::string prefix;  // of the lock names
    std::chrono::milliseconds per_part{};
    unsigned threads{};
    std::vector<measurement> lines;
    std::string problem;  // why it was not completed; empty if it was

    // One object on one line. Durations are in nanoseconds. Bytes that are not UTF-8 become U+FFFD.
    [[nodiscard]] std::string as_json() const;

    [[nodiscard]] std::string as_table(charset chars) const;
    [[nodiscard]] std::string as_histograms(std::size_t columns, charset chars) const;
};

}  // namespace pawl::cli
