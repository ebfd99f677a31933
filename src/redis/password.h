// Reads the password from the source that the options name.
#pragma once

#include "redis/failure.h"
#include "redis/url.h"

#include <string>
#include <variant>

namespace pawl::redis {

// Never blocks: a file must be a regular one, because a pipe would block the client's only thread.
// Empty if no source is named. If a source is named but has no password, that is a failure.
[[nodiscard]] std::variant<std::string, failure> read_password(const server_config& config);

}  // namespace pawl::redis
