// A subscriber to one channel of a server, on a separate connection that uses RESP2.
#pragma once

#include "support/eventually.h"
#include "support/socket.h"

#include <chrono>
#include <optional>
#include <string>

namespace pawl::test {

class subscriber {
public:
    // Returns when it is subscribed.
    subscriber(const std::string& socket_path, const std::string& channel);

    // The next message, or nothing if none comes in time.
    [[nodiscard]] std::optional<std::string> next(std::chrono::milliseconds limit = patience);

private:
    [[nodiscard]] std::optional<std::string> next_value(std::chrono::milliseconds limit);

    socket_fd socket_;
    std::string buffer_;
};

}  // namespace pawl::test
