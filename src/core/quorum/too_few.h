// What is wrong at each node, as text; and the failure of a request that too few nodes have answered.
#pragma once

#include "core/failure.h"
#include "core/quorum/nodes.h"
#include "core/request_parts.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace pawl::core::quorum {

struct node_problem {
    std::optional<failure> what{};
    std::optional<std::chrono::milliseconds> quarantine{};  // what is left of it
    // Its clock was stepped, so its votes do not count for this time.
    std::optional<std::chrono::milliseconds> stepped{};
    bool returning = false;  // an earlier try of the same holder is being given back there
    bool silent = false;     // the node has not answered yet
    std::optional<hold_status> status{};  // what it says about the holder
};

// Names each node where something is wrong. Empty if there is none.
[[nodiscard]] std::string problems_of(const nodes& all, const std::vector<node_problem>& problems);

// If so many nodes refused that no majority is left, the failure says that. Otherwise it is `no_quorum`.
[[nodiscard]] failure too_few(const nodes& all, const std::vector<node_problem>& problems);

}  // namespace pawl::core::quorum
