// Who is at the other end of a Unix socket.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace pawl::redis {

// What is wrong with the server that listens on `path`, to which `socket` is connected: it must be `owner`. The
// kernel noted who that is when it began to listen.
[[nodiscard]] std::optional<std::string> problem_with_peer(int socket, uid_t owner,
                                                           const std::string& path);

// 0 when it lives in another PID namespace, or cannot be seen.
[[nodiscard]] pid_t process_of_peer(int socket);

}  // namespace pawl::redis
