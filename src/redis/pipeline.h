// The client's shared connection, on its event loop. All requests of one turn of the loop are sent
// in one write, and the replies come back in the same order.
//
// It connects at the first request, or earlier by connect(). When the connection breaks, all
// outstanding requests fail, and their callers may repeat them. A late reply is waited for as long
// as the connection shows signs of life or is known to be slow: making a new connection would take
// longer.
//
// When there is a listener, it connects at once and again after every break. The first command that
// it sends is then SUBSCRIBE:
//
//   the server                  answers SUBSCRIBE with           then
//   speaks RESP3                a message, not a reply           sends messages until the break
//   does so but refuses it      an error, a reply like others    serves requests, sends no messages
//   speaks RESP2                is not asked                     the same
#pragma once

#include "base/clock.h"
#include "base/event_loop.h"
#include "redis/failure.h"
#include "redis/link.h"
#include "redis/server.h"
#include "redis/transport.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace pawl::redis {

class pipeline {
public:
    using writer = transport::writer;
    using reader = transport::reader;
    using limits = transport::limits;

    // `left` is called on the loop's thread when the server turned out to be the wrong one.
    pipeline(
        base::event_loop& loop, const server& server, limits within,
        std::function<void()> left = [] {})
        : loop_{&loop}, server_{&server}, limits_{within}, left_{std::move(left)}
    {
    }

    // On the loop's thread only. `done` is called on it too, later: for each reply, or once for the
    // failure. If nothing arrives for longer than `patience`, the connection may be considered
    // dead.
    void call(writer request, std::chrono::milliseconds patience, reader done);

    // Connects before the first request.
    void connect();

    // On the loop's thread only: another connection found out at `when` that the server is the
    // wrong one. A connection from before that time is closed, and opened again as after any other
    // break.
    void leave(base::boot_time when);

    // On the loop's thread only, once. `who` is called on it too, and may make requests. When the
    // connection breaks, `who` is told before the callers of outstanding requests.
    void listen(std::string channel, listener& who);

private:
    struct asked {
        writer request;
        std::chrono::milliseconds patience;
        reader done;  // null: it is the SUBSCRIBE
    };
    struct pending {
        std::chrono::milliseconds patience;
        reader done;
        base::boot_time sent;
        base::boot_time until;  // when to check it
        unsigned replies;       // outstanding replies
    };

    void start();
    void on_ready();
    void dial();
    void advance();
    void settle();
    void close(const failure& why);
    void watch();
    void unwatch();
    void on_connected();
    void subscribe();
    void send_waiting();
    void read_messages();
    void on_push(const reply_view& message);
    void on_reply(const reply_view& reply);
    reader take_answered();
    void plan_to_connect();
    void look_at(base::boot_time when);
    void on_timer();
    [[nodiscard]] bool is_to_be_left(server_role role) const;
    [[nodiscard]] bool is_dead(const pending& waiting, base::boot_time now) const;

    // The pause between the end of a connection and the next attempt. It is doubled after each
    // failure.
    static constexpr std::chrono::milliseconds shortest_pause{50};
    static constexpr std::chrono::milliseconds longest_pause{1'000};

    base::event_loop* loop_;
    const server* server_;
    limits limits_;
    std::function<void()> left_;

    std::unique_ptr<link> link_;
    int watched_fd_ = -1;
    std::uint32_t watched_events_ = 0;
    base::boot_time dialled_{};
    base::boot_time heard_{};               // when the server last sent something
    base::boot_clock::duration slowest_{};  // the slowest answer on this connection, which decays
    bool start_posted_ = false;
    bool reading_ = false;  // replies are read now, and requests are sent afterwards
    server_role wrong_role_ = server_role::unknown;  // the replies before it are handled first
    std::deque<asked> unsent_;
    std::deque<pending> sent_;
    std::string requests_;  // a member, to reuse its memory
    // Set at or before the time when the first outstanding request must be checked. Mostly it is
    // earlier, because it is not moved when a request is answered.
    std::optional<base::event_loop::timer> timer_;

    listener* listener_ = nullptr;  // null: there is none
    std::string channel_;
    bool listening_ = false;  // SUBSCRIBE was confirmed on this connection
    std::chrono::milliseconds pause_ = shortest_pause;      // before connecting again
    std::optional<base::event_loop::timer> connect_timer_;  // at the end of the pause
};

}  // namespace pawl::redis
