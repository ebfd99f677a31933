// The one clock of leases: CLOCK_BOOTTIME. It never steps, and unlike CLOCK_MONOTONIC it goes on
// while the machine is suspended, as the server's clock does.
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

// An int as poll(2) wants it: rounded up, so that nobody wakes up early and spins. -1 for "for ever".
[[nodiscard]] int poll_timeout(boot_time until, boot_time now) noexcept;

}  // namespace pawl::base
