// A socket that closes itself, of the loopback interface or of a path.
#pragma once

#include <cstdint>
#include <string>

namespace pawl::test {

class socket_fd {
public:
    socket_fd() noexcept = default;
    explicit socket_fd(int fd) noexcept : fd_{fd} {}
    ~socket_fd();
    socket_fd(socket_fd&& other) noexcept;
    socket_fd& operator=(socket_fd&& other) noexcept;
    socket_fd(const socket_fd&) = delete;
    socket_fd& operator=(const socket_fd&) = delete;

    [[nodiscard]] int get() const noexcept { return fd_; }
    [[nodiscard]] explicit operator bool() const noexcept { return fd_ >= 0; }
    void close() noexcept;

    // The peer gets a reset instead of an orderly end.
    void reset() noexcept;

private:
    int fd_ = -1;
};

// Bound to 127.0.0.1, not blocking, not listening yet; port 0 takes a free one. Throws when the port
// is taken.
[[nodiscard]] socket_fd bind_loopback(std::uint16_t port);

// Being connected to 127.0.0.1, not blocking. Empty when that failed at once.
[[nodiscard]] socket_fd connect_loopback(std::uint16_t port);

// Connected to a Unix socket, blocking. Throws when that fails.
[[nodiscard]] socket_fd connect_unix(const std::string& path);

[[nodiscard]] std::uint16_t local_port(const socket_fd& socket);

}  // namespace pawl::test
