// The client's one shared connection, on its event loop: whatever is asked in one turn of the loop
// goes out in one write, and the answers come back in the same order.
//
// It connects when something is asked, or before. When it breaks, everything that waits is told so;
// whoever still wants an answer asks again, at his own pace. An answer that is late is waited for, as
// long as the connection shows signs of life or is known to be slow: making a new one takes longer.
//
// Once there is a listener it connects by itself, at once and again after every break, and the first
// thing that it sends is SUBSCRIBE:
//
//   the server                  answers SUBSCRIBE by             then
//   speaks RESP3                a message, not by a reply        is listened to until the break
//   does so but refuses it      an error, a reply like others    serves requests, and says no more
//   speaks RESP2                is not asked                     likewise: it could not say more
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

    // On the loop's thread only. `done` is called on it too, later and once. Silence for longer than
    // `patience` may mean that the connection is dead.
    void call(writer request, std::chrono::milliseconds patience, reader done);

    // Makes the connection before it is needed.
    void connect();

    // On the loop's thread only: someone else learnt at `when` that the server is the wrong one. A
    // connection from before that is closed, and made anew as after any other break.
    void leave(base::boot_time when);

    // On the loop's thread only, once. `who` is called on it too, and may ask in turn. That nothing is
    // heard any more it is told before those who wait for answers are.
    void listen(std::string channel, listener& who);

private:
    struct asked {
        writer request;
        std::chrono::milliseconds patience;
        reader done;  // none: it is the SUBSCRIBE
    };
    struct pending {
        std::chrono::milliseconds patience;
        reader done;
        base::boot_time sent;
        base::boot_time until;  // when to look after it
        unsigned replies;       // still to come
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

    // Between the end of a connection and the next attempt: doubled when that fails.
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
    base::boot_time heard_{};               // when the server last said something
    base::boot_clock::duration slowest_{};  // answer on this connection so far
    bool start_posted_ = false;
    bool reading_ = false;  // and will then send what there is
    server_role wrong_role_ =
        server_role::unknown;  // it said so; what it has answered besides is read first
    std::deque<asked> unsent_;
    std::deque<pending> sent_;
    std::string requests_;  // kept for its memory
    // Set at the latest when the first of those is to be looked after; mostly before, for it is left
    // alone when that one is answered.
    std::optional<base::event_loop::timer> timer_;

    listener* listener_ = nullptr;  // nobody listens
    std::string channel_;
    bool listening_ = false;  // SUBSCRIBE was confirmed on this connection
    std::chrono::milliseconds pause_ = shortest_pause;      // before connecting anew
    std::optional<base::event_loop::timer> connect_timer_;  // then
};

}  // namespace pawl::redis
