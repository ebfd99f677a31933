// Starts the local: server for callers that must not block: the calls on the client's event loop.
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
    // `loop` must outlive it. An attempt takes at most `limit`.
    local_starter(base::event_loop& loop, std::chrono::milliseconds limit);
    ~local_starter();
    local_starter(const local_starter&) = delete;
    local_starter& operator=(const local_starter&) = delete;

    // On the loop's thread only. `done` is called on it too, later: with nothing if a server
    // answers, or with the failure. It is not called if this object is destroyed first. All callers
    // that ask during an attempt share it.
    using handler = std::function<void(const std::optional<failure>&)>;
    void start(handler done);

private:
    // Shared with the thread of an attempt, which may outlive this object.
    struct state;

    std::shared_ptr<state> state_;
    std::chrono::milliseconds limit_;
};

}  // namespace pawl::redis
