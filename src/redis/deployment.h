// The servers that a client uses and how they belong together, from the URL and the options beside it.
#pragma once

#include "redis/url.h"

#include <pawl/options.h>

#include <string>
#include <vector>

namespace pawl::redis {

struct deployment {
    enum class kind {
        one_server,
        sentinel,  // a primary with replicas; sentinels know which server is the primary
        cluster,   // each server has some of the slots
        quorum,    // independent servers, of which a majority must agree
    };
    kind what = kind::one_server;

    // one_server: that server. sentinel: the sentinels. cluster: the nodes that are asked first for all others.
    // quorum: all nodes.
    std::vector<server_config> servers;

    // sentinel: the name of the primary, and everything for a connection to it but its address. cluster: the same
    // for nodes that are found later.
    std::string service;
    server_config found;

    std::string shown;  // the address for messages: no user, no password
};

// Throws pawl::error (bad_argument). The message names the problem and what is allowed, and never
// shows a password.
[[nodiscard]] deployment read_deployment(const client_options& options);

}  // namespace pawl::redis
