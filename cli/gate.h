// pawl latch and pawl barrier: wait for other processes.
#pragma once

#include <string>
#include <vector>

namespace pawl::cli {

// `arguments` are the words after `latch` or `barrier`. They return the exit status.
[[nodiscard]] int latch(const std::vector<std::string>& arguments);
[[nodiscard]] int barrier(const std::vector<std::string>& arguments);

}  // namespace pawl::cli
