// Finds the addresses of a host name without blocking the caller.
//
// getaddrinfo() has no time limit, so it runs on a separate thread. No caller waits for the end of
// that thread. The result is in shared memory. Numeric addresses need no thread.
#pragma once

#include "common/unique_fd.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pawl::redis {

struct socket_address {
    sockaddr_storage storage{};
    socklen_t length{};
};

class resolution {
public:
    // Starts the lookup.
    resolution(const std::string& host, std::uint16_t port);

    // Readable when there is an answer.
    [[nodiscard]] int fd() const noexcept;
    [[nodiscard]] bool finished() const noexcept;

    // When finished. Empty if the name is unknown, and then problem() says why.
    [[nodiscard]] const std::vector<socket_address>& addresses() const noexcept;
    [[nodiscard]] const std::string& problem() const noexcept;

private:
    struct shared;
    std::shared_ptr<shared> shared_;
};

// The address of a Unix socket. The path must fit.
[[nodiscard]] socket_address unix_address(const std::string& path);

}  // namespace pawl::redis
