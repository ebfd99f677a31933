// The memory servers of this process, by name. A server exists as long as a client or a test refers
// to it.
#pragma once

#include "store/memory/server.h"

#include <memory>
#include <string_view>

namespace pawl::store::memory {

// The server of memory:NAME. It is created if there is none. A forked child process has its own
// servers. Without a name: a new server that cannot be found by others.
[[nodiscard]] std::shared_ptr<server> server_named(std::string_view name);

// A new server with an unused name.
[[nodiscard]] std::shared_ptr<server> new_named_server();

}  // namespace pawl::store::memory
