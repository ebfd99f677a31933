// What `pawl bench` measures. It is a user of the library like any other: nothing here knows more
// than the public headers say.
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
    std::string word;   // for programs
    std::string title;  // for people
    common::latency_histogram times;
    std::chrono::nanoseconds elapsed{};  // of all together; 0: how many a second means nothing
    bool drawn = true;                   // worth a histogram
};

struct bench_setting {
    client& shared;         // for all but one
    client_options second;  // for the other client of a hand-off
    std::string prefix;     // of the names of locks
    unsigned threads{};
    crew_orders orders;
};

struct bench_result {
    std::vector<measurement> lines;  // as far as it came
    std::exception_ptr problem;      // what ended it early
};

// Ends early, without a problem, when it is interrupted.
[[nodiscard]] bench_result measure(bench_part part, const bench_setting& setting);

}  // namespace pawl::cli
