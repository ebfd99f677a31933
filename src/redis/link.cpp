#include "redis/link.h"

#include "redis/peer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <system_error>

namespace pawl::redis {
namespace {

// More than any reply that pawl asks for.
constexpr std::size_t most_unread = std::size_t{64} << 20U;

// Removing the bytes after every reply would cost more than the reply.
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

// Each TLS record begins with its type. No Redis reply and no other text begins with such a byte.
bool opens_tls_record(char first_byte)
{
    return first_byte >= 0x14 && first_byte <= 0x18;
}

}  // namespace

link::link(const server_config& config, const tls_context* tls, std::optional<resolution> host,
           base::boot_time until)
    : where_{&config.where},
      traffic_{config.counted_in.get()},
      until_{until},
      tls_context_{tls},
      handshake_{config}
{
    if (where_->what == address::kind::unix_socket) {
        connect_to({unix_address(where_->path)});
    } else {
        resolution_ = std::move(host);
        try_resolve();
    }
}

link::~link()
{
    // If it is not ready yet, its owner does not want it any more: that is not a failure.
    if (state_ == state::ready) count_end();
}

int link::fd() const noexcept
{
    if (state_ == state::resolving) return resolution_->fd();
    if (state_ == state::connecting) return race_->fd();
    return socket_.get();
}

short link::wanted() const noexcept
{
    if (state_ == state::resolving) return POLLIN;
    if (state_ == state::connecting) return race_->wanted();
    return static_cast<short>(output_sent_ < output_.size() ? POLLIN | POLLOUT : POLLIN);
}

void link::advance()
{
    if (state_ == state::resolving) try_resolve();
    if (state_ == state::connecting) try_connect();
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
    const auto addresses = resolution_->addresses();
    resolution_.reset();
    connect_to(addresses);
}

void link::connect_to(const std::vector<socket_address>& addresses)
{
    state_ = state::connecting;
    race_.emplace(addresses, until_);
    try_connect();
}

void link::try_connect()
{
    switch (race_->advance()) {
    case address_race::status::more: return;
    case address_race::status::failed: close(race_->problem()); break;
    case address_race::status::connected:
        socket_ = race_->take_socket();
        if (is_right_peer()) secure();
        break;
    }
    race_.reset();
}

// Called before the first byte is sent: it may contain a password, and the reply would be trusted.
bool link::is_right_peer()
{
    if (!where_->owner) return true;
    auto problem = problem_with_peer(socket_.get(), *where_->owner, where_->path);
    if (!problem) return true;
    close({failure_kind::refused, std::move(*problem)});
    return false;
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
        if (traffic_ != nullptr) traffic_->opened.add();
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
    // Written directly, without a copy, unless earlier output is still waiting.
    if (output_.empty()) plain_text.remove_prefix(write(plain_text));
    output_.append(plain_text);
}

void link::flush()
{
    const auto written = write(std::string_view{output_}.substr(output_sent_));
    output_sent_ += written;  // write() may have reset output_sent_
    if (output_sent_ < output_.size()) return;
    output_.clear();
    output_sent_ = 0;
}

// Returns how much of it the socket took. If the link was closed, it returns the whole size.
std::size_t link::write(std::string_view bytes)
{
    std::size_t written = 0;
    while (written < bytes.size()) {
        const auto rest = bytes.substr(written);
        const auto sent =
            ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            written += static_cast<std::size_t>(sent);
            if (traffic_ != nullptr) traffic_->bytes_sent.add(static_cast<std::uint64_t>(sent));
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return written;
        } else if (errno != EINTR) {
            const int error = errno;
            output_.clear();
            output_sent_ = 0;
            // A message that the server sent before it closed the connection explains more, mainly
            // a TLS alert.
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
    // From here on, the calls that must not block pass MSG_DONTWAIT.
    const int flags = ::fcntl(socket_.get(), F_GETFL);     // NOLINT(*-vararg)
    ::fcntl(socket_.get(), F_SETFL, flags & ~O_NONBLOCK);  // NOLINT(*-vararg,*-signed-*)
}

bool link::wait_and_read(bool alone)
{
    // On a Unix socket, a thread that waits in recv(2) is woken once more, for nothing, when the
    // server reads the request. If the processor has nothing else to do, that keeps it awake until
    // the reply comes, which is faster. Otherwise poll(2) costs less.
    if (where_->what == address::kind::unix_socket && !alone) {
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
        if (traffic_ != nullptr) traffic_->bytes_received.add(static_cast<std::uint64_t>(got));
        accept_bytes({chunk.data(), static_cast<std::size_t>(got)});
        if (input_.size() > most_unread) {
            close({failure_kind::unreachable, "a reply of more than 64 MiB"});
        }
        return static_cast<std::size_t>(got) < chunk.size() ? amount::all : amount::some;
    }
    if (got == 0) {
        hang_up("the server closed the connection");
    } else if (errno == EINTR) {
        return amount::some;
    } else if (errno != EAGAIN && errno != EWOULDBLOCK) {
        fail_system("recv", errno);
    }
    return amount::nothing;
}

void link::accept_bytes(std::string_view bytes)
{
    if (!std::exchange(heard_, true) && !is_right_protocol(bytes.front())) return;
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

bool link::is_right_protocol(char first_byte)
{
    if (opens_tls_record(first_byte) == (tls_ != nullptr)) return true;
    close({failure_kind::refused, tls_ ? "the server does not speak TLS: it looks like a plain "
                                         "port; use redis://"
                                       : "the server speaks TLS: it looks like a TLS port; use "
                                         "rediss://"});
    return false;
}

// Redis does not answer requests that it does not understand: a TLS port closes the connection on
// plain text.
void link::hang_up(std::string how)
{
    if (!heard_ && where_->what == address::kind::tcp) {
        how += tls_ ? "; if this is a plain port, use redis://"
                    : "; if this is a TLS port, use rediss://";
    }
    close({failure_kind::unreachable, std::move(how)});
}

failure link::not_ready_in_time() const
{
    switch (state_) {
    case state::resolving:
        return {failure_kind::unreachable,
                "host '" + where_->host + "': not looked up within the limit"};
    case state::securing:
        // A plain port waits for the end of a line, which never comes.
        return {failure_kind::unreachable,
                "no answer to the TLS handshake within the limit; if this is a plain port, use "
                "redis://"};
    case state::greeting:
        return {failure_kind::unreachable, "connected, but no answer within the limit"};
    default: return {failure_kind::unreachable, "no connection within the limit"};
    }
}

std::optional<reply_view> link::next_message()
{
    if (state_ == state::closed) return std::nullopt;
    // The former message was a view into the buffer. It is not needed any more.
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
    count_end();
    state_ = state::closed;
    problem_ = std::move(why);
}

void link::count_end()
{
    if (traffic_ == nullptr) return;
    (state_ == state::ready ? traffic_->ended : traffic_->failed).add();
}

void link::fail_system(const std::string& what, int error)
{
    hang_up(what + ": " + std::generic_category().message(error));
}

}  // namespace pawl::redis
