// The time until which a lease is certainly held, by the clock of this computer.
#pragma once

#include "base/clock.h"
#include "base/mutant.h"

#include <algorithm>
#include <chrono>

namespace pawl::core {

// The server counts the lease from the moment it executed the request, which was not before `sent`. Its
// clock may run faster by `drift` (a fraction), and it counts in whole milliseconds.
[[nodiscard]] inline base::boot_time local_deadline(base::boot_time sent,
                                                    std::chrono::milliseconds lease,
                                                    double drift) noexcept
{
    using namespace std::chrono;
    constexpr milliseconds rounding{2};
    const auto slack = duration_cast<nanoseconds>(
        duration<double, std::milli>(static_cast<double>(lease.count()) * drift));
    if (base::is(base::mutant::d7_drift_added)) return sent + lease + slack - rounding;
    return sent + lease - slack - rounding;
}

// The shortest lease, in whole milliseconds, whose local deadline is not before `end`.
[[nodiscard]] inline std::chrono::milliseconds lease_until(base::boot_time end,
                                                           base::boot_time sent,
                                                           double drift) noexcept
{
    using namespace std::chrono;
    constexpr milliseconds rounding{3};  // one more than above, for the conversion to double
    const duration<double, std::milli> left = end - sent + rounding;
    return std::max(ceil<milliseconds>(left / (1 - drift)), milliseconds{1});
}

}  // namespace pawl::core
