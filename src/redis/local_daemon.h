// Starts the private server of `local:` as a separate process, from a program that may have any
// number of threads, descriptors and signal handlers.
#pragma once

#include "base/clock.h"
#include "redis/local_paths.h"

namespace pawl::redis {

enum class daemon_start {
    started,       // it runs, but may not answer yet
    one_is_alive,  // another server process has not ended yet; none was started
};

// Throws pawl::error (unreachable) if redis-server is not installed or cannot be run.
[[nodiscard]] daemon_start start_local_daemon(const local_paths& paths, base::boot_time until);

// Whether a server process exists. It may be starting up, answering, frozen or shutting down. It
// holds the server lock from before its first instruction until the kernel has ended it.
[[nodiscard]] bool local_daemon_is_alive(const local_paths& paths);

}  // namespace pawl::redis
