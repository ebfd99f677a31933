// The client's shared connection, on its event loop. All requests of one turn of the loop are sent
// in one write, and the replies come back in the same order.
//
// It connects at the first request, or earlier by connect(). When the connection breaks, all
// outstanding requests fail, and their callers may repeat them. A late reply is waited for as long
// as the connection shows signs of life or is known to be slow: making a new connection would take
// longer.
//
// Messages can come between the replies. A channel_listener decides what is subscribed, and when to
// connect for that. listen() has one for a single channel (subscription.h).
#pragma once

#include "base/clock.h"
#include "base/event_loop.h"
#include "redis/failure.h"
#include "redis/link.h"
#include "redis/server.h"
#include "redis/subscription.h"
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

    // On the loop's thread only, and not from a handler of this pipeline: closes the connection for
    // good. Outstanding requests and all later ones fail with `why`.
    void end(failure why);

    // On the loop's thread only: as in transport. `who` may make requests. When the connection
    // breaks, it is told before the callers of outstanding requests. What it sends when there is a
    // connection goes before all waiting requests: the answer to one of them may be a message.
    void listen(std::string channel, listener& who);
    void watch_channels(channel_listener& who) { channels_ = &who; }
    void send(channel_command what, const std::string& channel);

    // As end(), but a later request connects again.
    void hang_up();

private:
    // A command that is answered by a push message. If it is answered by a reply, it was refused.
    struct about_channel {
        channel_command what{};
        std::string channel;
    };
    struct asked {
        writer request;
        std::chrono::milliseconds patience;
        reader done;  // null: it is a command about a channel
        about_channel about{};
    };
    struct pending {
        std::chrono::milliseconds patience;
        reader done;
        base::boot_time sent;
        base::boot_time until;  // when to check it
        unsigned replies;       // outstanding replies
        about_channel about{};
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
    void tell_connected();
    void send_waiting();
    void read_messages();
    void on_push(const reply_view& message);
    void answered_by_push(channel_command what, std::string_view channel);
    void on_reply(const reply_view& reply);
    reader take_answered();
    void look_at(base::boot_time when);
    void on_timer();
    [[nodiscard]] bool is_to_be_left(server_role role) const;
    [[nodiscard]] bool is_dead(const pending& waiting, base::boot_time now) const;

    base::event_loop* loop_;
    const server* server_;
    limits limits_;
    std::function<void()> left_;
    std::optional<failure> ended_;

    std::unique_ptr<link> link_;
    int watched_fd_ = -1;
    std::uint32_t watched_events_ = 0;
    base::boot_time dialled_{};
    base::boot_time heard_{};               // when the server last sent something
    base::boot_clock::duration slowest_{};  // the slowest answer on this connection, which decays
    bool was_ready_ = false;                // there was a connection before this one
    bool start_posted_ = false;
    bool reading_ = false;  // replies are read now, and requests are sent afterwards
    server_role wrong_role_ = server_role::unknown;  // the replies before it are handled first
    std::deque<asked> unsent_;
    std::deque<pending> sent_;
    std::string requests_;  // a member, to reuse its memory
    // Set at or before the time when the first outstanding request must be checked. Mostly it is
    // earlier, because it is not moved when a request is answered.
    std::optional<base::event_loop::timer> timer_;

    // A message has answered SUNSUBSCRIBE, or the server has ended that subscription by itself. In the second case,
    // which looks the same, an error will follow: the node does not have the slot any more.
    bool error_may_follow_ = false;
    channel_listener* channels_ = nullptr;        // null: there is none
    std::unique_ptr<subscription> subscription_;  // of listen()
};

}  // namespace pawl::redis
