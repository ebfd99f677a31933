// pawl run: a command under a lock. pawl once: the same, at most once per period.
#pragma once

#include <string>
#include <vector>

namespace pawl::cli {

// `arguments` are the words after `run`. Returns the exit status.
[[nodiscard]] int run(const std::vector<std::string>& arguments);

// The same for the words after `once`.
[[nodiscard]] int once(const std::vector<std::string>& arguments);

}  // namespace pawl::cli
