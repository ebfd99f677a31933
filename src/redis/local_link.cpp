#include "redis/local_link.h"

#include "base/interrupt.h"
#include "redis/peer.h"

#include <pawl/error.h>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <system_error>
#include <utility>

namespace pawl::redis {
namespace {

[[nodiscard]] common::unique_fd make_socket()
{
    common::unique_fd fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    if (!fd) {
        throw error{errc::unreachable,
                    "cannot create a socket: " + std::generic_category().message(errno)};
    }
    return fd;
}

[[noreturn]] void no_answer(const std::string& socket, int pid)
{
    throw error{errc::unreachable, "the local server on " + socket + " (process " +
                                       std::to_string(pid) +
                                       ") does not answer; `pawl local stop --force` ends it"};
}

// Returns 0 or an error number.
[[nodiscard]] int connect_to(int fd, const std::string& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) return ENAMETOOLONG;
    std::memcpy(address.sun_path, path.data(), path.size());
    const auto* generic = reinterpret_cast<const sockaddr*>(&address);
    return ::connect(fd, generic, sizeof address) == 0 ? 0 : errno;
}

// Only this user can write to the directory, so this happens only when root starts programs for
// other users.
void check_owner(int fd, const std::string& socket)
{
    if (const auto problem = problem_with_peer(fd, ::geteuid(), socket)) {
        throw error{errc::refused, *problem};
    }
}

constexpr std::chrono::milliseconds backlog_pause{10};

}  // namespace

local_link::local_link(std::string socket, common::unique_fd fd, int server_pid)
    : socket_{std::move(socket)}, fd_{std::move(fd)}, server_pid_{server_pid}
{
}

std::optional<local_link> local_link::open(const std::string& socket, base::boot_time until)
{
    for (;;) {
        common::unique_fd fd = make_socket();
        const int error_number = connect_to(fd.get(), socket);
        if (error_number == 0) {
            check_owner(fd.get(), socket);
            const pid_t server = process_of_peer(fd.get());
            return local_link{socket, std::move(fd), server};
        }
        if (error_number == ENOENT || error_number == ECONNREFUSED) return std::nullopt;
        // EAGAIN: there is a server, but its queue of new connections is full.
        if (error_number != EAGAIN && error_number != EINTR) {
            throw error{errc::unreachable, "cannot connect to the local server on " + socket +
                                               ": " +
                                               std::generic_category().message(error_number)};
        }
        const auto now = base::boot_clock::now();
        if (now >= until) {
            throw error{errc::unreachable,
                        "the local server on " + socket + " accepts no more connections"};
        }
        static_cast<void>(base::wait_for(-1, 0, std::min(until, now + backlog_pause), nullptr));
    }
}

std::optional<reply_view> local_link::ask(std::initializer_list<std::string_view> words,
                                          base::boot_time until)
{
    std::string request;
    append_request(request, std::span{words.begin(), words.size()});
    parser_.reset();
    received_.clear();
    if (!send(request, until)) return std::nullopt;
    for (;;) {
        if (!receive(until)) return std::nullopt;
        switch (parser_.parse(received_)) {
        case parse_status::complete: return parser_.reply(received_);
        case parse_status::more: break;
        case parse_status::malformed:
            throw error{errc::unreachable, "the process that listens on " + socket_ +
                                               " is not a Redis server: " + parser_.problem()};
        }
    }
}

bool local_link::send(std::string_view bytes, base::boot_time until)
{
    while (!bytes.empty()) {
        const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        } else if (errno == EAGAIN) {
            wait(POLLOUT, until);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

// Appends the bytes that have arrived. False at the end of the connection.
bool local_link::receive(base::boot_time until)
{
    std::array<char, 16'384> chunk{};
    for (;;) {
        const ssize_t got = ::recv(fd_.get(), chunk.data(), chunk.size(), 0);
        if (got > 0) {
            received_.append(chunk.data(), static_cast<std::size_t>(got));
            return true;
        }
        if (got == 0) return false;
        if (errno == EAGAIN) {
            wait(POLLIN, until);
        } else if (errno != EINTR) {
            return false;
        }
    }
}

void local_link::wait(short events, base::boot_time until) const
{
    const auto end = base::wait_for(fd_.get(), events, until, nullptr);
    if (end == base::wait_end::timed_out) no_answer(socket_, server_pid_);
}

}  // namespace pawl::redis
