// Finds the private server of `local:` without its socket, because the socket may have been
// removed.
#pragma once

#include "redis/local_paths.h"

#include <sys/types.h>

#include <vector>

namespace pawl::redis {

// The processes that hold the server lock: none or one. There are more only if the lock's file was
// removed and another server was started. Processes of other users and of other PID namespaces are
// not found.
[[nodiscard]] std::vector<pid_t> find_local_daemons(const local_paths& paths);

}  // namespace pawl::redis
