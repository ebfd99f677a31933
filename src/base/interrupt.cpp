#include "base/interrupt.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace pawl::base {

int interrupt::fd() const
{
    if (event_ || !stop_.stop_possible()) return event_.get();
    common::unique_fd made{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd"};
    callback_.emplace(stop_, [fd = made.get()] {
        const std::uint64_t one = 1;
        // Fails only if the counter is full, and then it is readable already.
        [[maybe_unused]] const auto written = ::write(fd, &one, sizeof one);
    });
    event_ = std::move(made);
    return event_.get();
}

wait_end wait_for(int fd, short events, boot_time until, const interrupt* stop)
{
    // poll(2) ignores entries with a negative descriptor.
    std::array<pollfd, 2> fds{{{fd, events, 0}, {stop != nullptr ? stop->fd() : -1, POLLIN, 0}}};
    while (true) {
        const int timeout = poll_timeout(until, boot_clock::now());
        const int count = ::poll(fds.data(), fds.size(), timeout);
        if (count < 0 && errno != EINTR) {
            throw std::system_error{errno, std::system_category(), "poll"};
        }
        if (count > 0) return fds[1].revents != 0 ? wait_end::interrupted : wait_end::ready;
        if (boot_clock::now() >= until) return wait_end::timed_out;
    }
}

}  // namespace pawl::base
