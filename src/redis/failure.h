// Why there is no answer.
#pragma once

#include <string>
#include <string_view>

namespace pawl::redis {

enum class failure_kind {
    unreachable,  // no connection, or it broke
    no_reply,     // no answer within the limit
    refused,      // the server, or TLS, said no
    not_now,      // the server said: later
    cancelled,    // the caller's stop_token
};

struct failure {
    failure_kind what{};
    std::string detail;  // the server's or the system's own words
};

// Sorts an error reply into `refused` and `not_now`.
[[nodiscard]] failure failure_of_error(std::string_view text);

}  // namespace pawl::redis
