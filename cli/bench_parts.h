// The measurements of `pawl bench`. It uses the library like any other user: only the public
// headers.
#pragma once

#include "bench_options.h"
#include "common/latency_histogram.h"
#include "crew.h"

#include <pawl/client.h>

#include <chrono>
#include <exception>
#include <string>
#include <vector>

namespace pawl::cli {

// One line of the result.
struct measurement {
    std::string word;   // the name for programs
    std::string title;  // the name for people
    common::latency_histogram times;
    std::chrono::nanoseconds elapsed{};  // of all steps together; 0: no rate is shown
    bool drawn = true;                   // show a histogram
};

struct bench_setting {
    client& shared;         // used by all parts
    client_options second;  // for the other client of a hand-off
    std::string prefix;     // of the lock names
    unsigned threads{};
    crew_orders orders;
};

struct bench_result {
    std::vector<measurement> lines;  // the measurements that were completed
    std::exception_ptr problem;      // why it ended early
};

// If it is interrupted, it returns early, without a problem.
[[nodiscard]] bench_result measure(bench_part part, const bench_setting& setting);

}  // namespace pawl::cli
