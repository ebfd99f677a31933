// A clock that runs a little fast or slow. It uses whole nanoseconds, and rounding errors do not
// add up.
#pragma once

#include "sim/dice.h"

#include <cstdint>

namespace pawl::sim {

class drifting_clock {
public:
    drifting_clock() = default;
    drifting_clock(nanoseconds start, std::int64_t parts_per_million)
        : start_{start}, ppm_{parts_per_million}
    {
    }

    [[nodiscard]] nanoseconds at(nanoseconds true_time) const noexcept
    {
        const auto t = true_time.count();
        return nanoseconds{start_.count() + t + t / million * ppm_ + t % million * ppm_ / million};
    }

    // The first true time at which it shows `reading` or more.
    [[nodiscard]] nanoseconds when(nanoseconds reading) const noexcept
    {
        const auto gone = (reading - start_).count();
        auto guess = static_cast<std::int64_t>(static_cast<double>(gone) /
                                               (1.0 + static_cast<double>(ppm_) / million));
        while (at(nanoseconds{guess}) >= reading) guess -= 4;
        while (at(nanoseconds{guess}) < reading) ++guess;
        return nanoseconds{guess};
    }

private:
    static constexpr std::int64_t million = 1'000'000;
    nanoseconds start_{0};
    std::int64_t ppm_ = 0;
};

}  // namespace pawl::sim
