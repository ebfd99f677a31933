#include "support/silent_listener.h"

#include <arpa/inet.h>
#include <cerrno>
#include <netinet/in.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <system_error>

namespace pawl::test {

silent_listener::silent_listener(const std::string& address, std::uint16_t port)
    : listening_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)},
      filler_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)}
{
    const auto require = [](bool good, const char* what) {
        if (!good) throw std::system_error{errno, std::generic_category(), what};
    };
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_port = htons(port);
    require(::inet_pton(AF_INET, address.c_str(), &where.sin_addr) == 1, "inet_pton");
    auto* const generic = reinterpret_cast<sockaddr*>(&where);
    socklen_t size = sizeof where;
    require(::bind(listening_.get(), generic, size) == 0, "bind");
    require(::listen(listening_.get(), 0) == 0, "listen");
    require(::getsockname(listening_.get(), generic, &size) == 0, "getsockname");
    require(::connect(filler_.get(), generic, size) == 0, "connect");
    // When the listener sees the first connection, there is no room for a second one.
    pollfd taken{listening_.get(), POLLIN, 0};
    constexpr int patience_ms = 15'000;
    if (::poll(&taken, 1, patience_ms) != 1) throw std::runtime_error{"no connection arrived"};
}

void silent_listener::make_room()
{
    taken_ = socket_fd{::accept(listening_.get(), nullptr, nullptr)};
    if (!taken_) throw std::system_error{errno, std::generic_category(), "accept"};
}

}  // namespace pawl::test
