// Why a request got no answer.
#pragma once

#include <string>
#include <string_view>

namespace pawl::redis {

enum class failure_kind {
    unreachable,     // no connection, or it broke
    nobody_listens,  // no connection: the system reported at once that there is no server
    no_reply,        // no answer within the limit
    refused,         // the server, or TLS, refused
    not_now,         // the server refused for now
    cancelled,       // by the caller's stop_token
};

struct failure {
    failure_kind what{};
    std::string detail;  // the text of the server or of the system
    bool sent = true;    // whether the server may have got the request; true if unknown
};

// Classifies an error reply as `refused` or `not_now`. Arguments that the server repeats are
// removed: they may contain a part of a password.
[[nodiscard]] failure failure_of_error(std::string_view text);

// What an error reply tells about the server. If it is a replica or not ready, another server may
// have taken its place. A new connection to the same address may reach that server. This connection
// never will.
enum class server_role {
    unknown,    // the error has another cause
    not_ready,  // it is loading its data, or has lost its replicas
    replica,    // it became one, or always was
};
[[nodiscard]] server_role role_in_error(std::string_view text);

}  // namespace pawl::redis
