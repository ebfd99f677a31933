#include "redis/address_race.h"

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace pawl::redis {
namespace {

[[noreturn]] void fail(const char* what)
{
    throw std::system_error{errno, std::system_category(), what};
}

common::unique_fd open_socket(int family)
{
    common::unique_fd fd{::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    if (fd && family != AF_UNIX) {
        const auto set = [&](int level, int option, int value) {
            ::setsockopt(fd.get(), level, option, &value, sizeof value);
        };
        // Requests are small, and a caller waits for each.
        set(IPPROTO_TCP, TCP_NODELAY, 1);
        // A dead peer is noticed within seconds, even while idle. The probes also keep the
        // connection open in firewalls.
        set(SOL_SOCKET, SO_KEEPALIVE, 1);
        set(IPPROTO_TCP, TCP_KEEPIDLE, 30);
        set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
        set(IPPROTO_TCP, TCP_KEEPCNT, 3);
    }
    return fd;
}

int error_of(int socket)
{
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
    return error;
}

bool is_writable(int socket)
{
    pollfd probe{socket, POLLOUT, 0};
    return ::poll(&probe, 1, 0) > 0;
}

// Errors that come at once and mean that no server is there.
bool means_nobody_listens(int error)
{
    constexpr std::array list{ECONNREFUSED, ENOENT,       EACCES,
                              ENETUNREACH,  EHOSTUNREACH, EAFNOSUPPORT};
    return std::ranges::find(list, error) != list.end();
}

// More than a real host has. It limits the descriptors that a name server can make pawl use.
constexpr std::size_t most_addresses = 16;

// RFC 8305, section 8: 250 ms are recommended, and less than 10 ms is forbidden. If the limit is
// short the delay is shorter, so that the last address also gets enough time.
std::chrono::nanoseconds delay_between(std::size_t addresses, std::chrono::nanoseconds limit)
{
    using std::chrono::milliseconds;
    const auto share = limit / static_cast<std::int64_t>(addresses + 1);
    return std::clamp<std::chrono::nanoseconds>(share, milliseconds{10}, milliseconds{250});
}

}  // namespace

std::vector<socket_address> with_alternating_families(const std::vector<socket_address>& addresses)
{
    if (addresses.empty()) return addresses;
    const auto family = addresses.front().storage.ss_family;
    std::vector<socket_address> first;
    std::vector<socket_address> second;
    for (const auto& each : addresses) {
        (each.storage.ss_family == family ? first : second).push_back(each);
    }
    std::vector<socket_address> ordered;
    ordered.reserve(addresses.size());
    for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
        if (i < first.size()) ordered.push_back(first[i]);
        if (i < second.size()) ordered.push_back(second[i]);
    }
    return ordered;
}

address_race::address_race(const std::vector<socket_address>& addresses, base::boot_time until)
    : waiting_{with_alternating_families(addresses)}
{
    waiting_.resize(std::min(waiting_.size(), most_addresses));
    std::ranges::reverse(waiting_);
    if (waiting_.size() < 2) return;
    delay_ = delay_between(waiting_.size(), until - base::boot_clock::now());
    epoll_ = common::unique_fd{::epoll_create1(EPOLL_CLOEXEC), "epoll_create1"};
    timer_ = common::unique_fd{::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK),
                               "timerfd_create"};
    watch(timer_.get(), EPOLLIN);
}

int address_race::fd() const noexcept
{
    return epoll_ ? epoll_.get() : tries_.front().get();
}

short address_race::wanted() const noexcept
{
    return epoll_ ? POLLIN : POLLOUT;
}

address_race::status address_race::advance()
{
    look_at_tries();
    // While an attempt is running, the next one waits for the delay.
    while (!winner_ && !waiting_.empty() &&
           (tries_.empty() || base::boot_clock::now() >= next_start_)) {
        start_next();
    }
    if (winner_) {
        tries_.clear();
        return status::connected;
    }
    return tries_.empty() ? status::failed : status::more;
}

void address_race::look_at_tries()
{
    for (auto at = tries_.begin(); at != tries_.end() && !winner_;) {
        // In this order: an error that arrives between the two calls would make this socket the
        // winner.
        if (!is_writable(at->get())) {
            ++at;
            continue;
        }
        const int error = error_of(at->get());
        unwatch(at->get());
        if (error == 0) {
            winner_ = std::move(*at);
        } else {
            note_failure(error);
            next_start_ = {};
        }
        at = tries_.erase(at);
    }
}

void address_race::start_next()
{
    const auto address = waiting_.back();
    waiting_.pop_back();
    next_start_ = base::boot_clock::now() + delay_;
    auto socket = open_socket(address.storage.ss_family);
    const auto* generic = reinterpret_cast<const sockaddr*>(&address.storage);  // NOLINT(*-cast)
    if (socket && ::connect(socket.get(), generic, address.length) == 0) {
        winner_ = std::move(socket);
    } else if (socket && errno == EINPROGRESS) {
        if (epoll_) watch(socket.get(), EPOLLOUT);
        tries_.push_back(std::move(socket));
    } else {
        note_failure(errno);
        next_start_ = {};
    }
    if (epoll_) set_timer();
}

void address_race::note_failure(int error) noexcept
{
    last_error_ = error;
    none_listens_ = none_listens_ && means_nobody_listens(error);
}

failure address_race::problem() const
{
    return {none_listens_ ? failure_kind::nobody_listens : failure_kind::unreachable,
            "connect: " + std::generic_category().message(last_error_)};
}

void address_race::watch(int fd, unsigned events) const
{
    epoll_event event{};
    event.events = events;
    event.data.fd = fd;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) fail("epoll_ctl");
}

// Closing the socket is not enough: if a process was forked meanwhile, it has the socket open too,
// and epoll would go on to report it.
void address_race::unwatch(int fd) const noexcept
{
    if (epoll_) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

void address_race::set_timer() const
{
    using namespace std::chrono;
    itimerspec spec{};  // zero stops it
    if (!waiting_.empty()) {
        const auto at = std::max<nanoseconds>(next_start_.time_since_epoch(), nanoseconds{1});
        const auto whole = floor<seconds>(at);
        spec.it_value = {whole.count(), (at - whole).count()};
    }
    if (::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &spec, nullptr) != 0) {
        fail("timerfd_settime");
    }
}

}  // namespace pawl::redis
