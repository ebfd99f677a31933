#include "redis/link.h"

#include "base/clock.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <system_error>

namespace pawl::redis {
namespace {

base::unique_fd open_socket(const socket_address& address)
{
    const int family = address.storage.ss_family;
    base::unique_fd fd{::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    if (fd && family != AF_UNIX) {
        const auto set = [&](int level, int option, int value) {
            ::setsockopt(fd.get(), level, option, &value, sizeof value);
        };
        // Requests are small and waited for.
        set(IPPROTO_TCP, TCP_NODELAY, 1);
        // A lost peer is noticed while idle, and a firewall does not forget us: in seconds.
        set(SOL_SOCKET, SO_KEEPALIVE, 1);
        set(IPPROTO_TCP, TCP_KEEPIDLE, 30);
        set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
        set(IPPROTO_TCP, TCP_KEEPCNT, 3);
    }
    return fd;
}

// Nothing that we ask for is answered at such length.
constexpr std::size_t most_unread = std::size_t{64} << 20U;

// Shifting the rest down on every reply would cost more than the reply.
void drop_read_bytes(std::string& buffer, std::size_t& read)
{
    constexpr std::size_t worth_moving = 4096;
    if (read == buffer.size()) {
        buffer.clear();
        read = 0;
    } else if (read >= worth_moving) {
        buffer.erase(0, read);
        read = 0;
    }
}

}  // namespace

link::link(const server_config& config, const tls_context* tls, std::optional<resolution> host)
    : is_unix_{config.where.what == address::kind::unix_socket},
      tls_context_{tls},
      handshake_{config}
{
    if (is_unix_) {
        addresses_.push_back(unix_address(config.where.path));
        try_next_address();
    } else {
        resolution_ = std::move(host);
        try_resolve();
    }
}

int link::fd() const noexcept
{
    if (state_ == state::resolving) return resolution_->fd();
    return socket_.get();
}

short link::wanted() const noexcept
{
    if (state_ == state::resolving) return POLLIN;
    if (state_ == state::connecting) return POLLOUT;
    return static_cast<short>(output_sent_ < output_.size() ? POLLIN | POLLOUT : POLLIN);
}

void link::advance()
{
    if (state_ == state::resolving) try_resolve();
    if (state_ == state::connecting) finish_connect();
    if (state_ >= state::securing && state_ < state::closed) {
        flush();
        fill();
    }
    if (state_ == state::securing) secure();
    if (state_ == state::greeting) read_greetings();
}

void link::try_resolve()
{
    if (!resolution_->finished()) return;
    if (resolution_->addresses().empty()) {
        close({failure_kind::unreachable, resolution_->problem()});
        return;
    }
    addresses_ = resolution_->addresses();
    std::ranges::reverse(addresses_);
    resolution_.reset();
    try_next_address();
}

void link::try_next_address()
{
    while (!addresses_.empty()) {
        const auto address = addresses_.back();
        addresses_.pop_back();
        state_ = state::connecting;
        socket_ = open_socket(address);
        const auto* generic =
            reinterpret_cast<const sockaddr*>(&address.storage);  // NOLINT(*-cast)
        if (socket_ && ::connect(socket_.get(), generic, address.length) == 0) {
            secure();
            return;
        }
        if (socket_ && errno == EINPROGRESS) return;
        fail_system("connect", errno);
    }
}

void link::finish_connect()
{
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error == 0) {
        pollfd probe{socket_.get(), POLLOUT, 0};
        if (::poll(&probe, 1, 0) == 0) return;  // not yet
        secure();
        return;
    }
    fail_system("connect", error);
    try_next_address();
}

void link::secure()
{
    if (tls_context_ == nullptr) {
        greet();
        return;
    }
    if (!tls_) tls_ = std::make_unique<tls_session>(*tls_context_);
    state_ = state::securing;
    const auto status = tls_->handshake();
    tls_->take_output(output_);
    flush();
    if (state_ == state::closed) return;
    if (status == tls_session::status::failed) {
        close({failure_kind::refused, "TLS: " + tls_->problem()});
    } else if (status == tls_session::status::ok) {
        greet();
    }
}

void link::greet()
{
    state_ = state::greeting;
    std::string requests;
    const auto status = handshake_.start(requests);
    queue(requests);
    on_greeting(status);
}

void link::read_greetings()
{
    while (state_ == state::greeting) {
        const auto reply = next_reply();
        if (!reply) return;
        std::string requests;
        const auto status = handshake_.on_reply(*reply, requests);
        queue(requests);
        on_greeting(status);
    }
}

void link::on_greeting(handshake::status status)
{
    if (status == handshake::status::failed) close(handshake_.problem());
    if (status == handshake::status::done && state_ == state::greeting) {
        handshake_.note_time(base::boot_clock::now());
        state_ = state::ready;
    }
}

void link::send(std::string_view requests)
{
    assert(state_ == state::ready);
    queue(requests);
}

void link::queue(std::string_view plain_text)
{
    if (plain_text.empty()) return;
    if (tls_) {
        if (tls_->send(plain_text) != tls_session::status::ok) {
            close({failure_kind::unreachable, "TLS: " + tls_->problem()});
            return;
        }
        tls_->take_output(output_);
        flush();
        return;
    }
    // Straight from where it is, unless something waits to be written before it.
    if (output_.empty()) plain_text.remove_prefix(write(plain_text));
    output_.append(plain_text);
}

void link::flush()
{
    const auto written = write(std::string_view{output_}.substr(output_sent_));
    output_sent_ += written;  // which may have begun anew
    if (output_sent_ < output_.size()) return;
    output_.clear();
    output_sent_ = 0;
}

// How much of it the socket took. When the link is closed, nothing is left to be written.
std::size_t link::write(std::string_view bytes)
{
    std::size_t written = 0;
    while (written < bytes.size()) {
        const auto rest = bytes.substr(written);
        const auto sent =
            ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            written += static_cast<std::size_t>(sent);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return written;
        } else if (errno != EINTR) {
            const int error = errno;
            output_.clear();
            output_sent_ = 0;
            // What the server said before it hung up explains more: a TLS alert above all.
            if (!std::exchange(hung_up_, true)) fill();
            fail_system("send", error);
            return bytes.size();
        }
    }
    return written;
}

