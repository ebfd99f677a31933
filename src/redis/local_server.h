// The server behind the URL `local:`.
#pragma once

#include "redis/failure.h"

#include <chrono>
#include <optional>
#include <string>

namespace pawl::redis {

// The path of the Unix socket on which this user's private server answers. Starts the server if
// there is none. Several processes may do so at once, and only one server is started.
//
// Throws pawl::error: `unreachable` if no server answers within `limit` or none can be started,
// `refused` if the server's directory is not safe, `bad_argument` if its path is too long for a
// socket.
[[nodiscard]] std::string ensure_local_server(std::chrono::milliseconds limit);

// The same without exceptions. Returns the problem, if there is one.
[[nodiscard]] std::optional<failure> try_to_start_local_server(std::chrono::milliseconds limit);

}  // namespace pawl::redis
