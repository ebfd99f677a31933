// Numbers as people read them.
#pragma once

#include "screen.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pawl::cli {

// Three digits and a unit: "358 ns", "14.3 µs" ("us" in ASCII), "1.20 ms", "2.00 s".
[[nodiscard]] std::string latency_text(std::chrono::nanoseconds duration, charset chars);

// From one round number to another: "32 - 40 µs", "800 µs - 1 ms".
[[nodiscard]] std::string range_text(std::chrono::nanoseconds from, std::chrono::nanoseconds to,
                                     charset chars);

// "1,234,567".
[[nodiscard]] std::string count_text(std::uint64_t count);

// How many columns it takes up: characters, not bytes. None of ours is wide.
[[nodiscard]] std::size_t width_of(std::string_view text) noexcept;

// Filled up with blanks on the left, or on the right.
[[nodiscard]] std::string right_aligned(std::string_view text, std::size_t width);
[[nodiscard]] std::string left_aligned(std::string_view text, std::size_t width);

}  // namespace pawl::cli
