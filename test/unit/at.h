// Times for tests of the state machines, which get the time as a parameter. at(250) is 250 ms after
// a fixed moment, an hour ahead of the real clock.
#pragma once

#include "base/clock.h"
#include "base/random.h"

#include <chrono>

namespace pawl::test {

inline base::boot_time at(std::chrono::milliseconds since)
{
    static const auto origin = base::boot_clock::now() + std::chrono::hours{1};
    return origin + since;
}

inline base::boot_time at(int ms)
{
    return at(std::chrono::milliseconds{ms});
}

// Constant jitter: 0 gives the shortest pauses, 1 the longest.
inline base::random_unit always(double value)
{
    return [value] { return value; };
}

}  // namespace pawl::test
