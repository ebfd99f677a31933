// The text of error messages: what happened, to which lock, on which server, and what to do.
#pragma once

#include <pawl/error.h>

#include <string>
#include <string_view>

namespace pawl::sync {

// "acquire 'stock:42' on redis://127.0.0.1:6379: server unreachable (connect: Connection refused); check …"
[[nodiscard]] std::string describe(std::string_view action, std::string_view lock,
                                   std::string_view server, errc failure, std::string_view detail);

// The name of a lock in quotes. Control characters are written as \xNN.
[[nodiscard]] std::string in_quotes(std::string_view name);

}  // namespace pawl::sync
