// pawl lead KEY -- COMMAND: runs a command while this process leads, and only then.
#pragma once

#include <string>
#include <vector>

namespace pawl::cli {

// `arguments` are the words after `lead`. Returns the exit status.
[[nodiscard]] int lead(const std::vector<std::string>& arguments);

}  // namespace pawl::cli
