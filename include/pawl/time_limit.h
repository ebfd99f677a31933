// Until when a call may wait: one type for "for ever", "not at all", durations and time points.
//
// A limit counts time during which the machine was suspended, as leases do.
#pragma once

#include <pawl/export.h>

#include <chrono>

namespace pawl {

class PAWL_EXPORT time_limit {
public:
    // Wait for ever.
    [[nodiscard]] static constexpr time_limit never() noexcept
    {
        return time_limit{std::chrono::nanoseconds::max()};
    }

    // Do not wait: one attempt.
    [[nodiscard]] static constexpr time_limit now() noexcept
    {
        return time_limit{std::chrono::nanoseconds::min()};
    }

    template <class Rep, class Period>
    [[nodiscard]] static time_limit after(std::chrono::duration<Rep, Period> wait)
    {
        using namespace std::chrono;
        using seconds_d = duration<double>;
        if (!(wait > wait.zero())) return now();  // not a number: do not wait
        if (duration_cast<seconds_d>(wait) > seconds_d{longest}) return never();
        return after_ns(ceil<nanoseconds>(wait));
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
        return since_boot_ == std::chrono::nanoseconds::max();
    }

    [[nodiscard]] constexpr bool is_now() const noexcept
    {
        return since_boot_ == std::chrono::nanoseconds::min();
    }

    // On CLOCK_BOOTTIME.
    [[nodiscard]] constexpr std::chrono::nanoseconds since_boot() const noexcept
    {
        return since_boot_;
    }

private:
    // Beyond a hundred years the arithmetic could overflow, and nobody waits that long.
    static constexpr std::chrono::hours longest{24 * 365 * 100};

    constexpr explicit time_limit(std::chrono::nanoseconds since_boot) noexcept
        : since_boot_{since_boot}
    {
    }

    static time_limit after_ns(std::chrono::nanoseconds wait) noexcept;

    std::chrono::nanoseconds since_boot_;
};

}  // namespace pawl
