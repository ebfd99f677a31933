// This user's private server, which the URL `local:` stands for: a redis-server on a Unix socket,
// without TCP and without persistence, started on first use. Locks on it cover this machine only.
//
//   state               query().running   stop()
//   never started       false             does nothing
//   running             true              ends it, unless locks are held on it
//   frozen              throws            throws; with `force` it is killed
//   its socket is gone  throws            throws; with `force` it is killed
//
// It lives in /tmp/pawl-UID, a directory of mode 0700, or in the one that PAWL_LOCAL_DIR names. Programs
// that shall exclude each other must agree on it.
#pragma once

#include <pawl/export.h>

#include <cstddef>
#include <string>

namespace pawl::local {

struct status {
    bool running{};
    int pid{};            // 0 when it is not running
    std::string socket;   // where it listens, or would
    std::size_t locks{};  // how many are held, in all its databases
};

// Looks whether the server runs, and asks it. Starts nothing. Throws pawl::error: `unreachable` when
// it runs and does not answer within two seconds, `refused` when its directory is not safe.
[[nodiscard]] PAWL_EXPORT status query();

// Ends the server; when it returns, the server is gone. Throws pawl::error: `busy` when locks are
// held, and nothing has changed then; with `force` their holders lose them. Otherwise as query().
PAWL_EXPORT void stop(bool force = false);

}  // namespace pawl::local
