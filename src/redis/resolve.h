// Host names to addresses, without ever blocking the caller for longer than he wants.
//
// getaddrinfo() has no limit of its own, so it runs on a thread that nobody waits for; what it finds
// is left in a shared place. Numbers need no thread.
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
    // Starts looking.
    resolution(const std::string& host, std::uint16_t port);

    // Readable as soon as there is an answer.
    [[nodiscard]] int fd() const noexcept;
    [[nodiscard]] bool finished() const noexcept;

    // When finished: none if the name is unknown, and then problem() says more.
    [[nodiscard]] const std::vector<socket_address>& addresses() const noexcept;
    [[nodiscard]] const std::string& problem() const noexcept;

private:
    struct shared;
    std::shared_ptr<shared> shared_;
};

// The address of a Unix socket; the path must fit.
[[nodiscard]] socket_address unix_address(const std::string& path);

}  // namespace pawl::redis
