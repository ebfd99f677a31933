// Numbers in a form that people read easily.
#pragma once

#include "screen.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace pawl::cli {

// Three digits and a unit: "358 ns", "14.3 µs" ("us" in ASCII), "1.20 ms", "2.00 s".
[[nodiscard]] std::string latency_text(std::chrono::nanoseconds duration, charset chars);

// From one round number to another: "32 - 40 µs", "800 µs - 1 ms".
[[nodiscard]] std::string range_text(std::chrono::nanoseconds from, std::chrono::nanoseconds to,
                                     charset chars);

// "1,234,567".
[[nodiscard]] std::string count_text(std::uint64_t count);

}  // namespace pawl::cli
