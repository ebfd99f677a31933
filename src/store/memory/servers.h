// The memory servers of this process, by name. One lives as long as someone refers to it.
#pragma once

#include "store/memory/server.h"

#include <memory>
#include <string_view>

namespace pawl::store::memory {

// The one that memory:NAME stands for, made if there is none. A child process that was forked has
// its own. Without a name: a new one, which nobody else can find.
[[nodiscard]] std::shared_ptr<server> server_named(std::string_view name);

// A new one under a name that was not taken.
[[nodiscard]] std::shared_ptr<server> new_named_server();

}  // namespace pawl::store::memory
