// Processes that start or stop the private server of `local:` take turns, so that none sees the
// incomplete work of another.
#pragma once

#include "base/clock.h"
#include "common/unique_fd.h"
#include "redis/local_paths.h"

namespace pawl::redis {

class local_turn {
public:
    // Waits for the turn. Throws pawl::error (unreachable) if it does not get it before `until`.
    local_turn(const local_paths& paths, base::boot_time until);
    ~local_turn();
    local_turn(const local_turn&) = delete;
    local_turn& operator=(const local_turn&) = delete;

private:
    common::unique_fd fd_;
};

// Sleeps for a short time before the server is checked again. False if `until` has passed.
[[nodiscard]] bool pause(base::boot_time until);

}  // namespace pawl::redis