void link::fill()
{
    while (state_ != state::closed && read_once(MSG_DONTWAIT) == amount::some) {
    }
}

void link::may_wait(std::chrono::milliseconds longest)
{
    assert(state_ == state::ready);
    longest_wait_ = longest;
    const auto s = std::chrono::floor<std::chrono::seconds>(longest);
    const std::chrono::microseconds us = longest - s;
    const timeval limit{s.count(), us.count()};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    // From here on, whoever is not to wait says so in each call.
    const int flags = ::fcntl(socket_.get(), F_GETFL);     // NOLINT(*-vararg)
    ::fcntl(socket_.get(), F_SETFL, flags & ~O_NONBLOCK);  // NOLINT(*-vararg,*-signed-*)
}

bool link::wait_and_read(bool alone)
{
    // At a Unix socket, whoever waits in recv(2) is woken once more, for nothing, when the server takes
    // the request. A processor that has nothing else to do is awake then when the answer comes. If
    // it has, poll(2) costs less.
    if (is_unix_ && !alone) {
        pollfd input{socket_.get(), POLLIN, 0};
        if (::poll(&input, 1, static_cast<int>(longest_wait_.count())) <= 0) return false;
    }
    const auto got = read_once(0);
    if (got == amount::some) fill();
    return got != amount::nothing;
}

// `some`: there may be more.
link::amount link::read_once(int flags)
{
    std::array<char, 16384> chunk;  // NOLINT(*-member-init): filled by recv
    const auto got = ::recv(socket_.get(), chunk.data(), chunk.size(), flags);
    if (got > 0) {
        accept_bytes({chunk.data(), static_cast<std::size_t>(got)});
        if (input_.size() > most_unread) {
            close({failure_kind::unreachable, "a reply of more than 64 MiB"});
        }
        return static_cast<std::size_t>(got) < chunk.size() ? amount::all : amount::some;
    }
    if (got == 0) {
        close({failure_kind::unreachable, "the server closed the connection"});
    } else if (errno == EINTR) {
        return amount::some;
    } else if (errno != EAGAIN && errno != EWOULDBLOCK) {
        fail_system("recv", errno);
    }
    return amount::nothing;
}

void link::accept_bytes(std::string_view bytes)
{
    if (!tls_) {
        input_.append(bytes);
        return;
    }
    const auto status = tls_->receive(bytes, input_);
    tls_->take_output(output_);
    flush();
    if (state_ == state::closed) return;
    if (status == tls_session::status::closed) {
        close({failure_kind::unreachable, "the server closed the connection"});
    } else if (status == tls_session::status::failed) {
        // TLS 1.3 servers refuse a client's certificate only after the handshake.
        const bool early = state_ != state::ready;
        close(
            {early ? failure_kind::refused : failure_kind::unreachable, "TLS: " + tls_->problem()});
    }
}

std::optional<reply_view> link::next_message()
{
    if (state_ == state::closed) return std::nullopt;
    // The former message, which was a view into the buffer, is not needed any more.
    if (handed_out_) {
        input_read_ += parser_.consumed();
        parser_.reset();
        handed_out_ = false;
        drop_read_bytes(input_, input_read_);
    }
    const auto rest = std::string_view{input_}.substr(input_read_);
    if (rest.empty()) return std::nullopt;
    switch (parser_.parse(rest)) {
    case parse_status::more: return std::nullopt;
    case parse_status::malformed:
        close({failure_kind::unreachable, "not a Redis reply: " + parser_.problem()});
        return std::nullopt;
    case parse_status::complete: break;
    }
    handed_out_ = true;
    return parser_.reply(rest);
}

std::optional<reply_view> link::next_reply()
{
    auto next = next_message();
    while (next && next->type() == resp_type::push) next = next_message();
    return next;
}

void link::close(failure why)
{
    if (state_ == state::closed) return;
    state_ = state::closed;
    problem_ = std::move(why);
}

void link::fail_system(const std::string& what, int error)
{
    close({failure_kind::unreachable, what + ": " + std::generic_category().message(error)});
}

}  // namespace pawl::redis
