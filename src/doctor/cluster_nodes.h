// Reads the reply to CLUSTER NODES.
#pragma once

#include "doctor/facts.h"

#include <string_view>
#include <vector>

namespace pawl::doctor {

// Lines that are not understood are left out.
[[nodiscard]] std::vector<cluster_node> cluster_nodes_in(std::string_view text);

}  // namespace pawl::doctor
