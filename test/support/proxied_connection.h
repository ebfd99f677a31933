// One connection through the fault proxy: two sockets, and a pipe for each direction. A pipe splits
// the stream into messages, decides about each, and delivers it when its time has come.
#pragma once

#include "support/fault_proxy.h"
#include "support/socket.h"

#include <chrono>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <string_view>

namespace pawl::test {

using proxy_clock = std::chrono::steady_clock;

enum class proxy_fault { pass, drop_replies, drop_requests, half_open };

struct swallow_rule {
    request_predicate wanted;
    std::size_t left;
    fault_proxy::afterwards then;
};

// The settings that all connections share. The proxy's thread owns them.
struct proxy_settings {
    proxy_fault fault = proxy_fault::pass;
    std::chrono::milliseconds delay{0};
    std::vector<std::shared_ptr<swallow_rule>> rules;
    double push_loss = 0;
    std::mt19937_64 chance{1};  // NOLINT(*-msc51-cpp): the same in every run
    std::function<void(const std::string& command)> on_request;
    std::function<void()> on_swallow;
    std::function<void()> on_push_dropped;
};

class proxied_connection {
public:
    proxied_connection(socket_fd client, socket_fd server, proxy_settings& settings);

    [[nodiscard]] int client_fd() const noexcept { return client_.get(); }
    [[nodiscard]] int server_fd() const noexcept { return server_.get(); }

    // What poll() should wait for at each end.
    [[nodiscard]] short client_events(proxy_clock::time_point now) const;
    [[nodiscard]] short server_events(proxy_clock::time_point now) const;

    // When the next held-back message is due. The far future if there is none.
    [[nodiscard]] proxy_clock::time_point next_due() const;

    // Moves all bytes that can be moved. False if the connection has ended.
    [[nodiscard]] bool advance(bool client_ready, bool server_ready, proxy_clock::time_point now);

    // Whether the client has closed its end.
    [[nodiscard]] bool client_gone() const noexcept { return up_.ended; }

    void end(fault_proxy::ending how) noexcept;

private:
    // One direction.
    struct pipe {
        struct piece {
            proxy_clock::time_point due;
            std::string bytes;
        };
        std::string incoming;  // not yet a complete message
        std::deque<piece> outgoing;
        bool lossy = false;  // bytes were lost: nothing passes any more
        bool ended = false;  // the source has closed
    };

    [[nodiscard]] bool stalled() const;
    void read_into(pipe& direction, const socket_fd& source);
    void take_requests(proxy_clock::time_point now);
    void take_replies(proxy_clock::time_point now);
    void take_request(std::string bytes, proxy_clock::time_point now);
    void take_reply(std::string bytes, proxy_clock::time_point now);
    [[nodiscard]] bool loses_push(std::string_view bytes) const;
    void forward(pipe& direction, std::string bytes, proxy_clock::time_point now) const;
    [[nodiscard]] std::shared_ptr<swallow_rule> rule_for(const request& words) const;
    [[nodiscard]] static bool deliver(pipe& direction, const socket_fd& sink,
                                      proxy_clock::time_point now);
    [[nodiscard]] static short events_of(const pipe& from, const pipe& to,
                                         proxy_clock::time_point now);

    socket_fd client_;
    socket_fd server_;
    proxy_settings& settings_;
    pipe up_;    // client → server
    pipe down_;  // server → client
    std::deque<std::shared_ptr<swallow_rule>>
        expected_;      // the rule of each outstanding reply, or none
    bool raw_ = false;  // not RESP: bytes are passed on unchanged
    bool close_now_ = false;
    bool said_goodbye_ = false;  // the server knows that the client has closed
};

}  // namespace pawl::test
