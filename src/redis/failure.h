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
    std::string detail;  // the server's or the system's own words
    bool sent = true;  // the server may have got the request; only who says otherwise knows better
};

// Sorts an error reply into `refused` and `not_now`. Arguments that the server repeats are left out: a
// password may be among them, cut so that nobody could recognise it.
[[nodiscard]] failure failure_of_error(std::string_view text);

// What an error reply says of the server. If it is a replica, or not ready, another may have taken its
// place: a new connection to the same address may lead there, this one never will.
enum class server_role {
    unknown,    // the error has another cause
    not_ready,  // it loads its data, or has lost its replicas
    replica,    // it was made one, or always was
};
[[nodiscard]] server_role role_in_error(std::string_view text);

}  // namespace pawl::redis
