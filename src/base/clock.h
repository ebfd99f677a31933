// The clock for leases: CLOCK_BOOTTIME. It never steps. Unlike CLOCK_MONOTONIC it also runs while
// the machine is suspended, like the server's clock.
#pragma once

#include <chrono>

namespace pawl::base {

struct boot_clock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<boot_clock>;
    static constexpr bool is_steady = true;

    static time_point now() noexcept;
};

using boot_time = boot_clock::time_point;

// The timeout for poll(2), in milliseconds. It is rounded up, so that a waiter does not wake up
// early and spin. -1 means forever.
[[nodiscard]] int poll_timeout(boot_time until, boot_time now) noexcept;

}  // namespace pawl::base
