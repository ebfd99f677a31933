// A connection to a server that shows a test the bytes of each RESP3 reply.
#pragma once

#include "redis/resp.h"
#include "support/socket.h"

#include <span>
#include <string>
#include <string_view>

namespace pawl::test {

class resp_connection {
public:
    // Connects to a Unix socket and sends HELLO 3. Throws if that fails. Each call throws if there
    // is no reply within seconds.
    explicit resp_connection(const std::string& path);

    // Sends a request and returns the reply.
    std::string ask(std::span<const std::string_view> words);

    // The next reply, or push message.
    std::string read();

private:
    void send(std::string_view bytes);

    socket_fd socket_;
    redis::reply_parser parser_;
    std::string buffer_;
};

}  // namespace pawl::test
