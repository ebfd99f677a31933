// The server that a command uses.
#pragma once

#include <string>

namespace pawl::cli {

struct server_choice {
    std::string url;
    bool is_default = false;  // no server was named, so it is local:
};

}  // namespace pawl::cli
