// Sockets of the loopback interface or of a path.
#pragma once

#include "common/unique_fd.h"

#include <cstdint>
#include <string>

namespace pawl::test {

using socket_fd = common::unique_fd;

// Once it is closed, the peer gets a reset instead of an orderly end.
void reset_when_closed(const socket_fd& socket) noexcept;

// Bound to 127.0.0.1, not blocking, not listening yet; port 0 takes a free one. Throws when the port
// is taken.
[[nodiscard]] socket_fd bind_loopback(std::uint16_t port);

// Being connected to 127.0.0.1, not blocking. Empty when that failed at once.
[[nodiscard]] socket_fd connect_loopback(std::uint16_t port);

// Connected to a Unix socket, blocking. Throws when that fails.
[[nodiscard]] socket_fd connect_unix(const std::string& path);

[[nodiscard]] std::uint16_t local_port(const socket_fd& socket);

}  // namespace pawl::test
