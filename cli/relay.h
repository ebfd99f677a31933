// Two clients that pass a lock to and fro, in strict alternation. While one holds it, the other
// waits for it. So each release is a hand-off.
#pragma once

#include "common/latency_histogram.h"
#include "common/mutex.h"
#include "crew.h"

#include <pawl/client.h>
#include <pawl/mutex.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

namespace pawl::cli {

class relay {
public:
    relay(client& first, client& second, const std::string& name, const lock_options& options);

    // Two members, for one crew.
    [[nodiscard]] std::vector<crew_member> members();

    // From just before the release in one client until the other holds the lock. Call it when the
    // crew has ended.
    [[nodiscard]] common::latency_histogram times() const;

private:
    using clock = std::chrono::steady_clock;

    struct runner {
        client* own_client;
        mutex lock;
        common::latency_histogram times{};
        clock::duration hold_for{};
        bool has_ended = false;  // guarded by mutex_ of the relay
    };

    void prepare(std::size_t self, const std::stop_token& give_up);
    void take_turn(std::size_t self, const std::stop_token& give_up);
    [[nodiscard]] bool await_turn(std::size_t self, const std::stop_token& give_up);
    void say_that_it_holds(std::size_t self);
    void end(std::size_t self);
    void keep_for(clock::duration duration, const std::stop_token& give_up);

    std::array<runner, 2> runners_;
    // When the last release began. 0: the next grant is not measured.
    std::atomic<clock::rep> released_at_{0};

    common::mutex mutex_;
    std::condition_variable_any changed_;
    std::size_t last_holder_ PAWL_GUARDED_BY(mutex_) = 1;  // so the first runner begins
};

}  // namespace pawl::cli
