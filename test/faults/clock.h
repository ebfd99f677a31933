// The clock of local deadlines: it never steps, and is the same for all processes of this machine.
#pragma once

#include <chrono>
#include <cstdint>
#include <time.h>

namespace pawl::faults {

using nanoseconds_t = std::int64_t;

[[nodiscard]] inline nanoseconds_t clock_now() noexcept
{
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return nanoseconds_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

[[nodiscard]] constexpr nanoseconds_t count(std::chrono::nanoseconds span) noexcept
{
    return span.count();
}

}  // namespace pawl::faults
