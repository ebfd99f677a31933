#include "support/resp_connection.h"

#include <array>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/time.h>

namespace pawl::test {

resp_connection::resp_connection(const std::string& path) : socket_{connect_unix(path)}
{
    const timeval limit{.tv_sec = 10, .tv_usec = 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    const std::array<std::string_view, 2> hello{"HELLO", "3"};
    if (!ask(hello).starts_with('%')) throw std::runtime_error{"resp_connection: no RESP3"};
}

std::string resp_connection::ask(std::span<const std::string_view> words)
{
    std::string request;
    redis::append_request(request, words);
    send(request);
    return read();
}

std::string resp_connection::read()
{
    while (true) {
        const auto status = parser_.parse(buffer_);
        if (status == redis::parse_status::complete) break;
        if (status == redis::parse_status::malformed) {
            throw std::runtime_error{"resp_connection: " + parser_.problem()};
        }
        std::array<char, 16384> chunk;
        const auto got = ::recv(socket_.get(), chunk.data(), chunk.size(), 0);
        if (got <= 0) throw std::runtime_error{"resp_connection: no reply"};
        buffer_.append(chunk.data(), static_cast<std::size_t>(got));
    }
    std::string reply = buffer_.substr(0, parser_.consumed());
    buffer_.erase(0, parser_.consumed());
    parser_.reset();
    return reply;
}

void resp_connection::send(std::string_view bytes)
{
    while (!bytes.empty()) {
        const auto sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) throw std::runtime_error{"resp_connection: cannot send"};
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
}

}  // namespace pawl::test
