// Why a request got no answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::redis {

enum class failure_kind {
    unreachable,     // no connection, or it broke
    nobody_listens,  // no connection: the system reported at once that there is no server
    no_reply,        // no answer within the limit
    refused,         // the server, or TLS, refused
    not_now,         // the server refused for now
    replica,         // the server is a replica: READONLY, MASTERDOWN, UNBLOCKED
    moved,           // another node of the Cluster has the slot: MOVED
    ask,             // another node of the Cluster is getting the slot: ASK
    cancelled,       // by the caller's stop_token
};

struct failure {
    failure_kind what{};
    std::string detail;  // the text of the server or of the system
    bool sent = true;    // whether the server may have got the request; true if unknown
};

// Classifies an error reply: `replica`, `moved`, `ask`, `not_now` or `refused`. Arguments that the server repeats are
// removed: they may contain a part of a password.
[[nodiscard]] failure failure_of_error(std::string_view text);

// Where a slot is, from the text of MOVED or ASK: "MOVED 3999 127.0.0.1:6381". Nothing if the text is
// not valid. The host is empty if it is the one that has answered.
struct redirection {
    std::uint16_t slot{};
    std::string host;
    std::uint16_t port{};

    bool operator==(const redirection&) const = default;
};
[[nodiscard]] std::optional<redirection> redirection_in(std::string_view text);

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
