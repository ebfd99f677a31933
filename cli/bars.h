// A latency histogram drawn in characters.
#pragma once

#include "common/latency_histogram.h"
#include "screen.h"

#include <cstddef>
#include <string>

namespace pawl::cli {

// A bar that fills this share (0 to 1) of the width: exact to an eighth of a column with block
// characters, to a column with '#'. A share above zero always shows something.
[[nodiscard]] std::string bar(double share, std::size_t width, charset chars);

// A line for each range of log_buckets(): the range, the bar, the share of all in percent. The most
// frequent range has the longest bar, and its line is as wide as the screen.
[[nodiscard]] std::string draw_bars(const common::latency_histogram& times, std::size_t columns,
                                    charset chars);

}  // namespace pawl::cli
