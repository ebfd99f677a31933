// Compares two replies that were given at slightly different times.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace pawl::test {

// Which parts of a reply depend on the time.
enum class time_in_reply {
    none,          // only numbers that are obviously a time since the epoch, like fences
    milliseconds,  // numbers above `least_left` may be a remaining time
    seconds,       // all numbers may be a remaining time
    clock,         // the reply of TIME
};

// Remaining times are compared with a tolerance only above this value. The test avoids the end of
// keys.
inline constexpr std::chrono::milliseconds least_left{15};

struct comparison {
    std::chrono::microseconds tolerance;
    time_in_reply time = time_in_reply::none;
    bool any_order = false;

    [[nodiscard]] bool same(std::string_view left, std::string_view right) const;
};

// Bytes in a readable form.
[[nodiscard]] std::string readable(std::string_view bytes);

}  // namespace pawl::test
