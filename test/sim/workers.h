// Work in several processes: if a run kills its process, the others go on.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace pawl::sim {

// Calls `work(i)` for each i below `jobs`, each in a separate process, and returns their results.
// Empty for a process that died.
[[nodiscard]] std::vector<std::string> in_processes(
    unsigned jobs, const std::function<std::string(unsigned)>& work);

}  // namespace pawl::sim
