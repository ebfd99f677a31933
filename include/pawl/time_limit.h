// How long a call may wait. One type covers "for ever", "not at all", durations and time points.
//
// The limit counts from the start of the call. Time during which the machine is suspended counts
// too, as it does for leases.
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

    // Do not wait: make one attempt.
    [[nodiscard]] static constexpr time_limit now() noexcept
    {
        return time_limit{std::chrono::nanoseconds::zero()};
    }

    // Wait for this long. Zero, a negative duration and "not a number" mean now(). More than a
    // hundred years means never().
    template <class Rep, class Period>
    [[nodiscard]] static time_limit after(std::chrono::duration<Rep, Period> wait)
    {
        using namespace std::chrono;
        using seconds_d = duration<double>;
        if (!(wait > wait.zero())) return now();  // not a number: do not wait
        if (duration_cast<seconds_d>(wait) > seconds_d{longest}) return never();
        return time_limit{ceil<nanoseconds>(wait)};
    }

    // Wait until this time. The clock is read once, here. A time in the past means now().
    template <class Clock, class Duration>
    [[nodiscard]] static time_limit at(std::chrono::time_point<Clock, Duration> when)
    {
        // Compare first: the distance to a time in the far past would overflow.
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
    // With more than a hundred years the arithmetic could overflow.
    static constexpr std::chrono::hours longest{24 * 365 * 100};

    constexpr explicit time_limit(std::chrono::nanoseconds wait) noexcept : wait_{wait} {}

    std::chrono::nanoseconds wait_;
};

}  // namespace pawl
