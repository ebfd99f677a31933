#include "base/clock.h"

#include <algorithm>
#include <ctime>

namespace pawl::base {

boot_time boot_clock::now() noexcept
{
    timespec ts{};
    // Cannot fail: the clock exists since Linux 2.6.39 and the pointer is valid.
    ::clock_gettime(CLOCK_BOOTTIME, &ts);
    return boot_time{std::chrono::seconds{ts.tv_sec} + std::chrono::nanoseconds{ts.tv_nsec}};
}

int poll_timeout(boot_time until, boot_time now) noexcept
{
    using namespace std::chrono;
    if (until == boot_time::max()) return -1;
    if (until <= now) return 0;
    // For a longer wait the caller just wakes up and waits again.
    constexpr milliseconds longest = hours{1};
    return static_cast<int>(
        std::min<milliseconds>(ceil<milliseconds>(until - now), longest).count());
}

}  // namespace pawl::base
