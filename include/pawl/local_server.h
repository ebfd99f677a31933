// The private server of this user, with the URL `local:`. It is a redis-server on a Unix socket,
// without TCP and without persistence. It is started on first use. Locks on it exclude only other
// processes of this user on this machine.
//
//   state               query().running   stop()
//   never started       false             does nothing
//   running             true              ends it, unless locks are held on it
//   frozen              throws            throws; with `force` it is killed
//   its socket is gone  throws            throws; with `force` it is killed
//
// Its directory is /tmp/pawl-UID, with mode 0700, or the one in the environment variable
// PAWL_LOCAL_DIR. Programs that share locks must use the same directory.
#pragma once

#include <pawl/export.h>

#include <cstddef>
#include <string>

namespace pawl::local {

struct status {
    bool running{};
    int pid{};            // 0 if it is not running, or runs in another PID namespace
    std::string socket;   // path of its socket, also if it is not running
    std::size_t locks{};  // number of locks that are held, in all databases
};

// Returns whether the server is running, and its status. Does not start it.
// Round trips: several, over a connection of its own. None if the server is not running.
// On failure: throws pawl::error. `unreachable`: the server is running, but does not answer within
//     two seconds. `refused`: its directory is not safe. `bad_argument`: PAWL_LOCAL_DIR is not an
//     absolute path, or is too long.
// Threads: any thread may call it.
// Cancellation: none. It ends within about two seconds.
[[nodiscard]] PAWL_EXPORT status query();

// Ends the server. When the call returns, the server has ended. With `force` it ends even if locks
// are held; their holders lose them.
// Round trips: several, as query().
// On failure: throws pawl::error. `busy`: locks are held; nothing has changed. Otherwise as
//     query().
// Threads: any thread may call it.
// Cancellation: none. It ends within about four seconds.
PAWL_EXPORT void stop(bool force = false);

}  // namespace pawl::local
