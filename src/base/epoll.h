// The parts of epoll(7), eventfd(2) and timerfd_create(2) that the event loop needs. A failure
// throws std::system_error.
#pragma once

#include "common/unique_fd.h"

#include <sys/epoll.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <span>

namespace pawl::base {

// Throws std::system_error with the value of errno.
[[noreturn]] void throw_last_error(const char* what);

[[nodiscard]] common::unique_fd new_epoll();
[[nodiscard]] common::unique_fd new_event();

// Counts the time of a suspension. If it expired during one, it is readable at once afterwards.
[[nodiscard]] common::unique_fd new_timer();

// Wakes the threads that wait for this event.
void signal_event(int event);

// `events` as for epoll_ctl(2). If several epoll instances watch a descriptor exclusively, only one
// of them is woken.
void watch_all(const common::unique_fd& epoll, int fd, std::uint32_t events);
void watch_exclusively(const common::unique_fd& epoll, int fd, std::uint32_t events);

// The events of one wait. If there are more, the next wait finds them.
using found_events = std::array<epoll_event, 16>;

// Like epoll_pwait(2). Returns no events if a signal interrupted it.
[[nodiscard]] std::span<const epoll_event> wait_on(const common::unique_fd& epoll,
                                                   found_events& room, int timeout,
                                                   const sigset_t* mask);

}  // namespace pawl::base
