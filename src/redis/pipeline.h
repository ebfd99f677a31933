// The client's one shared connection, on its event loop: whatever is asked in one turn of the loop
// goes out in one write, and the answers come back in the same order.
//
// It connects when something is asked, or before. When it breaks, or an answer is late, everything that
// waits is told so; whoever still wants an answer asks again, at his own pace.
#pragma once

#include "base/clock.h"
#include "base/event_loop.h"
#include "redis/failure.h"
#include "redis/link.h"
#include "redis/server.h"

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace pawl::redis {

class pipeline {
public:
    // Writes the request in the way that this server understands.
    using writer = std::function<void(const server_facts&, std::string& out)>;
    // Exactly one of them is set.
    using reader = std::function<void(const reply_view*, const failure*)>;

    pipeline(base::event_loop& loop, const server& server, std::chrono::milliseconds connect_limit)
        : loop_{&loop}, server_{&server}, connect_limit_{connect_limit}
    {
    }

    // On the loop's thread only. `done` is called on it too, later.
    void call(writer request, base::boot_time until, reader done);

    // Makes the connection before it is needed.
    void connect();

private:
    struct pending {
        writer request;
        base::boot_time until;
        reader done;
    };

    void start();
    void advance();
    void close(const failure& why);
    void watch();
    void unwatch();
    void send_waiting();
    void read_replies();
    void set_timer();
    void on_timer();
    void give_up_waiting(base::boot_time now);
    [[nodiscard]] base::boot_time next_limit() const;

    base::event_loop* loop_;
    const server* server_;
    std::chrono::milliseconds connect_limit_;

    std::unique_ptr<link> link_;
    int watched_fd_ = -1;
    base::boot_time connect_by_{};
    bool start_posted_ = false;
    std::deque<pending> unsent_;
    std::deque<pending> sent_;
    std::optional<base::event_loop::timer> timer_;
};

}  // namespace pawl::redis
