// pawl bench: how fast locks are on a server.
#pragma once

#include <string>
#include <vector>

namespace pawl::cli {

// `arguments` are the words after `bench`. Returns the exit status.
[[nodiscard]] int bench(const std::vector<std::string>& arguments);

}  // namespace pawl::cli
