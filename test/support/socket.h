// Sockets on the loopback interface or on a path.
#pragma once

#include "common/unique_fd.h"

#include <cstdint>
#include <string>

namespace pawl::test {

using socket_fd = common::unique_fd;

// When it is closed, the peer gets a reset instead of an orderly end.
void reset_when_closed(const socket_fd& socket) noexcept;

// Bound to 127.0.0.1, non-blocking, not listening yet. Port 0 selects a free port. Throws if the
// port is in use.
[[nodiscard]] socket_fd bind_loopback(std::uint16_t port);

// Small messages are not held back (TCP_NODELAY).
void send_at_once(const socket_fd& fd);

// Connecting to 127.0.0.1 from an address of the loopback device, non-blocking. Empty if that failed at
// once.
[[nodiscard]] socket_fd connect_loopback(std::uint16_t port, const std::string& source);

// Connected to a Unix socket, blocking. Throws if that fails.
[[nodiscard]] socket_fd connect_unix(const std::string& path);

[[nodiscard]] std::uint16_t local_port(const socket_fd& socket);

}  // namespace pawl::test
