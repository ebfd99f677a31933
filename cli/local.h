// pawl local: this user's private server.
#pragma once

#include <string>
#include <vector>

namespace pawl::cli {

// `arguments` are those after `local`. Returns the exit status.
[[nodiscard]] int local(const std::vector<std::string>& arguments);

}  // namespace pawl::cli
