#include "support/proxied_connection.h"

#include "support/resp_stream.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace pawl::test {

namespace {

std::string capitals(std::string word)
{
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return word;
}

bool is_published(std::string_view bytes)
{
    return bytes.starts_with(">3\r\n$7\r\nmessage\r\n");
}

// Over RESP3 this push message is the only answer to a SUBSCRIBE, one for each channel.
bool confirms_subscription(std::string_view bytes)
{
    return bytes.starts_with(">3\r\n$9\r\nsubscribe\r\n");
}

}  // namespace

proxied_connection::proxied_connection(socket_fd client, socket_fd server, proxy_settings& settings)
    : client_{std::move(client)}, server_{std::move(server)}, settings_{settings}
{
}

bool proxied_connection::stalled() const
{
    return settings_.fault == proxy_fault::half_open;
}

short proxied_connection::events_of(const pipe& from, const pipe& to, proxy_clock::time_point now)
{
    int events = from.ended ? 0 : POLLIN;
    if (!to.outgoing.empty() && to.outgoing.front().due <= now) events |= POLLOUT;
    return static_cast<short>(events);
}

short proxied_connection::client_events(proxy_clock::time_point now) const
{
    return stalled() ? short{0} : events_of(up_, down_, now);
}

short proxied_connection::server_events(proxy_clock::time_point now) const
{
    return stalled() ? short{0} : events_of(down_, up_, now);
}

proxy_clock::time_point proxied_connection::next_due() const
{
    auto soonest = proxy_clock::time_point::max();
    if (stalled()) return soonest;
    if (!up_.outgoing.empty()) soonest = std::min(soonest, up_.outgoing.front().due);
    if (!down_.outgoing.empty()) soonest = std::min(soonest, down_.outgoing.front().due);
    return soonest;
}

bool proxied_connection::advance(bool client_ready, bool server_ready, proxy_clock::time_point now)
{
    if (stalled()) return true;
    if (client_ready) {
        read_into(up_, client_);
        take_requests(now);
    }
    if (server_ready) {
        read_into(down_, server_);
        take_replies(now);
    }
    const bool up_works = deliver(up_, server_, now);
    const bool down_works = deliver(down_, client_, now);
    if (close_now_ || !up_works) return false;
    if (down_.ended) return down_works && !up_.ended && !down_.outgoing.empty();
    if (!up_.ended) return true;

    // The client is gone, but what it sent must still be delivered. Closing the server's end with
    // unread replies would reset the connection, and the server might never read the requests.
    down_.lossy = true;
    down_.outgoing.clear();
    if (up_.outgoing.empty() && !std::exchange(said_goodbye_, true)) {
        ::shutdown(server_.get(), SHUT_WR);
    }
    return true;
}

void proxied_connection::read_into(pipe& direction, const socket_fd& source)
{
    std::array<char, 64 * 1024> block;
    while (!direction.ended) {
        const ssize_t count = ::read(source.get(), block.data(), block.size());
        if (count > 0) {
            direction.incoming.append(block.data(), static_cast<std::size_t>(count));
        } else if (count == 0) {
            direction.ended = true;
        } else if (errno != EINTR) {
            direction.ended = errno != EAGAIN;
            return;
        }
    }
}

void proxied_connection::take_requests(proxy_clock::time_point now)
{
    try {
        while (!raw_) {
            const auto length = first_value(up_.incoming);
            if (!length) return;
            std::string bytes = up_.incoming.substr(0, *length);
            up_.incoming.erase(0, *length);
            take_request(std::move(bytes), now);
        }
    } catch (const std::exception&) {
        raw_ = true;
    }
    forward(up_, std::exchange(up_.incoming, {}), now);
}

void proxied_connection::take_replies(proxy_clock::time_point now)
{
    try {
        while (!raw_) {
            const auto length = first_value(down_.incoming);
            if (!length) return;
            std::string bytes = down_.incoming.substr(0, *length);
            down_.incoming.erase(0, *length);
            take_reply(std::move(bytes), now);
        }
    } catch (const std::exception&) {
        raw_ = true;
    }
    forward(down_, std::exchange(down_.incoming, {}), now);
}

void proxied_connection::take_request(std::string bytes, proxy_clock::time_point now)
{
    const request words = request_words(bytes);
    if (words.empty()) return forward(up_, std::move(bytes), now);
    settings_.on_request(capitals(words.front()));
    if (settings_.fault == proxy_fault::drop_requests) up_.lossy = true;
    if (up_.lossy) return;
    expected_.push_back(rule_for(words));
    if (expected_.back()) --expected_.back()->left;
    forward(up_, std::move(bytes), now);
}

std::shared_ptr<swallow_rule> proxied_connection::rule_for(const request& words) const
{
    for (const auto& rule : settings_.rules) {
        if (rule->left > 0 && rule->wanted(words)) return rule;
    }
    return nullptr;
}

void proxied_connection::take_reply(std::string bytes, proxy_clock::time_point now)
{
    const bool was_asked_for = bytes.front() != '>' || confirms_subscription(bytes);
    if (was_asked_for && !expected_.empty()) {
        const auto rule = expected_.front();
        expected_.pop_front();
        if (rule && bytes.starts_with("-NOSCRIPT")) {
            ++rule->left;
        } else if (rule) {
            down_.lossy = true;
            close_now_ = rule->then == fault_proxy::afterwards::close;
            settings_.on_swallow();
        }
    }
    if (settings_.fault == proxy_fault::drop_replies) down_.lossy = true;
    if (loses_push(bytes)) return;
    if (!down_.lossy) forward(down_, std::move(bytes), now);
}

bool proxied_connection::loses_push(std::string_view bytes) const
{
    if (settings_.push_loss <= 0 || down_.lossy || !is_published(bytes)) return false;
    if (std::generate_canonical<double, 53>(settings_.chance) >= settings_.push_loss) return false;
    settings_.on_push_dropped();
    return true;
}

void proxied_connection::forward(pipe& direction, std::string bytes,
                                 proxy_clock::time_point now) const
{
    if (bytes.empty() || direction.lossy) return;
    direction.outgoing.push_back({.due = now + settings_.delay, .bytes = std::move(bytes)});
}

bool proxied_connection::deliver(pipe& direction, const socket_fd& sink,
                                 proxy_clock::time_point now)
{
    while (!direction.outgoing.empty() && direction.outgoing.front().due <= now) {
        std::string& bytes = direction.outgoing.front().bytes;
        const ssize_t count = ::send(sink.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno == EAGAIN || errno == ENOTCONN;
        bytes.erase(0, static_cast<std::size_t>(count));
        if (bytes.empty()) direction.outgoing.pop_front();
    }
    return true;
}

void proxied_connection::end(fault_proxy::ending how) noexcept
{
    if (how == fault_proxy::ending::reset) {
        reset_when_closed(client_);
        reset_when_closed(server_);
    }
    client_.reset();
    server_.reset();
}

}  // namespace pawl::test
