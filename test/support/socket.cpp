#include "support/socket.h"

#include <arpa/inet.h>
#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>

namespace pawl::test {

namespace {

[[noreturn]] void fail(const char* what)
{
    throw std::system_error{errno, std::generic_category(), what};
}

sockaddr_in loopback(std::uint16_t port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

socket_fd new_socket()
{
    return {::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "socket"};
}

}  // namespace

void reset_when_closed(const socket_fd& socket) noexcept
{
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

socket_fd bind_loopback(std::uint16_t port)
{
    socket_fd fd = new_socket();
    const int yes = 1;
    ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    const sockaddr_in address = loopback(port);
    if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        fail("bind to 127.0.0.1");
    }
    return fd;
}

void send_at_once(const socket_fd& fd)
{
    const int yes = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

socket_fd connect_loopback(std::uint16_t port, const std::string& source)
{
    socket_fd fd = new_socket();
    send_at_once(fd);
    sockaddr_in own = loopback(0);
    if (::inet_pton(AF_INET, source.c_str(), &own.sin_addr) != 1) return {};
    // The port is chosen when it connects, so that connections to different servers may share it.
    const int yes = 1;
    ::setsockopt(fd.get(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof yes);
    if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0) return {};
    const sockaddr_in address = loopback(port);
    const auto* where = reinterpret_cast<const sockaddr*>(&address);
    if (::connect(fd.get(), where, sizeof address) != 0 && errno != EINPROGRESS) return {};
    return fd;
}

socket_fd connect_unix(const std::string& path)
{
    socket_fd fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"};
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        fail("connect to a path");
    }
    path.copy(address.sun_path, path.size());
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        fail("connect to a path");
    }
    return fd;
}

std::uint16_t local_port(const socket_fd& socket)
{
    sockaddr_in address{};
    socklen_t size = sizeof address;
    if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        fail("getsockname");
    }
    return ntohs(address.sin_port);
}

}  // namespace pawl::test
