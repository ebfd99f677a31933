#include "wake_up.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>

namespace pawl::cli {

using namespace std::chrono;

boot_time boot_now() noexcept
{
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return seconds{now.tv_sec} + nanoseconds{now.tv_nsec};
}

alarm_clock::alarm_clock()
    : fd_{::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create"}
{
}

void alarm_clock::set(boot_time when) noexcept
{
    itimerspec setting{};
    if (when != never) {
        // A value of zero would disarm the timer.
        const auto shown = std::max(when, boot_time{1});
        const auto whole = duration_cast<seconds>(shown);
        setting.it_value.tv_sec = whole.count();
        setting.it_value.tv_nsec = (shown - whole).count();
    }
    // Setting the timer also makes it unreadable.
    ::timerfd_settime(fd_.get(), TFD_TIMER_ABSTIME, &setting, nullptr);
}

bell::bell() : fd_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd"} {}

void bell::ring() const noexcept
{
    const std::uint64_t one = 1;
    // Fails only if the counter overflows, after 2^64 calls.
    [[maybe_unused]] const auto written = ::write(fd_.get(), &one, sizeof one);
}

void bell::hush() const noexcept
{
    std::uint64_t count = 0;
    [[maybe_unused]] const auto got = ::read(fd_.get(), &count, sizeof count);
}

bool bell::has_rung() const noexcept
{
    pollfd entry{fd_.get(), POLLIN, 0};
    return ::poll(&entry, 1, 0) == 1;
}

void wait_for_any(std::initializer_list<int> fds) noexcept
{
    std::array<pollfd, 4> entries{};
    const std::size_t count = std::min(fds.size(), entries.size());
    for (std::size_t i = 0; i < count; ++i) entries[i] = {fds.begin()[i], POLLIN, 0};
    // If a signal interrupts poll(), the caller checks everything and calls again.
    ::poll(entries.data(), count, -1);
}

}  // namespace pawl::cli
