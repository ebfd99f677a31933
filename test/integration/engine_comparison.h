// Whether two replies say the same, though one was given a little later than the other.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace pawl::test {

// What in a reply depends on the time.
enum class time_in_reply {
    none,          // still, a number that is plainly a time since the epoch, as fences are
    milliseconds,  // numbers above `least_left` may be a time left
    seconds,       // numbers may
    clock,         // the reply of TIME
};

// Times left are compared with a tolerance above this only; the test keeps away from the end of keys.
inline constexpr std::chrono::milliseconds least_left{15};

struct comparison {
    std::chrono::microseconds tolerance;
    time_in_reply time = time_in_reply::none;
    bool any_order = false;

    [[nodiscard]] bool same(std::string_view left, std::string_view right) const;
};

// Bytes as a person can read them.
[[nodiscard]] std::string readable(std::string_view bytes);

}  // namespace pawl::test
