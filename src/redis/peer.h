// The process at the other end of a Unix socket.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace pawl::redis {

// `socket` is connected to `path`. Returns a problem unless the user `owner` listens there. The
// kernel stored that user when the server began to listen.
[[nodiscard]] std::optional<std::string> problem_with_peer(int socket, uid_t owner,
                                                           const std::string& path);

// 0 if it is in another PID namespace, or cannot be determined.
[[nodiscard]] pid_t process_of_peer(int socket);

}  // namespace pawl::redis
