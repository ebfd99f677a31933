#include "support/subscriber.h"

#include "support/resp_stream.h"

#include <array>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>

namespace pawl::test {

subscriber::subscriber(const std::string& socket_path, const std::string& channel)
    : socket_{connect_unix(socket_path)}
{
    const std::string ask =
        "*2\r\n$9\r\nSUBSCRIBE\r\n$" + std::to_string(channel.size()) + "\r\n" + channel + "\r\n";
    if (::send(socket_.get(), ask.data(), ask.size(), MSG_NOSIGNAL) < 0 || !next_value(patience)) {
        throw std::runtime_error{"subscriber: cannot subscribe"};
    }
}

std::optional<std::string> subscriber::next(std::chrono::milliseconds limit)
{
    const auto value = next_value(limit);
    if (!value) return std::nullopt;
    // An array of strings, like a request: "message", the channel, the text.
    return request_words(*value).at(2);
}

std::optional<std::string> subscriber::next_value(std::chrono::milliseconds limit)
{
    const auto end = std::chrono::steady_clock::now() + limit;
    while (true) {
        if (const auto size = first_value(buffer_)) {
            std::string value = buffer_.substr(0, *size);
            buffer_.erase(0, *size);
            return value;
        }
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        pollfd ready{.fd = socket_.get(), .events = POLLIN, .revents = 0};
        if (left.count() <= 0 || ::poll(&ready, 1, static_cast<int>(left.count())) <= 0) {
            return std::nullopt;
        }
        std::array<char, 4096> chunk;
        const auto got = ::recv(socket_.get(), chunk.data(), chunk.size(), 0);
        if (got <= 0) throw std::runtime_error{"subscriber: the connection has ended"};
        buffer_.append(chunk.data(), static_cast<std::size_t>(got));
    }
}

}  // namespace pawl::test
