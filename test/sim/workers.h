// Work that is done in several processes: a run that kills its process takes no other with it.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace pawl::sim {

// Calls `work(i)` for each i below `jobs`, each in a process of its own, and returns what they
// returned. Nothing for one that died.
[[nodiscard]] std::vector<std::string> in_processes(
    unsigned jobs, const std::function<std::string(unsigned)>& work);

}  // namespace pawl::sim
