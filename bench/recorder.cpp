#include "recorder.h"

#include "raw_connection.h"

#include <array>
#include <cerrno>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
#include <utility>

namespace pawl::bench {
namespace {

[[noreturn]] void fail(const char* what)
{
    throw std::system_error{errno, std::generic_category(), what};
}

test::socket_fd listen_at(const std::string& path)
{
    test::socket_fd socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"};
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) throw std::runtime_error{"the path is too long"};
    path.copy(address.sun_path, path.size());
    constexpr int backlog = 16;
    if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(socket.get(), backlog) != 0) {
        fail("listen");
    }
    return socket;
}

}  // namespace

recorder::recorder(std::string server_url)
    : server_url_{std::move(server_url)}, door_{listen_at(dir_.file("recorder.sock"))}
{
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail("socketpair");
    wake_ = test::socket_fd{ends[0]};
    sleeper_ = test::socket_fd{ends[1]};
    thread_ = std::thread{[this] { run(); }};
}

recorder::~recorder()
{
    sleeper_.reset();
    thread_.join();
}

std::string recorder::url() const
{
    return "unix:" + dir_.file("recorder.sock");
}

std::vector<exchange> recorder::take()
{
    const std::scoped_lock guard{mutex_};
    return std::exchange(noted_, {});
}

bool recorder::has_answered(std::size_t exchanges)
{
    const std::scoped_lock guard{mutex_};
    return noted_.size() >= exchanges && !noted_.back().received.empty();
}

void recorder::run()
{
    while (true) {
        std::vector<pollfd> wanted{{.fd = wake_.get(), .events = POLLIN, .revents = 0},
                                   {.fd = door_.get(), .events = POLLIN, .revents = 0}};
        for (const line& each : lines_) {
            wanted.push_back({.fd = each.client.get(), .events = POLLIN, .revents = 0});
            wanted.push_back({.fd = each.server.get(), .events = POLLIN, .revents = 0});
        }
        if (::poll(wanted.data(), wanted.size(), -1) < 0 && errno != EINTR) return;
        if (wanted[0].revents != 0) return;
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            if (wanted[2 + 2 * i].revents != 0) pass_on(lines_[i], true);
            if (lines_[i].open && wanted[3 + 2 * i].revents != 0) pass_on(lines_[i], false);
        }
        std::erase_if(lines_, [](const line& each) { return !each.open; });
        if (wanted[1].revents != 0) accept_one();
    }
}

// If the server cannot be reached, the client's connection is closed.
void recorder::accept_one()
{
    test::socket_fd client{::accept4(door_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    if (!client) return;
    try {
        lines_.push_back({.client = std::move(client), .server = open_socket(server_url_)});
    } catch (const std::exception&) {
        return;
    }
}

void recorder::pass_on(line& between, bool to_server)
{
    const test::socket_fd& from = to_server ? between.client : between.server;
    std::array<char, 65536> buffer{};
    const ssize_t got = ::recv(from.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    between.open = got > 0;
    if (!between.open) return;
    const std::string_view bytes{buffer.data(), static_cast<std::size_t>(got)};
    note(bytes, to_server);
    try {
        send_all(to_server ? between.server : between.client, bytes);
    } catch (const std::exception&) {
        between.open = false;
    }
}

void recorder::note(std::string_view bytes, bool to_server)
{
    const std::scoped_lock guard{mutex_};
    const bool answered = noted_.empty() || !noted_.back().received.empty();
    if (to_server && answered) noted_.emplace_back();
    if (noted_.empty()) return;  // a reply to an exchange that was taken already
    (to_server ? noted_.back().sent : noted_.back().received) += bytes;
}

}  // namespace pawl::bench
