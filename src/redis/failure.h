// Why there is no answer.
#pragma once

#include <string>
#include <string_view>

namespace pawl::redis {

enum class failure_kind {
    unreachable,     // no connection, or it broke
    nobody_listens,  // no connection: the system said at once that no server is there
    no_reply,        // no answer within the limit
    refused,         // the server, or TLS, said no
    not_now,         // the server said: later
    cancelled,       // the caller's stop_token
};

struct failure {
    failure_kind what{};
    std::string detail;       // the server's or the system's own words
    bool never_sent = false;  // for one who shares a connection: his request did not leave us
};

// Sorts an error reply into `refused` and `not_now`. Arguments that the server repeats are left out: a
// password may be among them, cut so that nobody could recognise it.
[[nodiscard]] failure failure_of_error(std::string_view text);

}  // namespace pawl::redis
