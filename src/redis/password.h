// The password, from wherever the options say.
#pragma once

#include "redis/failure.h"
#include "redis/url.h"

#include <string>
#include <variant>

namespace pawl::redis {

// Never blocks: a file must be a regular one, for a pipe would keep the client's only thread waiting.
// Empty if there is none; a source that was named but has nothing to give is a failure.
[[nodiscard]] std::variant<std::string, failure> read_password(const server_config& config);

}  // namespace pawl::redis
