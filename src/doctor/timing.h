// Figures from round trips.
#pragma once

#include "doctor/facts.h"

#include <chrono>
#include <optional>
#include <vector>

namespace pawl::doctor {

using microseconds = std::chrono::microseconds;

struct round_trips {
    microseconds shortest{};
    microseconds median{};
    microseconds p99{};
    microseconds longest{};
};
// Nothing if there are no samples.
[[nodiscard]] std::optional<round_trips> round_trips_in(const std::vector<sample>& samples);

// A difference that may be wrong by `error` in both directions.
struct estimate {
    microseconds value{};
    microseconds error{};
};
// The server's wall clock minus that of this machine, from the shortest round trip: the server has read its clock at
// some time in it.
[[nodiscard]] std::optional<estimate> clock_difference(const std::vector<sample>& samples);

// How much faster than this machine's clock the server's runs, as a fraction. It may be wrong by `error`.
struct drift {
    double value = 0;
    double error = 0;
};
// Nothing if there are too few samples.
[[nodiscard]] std::optional<drift> drift_in(const std::vector<sample>& samples);

}  // namespace pawl::doctor
