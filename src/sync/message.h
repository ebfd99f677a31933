// What a failure says to a person: what happened, to which lock, on which server, what to do.
#pragma once

#include <pawl/error.h>

#include <string>
#include <string_view>

namespace pawl::sync {

// "acquire 'stock:42' on redis://127.0.0.1:6379: unreachable (connect: Connection refused): …"
[[nodiscard]] std::string describe(std::string_view action, std::string_view lock,
                                   std::string_view server, errc failure, std::string_view detail);

// A lock's name in quotes, with what cannot be printed as \xNN.
[[nodiscard]] std::string in_quotes(std::string_view name);

}  // namespace pawl::sync
