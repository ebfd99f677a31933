// The name of a client's connections at the server, LABEL:HOST:PID:CHANNEL. CLIENT LIST shows it, so an operator can
// find the process that has a holder id: both end with the digits of the client's channel.
#pragma once

#include "redis/deployment.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::redis {

struct connection_name {
    std::string label;  // the name in the client's options, or `pawl`
    std::string host;
    std::int64_t pid{};
    std::string channel;

    bool operator==(const connection_name&) const = default;
};

// The options have given each connection its label, or nothing. Adds the rest for a client of this process.
void name_connections(deployment& of, std::string_view channel);

// Nothing if it is the name of another program.
[[nodiscard]] std::optional<connection_name> read_connection_name(std::string_view text);

}  // namespace pawl::redis
