// Finding the private server of `local:` without its socket, which somebody may have removed.
#pragma once

#include "redis/local_paths.h"

#include <sys/types.h>

#include <vector>

namespace pawl::redis {

// The processes that hold the server lock: none or one; more only if somebody removed the lock's file
// and a further server was started. Those of other users and of other PID namespaces are not seen.
[[nodiscard]] std::vector<pid_t> find_local_daemons(const local_paths& paths);

}  // namespace pawl::redis
