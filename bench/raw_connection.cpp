#include "raw_connection.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <system_error>

namespace pawl::bench {
namespace {

constexpr timeval longest_silence{.tv_sec = 5, .tv_usec = 0};
constexpr std::string_view line_end = "\r\n";

[[noreturn]] void fail(const char* what)
{
    throw std::system_error{errno, std::generic_category(), what};
}

template <class Address>
bool connect_to(int fd, const Address& address)
{
    return ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

bool connect_unix(int fd, std::string_view path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) throw std::runtime_error{"the path is too long"};
    path.copy(address.sun_path, path.size());
    return connect_to(fd, address);
}

bool connect_tcp(int fd, std::uint16_t port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int yes = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return connect_to(fd, address);
}

}  // namespace

std::string request(std::initializer_list<std::string_view> words)
{
    std::string text = "*" + std::to_string(words.size()) + "\r\n";
    for (const std::string_view word : words) {
        text += "$" + std::to_string(word.size()) + "\r\n";
        text += word;
        text += line_end;
    }
    return text;
}

test::socket_fd open_socket(const std::string& url)
{
    constexpr std::string_view unix_scheme = "unix:";
    const bool local = url.starts_with(unix_scheme);
    test::socket_fd socket{::socket(local ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0),
                           "socket"};
    const int fd = socket.get();
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &longest_silence, sizeof longest_silence);
    ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &longest_silence, sizeof longest_silence);
    const bool connected =
        local ? connect_unix(fd, std::string_view{url}.substr(unix_scheme.size()))
              : connect_tcp(fd,
                            static_cast<std::uint16_t>(std::stoul(url.substr(url.rfind(':') + 1))));
    if (!connected) throw std::system_error{errno, std::generic_category(), "connect to " + url};
    return socket;
}

void send_all(const test::socket_fd& socket, std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) fail("send to the server");
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
}

raw_connection::raw_connection(const std::string& url) : socket_{open_socket(url)} {}

void raw_connection::send(std::string_view bytes)
{
    send_all(socket_, bytes);
}

std::string_view raw_connection::waiting() const noexcept
{
    return {buffer_.data() + from_, to_ - from_};
}

// False if nothing is there and the flags say not to wait.
bool raw_connection::receive(int flags)
{
    if (from_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + from_, to_ - from_);
        to_ -= from_;
        from_ = 0;
    }
    if (to_ == buffer_.size()) throw std::runtime_error{"a line of the server is too long"};
    while (true) {
        const ssize_t got =
            ::recv(socket_.get(), buffer_.data() + to_, buffer_.size() - to_, flags);
        if (got > 0) {
            to_ += static_cast<std::size_t>(got);
            return true;
        }
        if (got == 0) throw std::runtime_error{"the server closed the connection"};
        if (errno == EINTR) continue;
        if (errno != EAGAIN) fail("receive from the server");
        if ((flags & MSG_DONTWAIT) != 0) return false;
        throw std::runtime_error{"the server sent nothing for 5 s"};
    }
}

std::optional<std::string_view> raw_connection::line_at_hand()
{
    const std::size_t end = waiting().find(line_end);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = waiting().substr(0, end);
    from_ += end + line_end.size();
    return line;
}

std::string_view raw_connection::read_line()
{
    while (true) {
        if (const auto line = line_at_hand()) return *line;
        (void)receive(0);
    }
}

void raw_connection::speak_resp3()
{
    send(request({"HELLO", "3"}));
    send(request({"PING"}));
    while (read_line() != "+PONG") {
    }
}

std::string_view raw_connection::ask(std::string_view bytes)
{
    send(bytes);
    const std::string_view line = read_line();
    if (line.starts_with('-')) throw std::runtime_error{"the server returned " + std::string{line}};
    return line;
}

std::string raw_connection::ask_text(std::string_view bytes)
{
    const std::size_t size = std::stoul(std::string{ask(bytes).substr(1)});
    while (waiting().size() < size + line_end.size()) (void)receive(0);
    std::string text{waiting().substr(0, size)};
    from_ += size + line_end.size();
    return text;
}

std::string raw_connection::load(std::string_view script)
{
    return ask_text(request({"SCRIPT", "LOAD", script}));
}

std::optional<std::string_view> raw_connection::line_within(std::chrono::milliseconds limit)
{
    const auto end = std::chrono::steady_clock::now() + limit;
    while (waiting().find(line_end) == std::string_view::npos) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            end - std::chrono::steady_clock::now());
        pollfd wanted{.fd = socket_.get(), .events = POLLIN, .revents = 0};
        if (left.count() <= 0 || ::poll(&wanted, 1, static_cast<int>(left.count())) <= 0) return {};
        (void)receive(MSG_DONTWAIT);
    }
    return read_line();
}

void raw_connection::subscribe(std::string_view channel)
{
    send(request({"SUBSCRIBE", channel}));
    // Three elements. Two of them are strings, each after its size.
    constexpr int lines_of_reply = 6;
    for (int i = 0; i < lines_of_reply; ++i) (void)read_line();
    message_size_ = request({"message", channel, notice}).size();
}

void raw_connection::await_message()
{
    while (waiting().size() < message_size_) (void)receive(0);
    from_ += message_size_;
}

void raw_connection::drop_messages()
{
    do {
        from_ += waiting().size() / message_size_ * message_size_;
    } while (receive(MSG_DONTWAIT));
}

}  // namespace pawl::bench
