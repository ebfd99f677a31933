// Which process has which connections, from CLIENT LIST.
#pragma once

#include <pawl/inspect.h>

#include <string>
#include <string_view>
#include <unordered_map>

namespace pawl::store {

// By the 16 digits of the client's channel.
using process_map = std::unordered_map<std::string, process_info>;

// Adds the clients of pawl in the reply to CLIENT LIST.
void add_processes(std::string_view client_list, process_map& to);

}  // namespace pawl::store
