// The server behind the URL `local:`.
#pragma once

#include "redis/failure.h"

#include <chrono>
#include <optional>
#include <string>

namespace pawl::redis {

// The path of the Unix socket on which this user's private server answers. Starts the server if
// there is none: any number of processes may do so at once, and one server comes of it.
//
// Throws pawl::error: `unreachable` when no server answers within `limit` or none can be started,
// `refused` when the directory it should live in is not safe, `bad_argument` when its path is too
// long for a socket.
[[nodiscard]] std::string ensure_local_server(std::chrono::milliseconds limit);

// The same without exceptions. Returns what went wrong.
[[nodiscard]] std::optional<failure> try_to_start_local_server(std::chrono::milliseconds limit);

}  // namespace pawl::redis
