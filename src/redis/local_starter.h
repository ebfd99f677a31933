// Starts the local: server for those who must not wait for it: the calls on the client's event loop.
#pragma once

#include "base/event_loop.h"
#include "redis/failure.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace pawl::redis {

class local_starter {
public:
    // `loop` must outlive it. An attempt takes no longer than `limit`.
    local_starter(base::event_loop& loop, std::chrono::milliseconds limit);
    ~local_starter();
    local_starter(const local_starter&) = delete;
    local_starter& operator=(const local_starter&) = delete;

    // On the loop's thread only. `done` is called on it too, later: with nothing when a server answers,
    // or with what kept it from that. Never if this is destroyed first. All who ask while an attempt
    // is under way share it.
    using handler = std::function<void(const std::optional<failure>&)>;
    void start(handler done);

private:
    // Outlives this in the thread of an attempt: nobody waits for that.
    struct state;

    std::shared_ptr<state> state_;
    std::chrono::milliseconds limit_;
};

}  // namespace pawl::redis
