// What the event loop needs of epoll(7), eventfd(2) and timerfd_create(2). What fails throws
// std::system_error.
#pragma once

#include "common/unique_fd.h"

#include <sys/epoll.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <span>

namespace pawl::base {

// With what errno says.
[[noreturn]] void throw_last_error(const char* what);

[[nodiscard]] common::unique_fd new_epoll();
[[nodiscard]] common::unique_fd new_event();

// Counts time spent suspended, and rings at once on waking up.
[[nodiscard]] common::unique_fd new_timer();

// Whoever waits for this event wakes up.
void signal_event(int event);

// `events` as for epoll_ctl(2). Of those that wait for the same descriptor exclusively one is woken.
void watch_all(const common::unique_fd& epoll, int fd, std::uint32_t events);
void watch_exclusively(const common::unique_fd& epoll, int fd, std::uint32_t events);

// What one look may find; what there is beyond that the next look does.
using found_events = std::array<epoll_event, 16>;

// As epoll_pwait(2). Finds nothing when a signal came.
[[nodiscard]] std::span<const epoll_event> wait_on(const common::unique_fd& epoll,
                                                   found_events& room, int timeout,
                                                   const sigset_t* mask);

}  // namespace pawl::base
