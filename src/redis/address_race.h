// Connects to the first of a host's addresses that answers, as in RFC 8305 ("Happy Eyeballs").
//
// The addresses are tried in the resolver's order, but IPv6 and IPv4 alternate. The next address is
// tried as soon as the one before has failed, or after a delay. The earlier attempt continues,
// because it may only be slow. So an address that drops every packet costs one delay, not the whole
// limit.
//
// The sockets and the timer of the delay are behind one descriptor: an epoll(7) instance, which can
// be waited for like any descriptor. A single address needs neither an epoll instance nor a timer.
#pragma once

#include "base/clock.h"
#include "common/unique_fd.h"
#include "redis/failure.h"
#include "redis/resolve.h"

#include <chrono>
#include <vector>

namespace pawl::redis {

class address_race {
public:
    // Every address is tried before `until`. Throws std::system_error if there are no descriptors
    // left.
    address_race(const std::vector<socket_address>& addresses, base::boot_time until);

    enum class status { more, connected, failed };

    // Does everything that can be done without waiting. After `more`, call it again when fd() is
    // ready for wanted().
    [[nodiscard]] status advance();
    [[nodiscard]] int fd() const noexcept;
    [[nodiscard]] short wanted() const noexcept;

    // After `connected`.
    [[nodiscard]] common::unique_fd take_socket() noexcept { return std::move(winner_); }

    // After `failed`: the error of the address that was tried last.
    [[nodiscard]] failure problem() const;

private:
    void start_next();
    void look_at_tries();
    void note_failure(int error) noexcept;
    void watch(int fd, unsigned events) const;
    void unwatch(int fd) const noexcept;
    void set_timer() const;

    std::vector<socket_address> waiting_;  // the next one is last
    std::vector<common::unique_fd> tries_;
    common::unique_fd winner_;
    std::chrono::nanoseconds delay_{};
    base::boot_time next_start_{};
    common::unique_fd epoll_;  // none if there is only one address
    common::unique_fd timer_;
    int last_error_ = 0;
    bool none_listens_ = true;
};

// The order in which they are tried: the address families alternate, beginning with the first one.
[[nodiscard]] std::vector<socket_address> with_alternating_families(
    const std::vector<socket_address>& addresses);

}  // namespace pawl::redis
