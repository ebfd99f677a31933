// How long a call may wait: one type for "for ever", "not at all", durations and time points.
//
// It counts from the call, and time during which the machine was suspended counts, as with leases.
#pragma once

#include <pawl/export.h>

#include <chrono>

namespace pawl {

class time_limit {
public:
    // Wait for ever.
    [[nodiscard]] static constexpr time_limit never() noexcept
    {
        return time_limit{std::chrono::nanoseconds::max()};
    }

    // Do not wait: one attempt.
    [[nodiscard]] static constexpr time_limit now() noexcept
    {
        return time_limit{std::chrono::nanoseconds::zero()};
    }

    template <class Rep, class Period>
    [[nodiscard]] static time_limit after(std::chrono::duration<Rep, Period> wait)
    {
        using namespace std::chrono;
        using seconds_d = duration<double>;
        if (!(wait > wait.zero())) return now();  // not a number: do not wait
        if (duration_cast<seconds_d>(wait) > seconds_d{longest}) return never();
        return time_limit{ceil<nanoseconds>(wait)};
    }

    template <class Clock, class Duration>
    [[nodiscard]] static time_limit at(std::chrono::time_point<Clock, Duration> when)
    {
        // Compared first: the distance to a far past would overflow.
        const auto present = Clock::now();
        return when > present ? after(when - present) : now();
    }

    [[nodiscard]] constexpr bool is_never() const noexcept
    {
        return wait_ == std::chrono::nanoseconds::max();
    }

    [[nodiscard]] constexpr bool is_now() const noexcept
    {
        return wait_ == std::chrono::nanoseconds::zero();
    }

    [[nodiscard]] constexpr std::chrono::nanoseconds wait() const noexcept { return wait_; }

private:
    // Beyond a hundred years the arithmetic could overflow, and nobody waits that long.
    static constexpr std::chrono::hours longest{24 * 365 * 100};

    constexpr explicit time_limit(std::chrono::nanoseconds wait) noexcept : wait_{wait} {}

    std::chrono::nanoseconds wait_;
};

}  // namespace pawl
