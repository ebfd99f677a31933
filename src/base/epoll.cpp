#include "base/epoll.h"

#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <system_error>

namespace pawl::base {
namespace {

[[nodiscard]] bool add(const common::unique_fd& epoll, int fd, std::uint32_t events)
{
    epoll_event event{};
    event.events = events;
    event.data.fd = fd;
    return ::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

}  // namespace

void throw_last_error(const char* what)
{
    throw std::system_error{errno, std::system_category(), what};
}

common::unique_fd new_epoll()
{
    return {::epoll_create1(EPOLL_CLOEXEC), "epoll_create1"};
}

common::unique_fd new_event()
{
    return {::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd"};
}

common::unique_fd new_timer()
{
    return {::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create"};
}

void signal_event(int event)
{
    const std::uint64_t one = 1;
    // Fails only if the 64-bit counter is full, which does not happen.
    [[maybe_unused]] const auto written = ::write(event, &one, sizeof one);
}

void watch_all(const common::unique_fd& epoll, int fd, std::uint32_t events)
{
    if (!add(epoll, fd, events)) throw_last_error("epoll_ctl");
}

void watch_exclusively(const common::unique_fd& epoll, int fd, std::uint32_t events)
{
    if (add(epoll, fd, events | EPOLLEXCLUSIVE)) return;
    // An epoll instance cannot be watched exclusively. Then all waiters are woken.
    if (errno != EINVAL) throw_last_error("epoll_ctl");
    watch_all(epoll, fd, events);
}

std::span<const epoll_event> wait_on(const common::unique_fd& epoll, found_events& room,
                                     int timeout, const sigset_t* mask)
{
    const int count =
        ::epoll_pwait(epoll.get(), room.data(), static_cast<int>(room.size()), timeout, mask);
    return std::span{room}.first(count > 0 ? static_cast<std::size_t>(count) : 0);
}

}  // namespace pawl::base
