// Why nodes have no vote for a holder, as text; and the failure of a request that too few nodes have answered. Each
// text is followed by the node's latency and by how far its clock is ahead of that of this machine, as far as they are
// known from earlier answers:
//
//   redis://10.0.0.3:6379: in quarantine for 9 s: it is new or was restarted (0.3 ms, +5.0 s)
#pragma once

#include "core/failure.h"
#include "core/quorum/nodes.h"
#include "core/request_parts.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::core::quorum {

struct node_problem {
    std::optional<failure> what{};
    std::optional<std::chrono::milliseconds> quarantine{};  // what is left of it
    // Its clock was stepped, so its votes do not count for this time.
    std::optional<std::chrono::milliseconds> stepped{};
    bool returning = false;      // an earlier try of the same holder is being given back there
    bool silent = false;         // the node has not answered yet
    std::string_view no_vote{};  // it has answered that it has no vote for the holder: why
};

// Why the node has no vote for a holder, from its answer to a request about that vote. Empty if it has one.
[[nodiscard]] std::string_view why_no_vote(hold_status said) noexcept;

// Names each node that has no vote for the holder. Empty if there is none.
[[nodiscard]] std::string problems_of(const nodes& all, const std::vector<node_problem>& problems);

// The same, but empty if all nodes can vote, and have voted for others.
[[nodiscard]] std::string problems_if_missing(const nodes& all,
                                              const std::vector<node_problem>& problems);

// If so many nodes refused that no majority is left, the failure says that. Otherwise it is `no_quorum`, and names each
// node that has no vote for the holder.
[[nodiscard]] failure too_few(const nodes& all, const std::vector<node_problem>& problems);

}  // namespace pawl::core::quorum
