// A port of the loopback network at which no new connection is ever accepted: the kernel drops the
// first packet of each, as a firewall does.
#pragma once

#include "support/socket.h"

#include <cstdint>
#include <string>

namespace pawl::test {

class silent_listener {
public:
    // Port 0 selects a free port.
    explicit silent_listener(const std::string& address, std::uint16_t port = 0);

    [[nodiscard]] std::uint16_t port() const { return local_port(listening_); }

    // From now on waiting connections are accepted when they try again. The system does that by
    // itself, after about a second.
    void make_room();

private:
    socket_fd listening_;
    socket_fd filler_;  // the only connection for which there is room
    socket_fd taken_;   // its other end, when it was accepted
};

}  // namespace pawl::test
