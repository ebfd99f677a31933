// Durations as people write them: 500ms, 30s, 5m, 2h; a plain number is seconds.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace pawl::cli {

// Fractions are allowed ("1.5h"), signs and spaces are not. A fraction of a millisecond is rounded
// up. The longest duration is a year. Throws std::invalid_argument: the message quotes the value
// and says what is allowed.
[[nodiscard]] std::chrono::milliseconds parse_duration(std::string_view text);

// For messages: "350 ms", "1.5 s".
[[nodiscard]] std::string describe(std::chrono::nanoseconds duration);

}  // namespace pawl::cli
