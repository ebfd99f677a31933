#include "base/platform.h"

#include "base/random.h"
#include "base/thread_mark.h"
#include "common/mutex.h"

#include <algorithm>
#include <chrono>

namespace pawl::base {

double system_platform::random_unit()
{
    return system_random_unit();
}

std::string system_platform::random_id()
{
    return base::random_id();
}

std::uint64_t system_platform::thread_mark() const noexcept
{
    return base::thread_mark();
}

bool system_platform::pause(boot_time until, const interrupt* stop)
{
    return wait_for(-1, 0, until, stop) != wait_end::interrupted;
}

bool system_platform::sleep(boot_time until, const std::stop_token& woken)
{
    common::mutex mutex;
    common::condition_variable changed;
    const std::stop_callback wake{woken, [&] {
                                      const common::scoped_lock guard{mutex};
                                      changed.notify_one();
                                  }};
    // At most this long at a time: this clock stops while the machine is suspended.
    constexpr std::chrono::nanoseconds longest = std::chrono::minutes{1};
    common::unique_lock guard{mutex};
    while (!woken.stop_requested()) {
        const auto now = boot_clock::now();
        if (now >= until) return true;
        changed.wait_for(guard, std::min<std::chrono::nanoseconds>(until - now, longest));
    }
    return false;
}

}  // namespace pawl::base
