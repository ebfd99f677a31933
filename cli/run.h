// pawl run: a command under a lock.
#pragma once

#include <string>
#include <vector>

namespace pawl::cli {

// `arguments` are the words after `run`. Returns the exit status.
[[nodiscard]] int run(const std::vector<std::string>& arguments);

}  // namespace pawl::cli
