// The server's address and settings, from a URL and the options beside it.
#pragma once

#include "observe/traffic.h"

#include <pawl/options.h>

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::redis {

struct address {
    enum class kind { tcp, unix_socket, local, memory };
    kind what = kind::tcp;
    std::string host;  // tcp: a name or a numeric address
    std::uint16_t port = 6379;
    std::string path;            // unix_socket
    std::optional<uid_t> owner;  // unix_socket: the user who must run the server; unset: any
    std::string name;            // memory; empty for a server that only this client uses
    bool tls = false;
};

// Everything that a connection needs, checked.
struct server_config {
    address where;
    std::string user;
    std::string password;  // at most one of these three is set
    std::string password_file;
    std::string password_env;
    int database = 0;
    std::string name;
    tls_options tls;
    // What the server must be: HELLO tells. Another one is refused.
    enum class mode { standalone, sentinel, cluster };
    mode speaks = mode::standalone;
    bool wants_run_id = false;    // a node of a quorum: each connection asks for it
    bool may_be_replica = false;  // for questions that a replica can answer too
    acknowledgement acknowledged{};
    std::string shown;  // the address for messages: no user, no password
    std::shared_ptr<observe::traffic> counted_in{};  // null: nothing is counted
};

// Throws pawl::error (bad_argument). The message names the problem and what is allowed, and never
// shows a password.
[[nodiscard]] server_config read_config(const client_options& options);

}  // namespace pawl::redis
