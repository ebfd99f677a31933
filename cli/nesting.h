// Detects a `pawl run` that runs inside the command of another `pawl run`.
//
// PAWL_HOLDER in the environment names the holder of the surrounding run. PAWL_OUTER_HOLDERS names
// the holders of the runs around that one. Only the server knows whether they still hold anything:
// a process that the command left behind has them in its environment too.
#pragma once

#include <pawl/client.h>

#include <string>
#include <vector>

namespace pawl::cli {

// Whether a surrounding run holds the lock. That run ends only after this one, so this one would
// wait forever. One round trip for each surrounding run. Throws pawl::error.
[[nodiscard]] bool is_held_by_outer_run(client& client, const std::string& key);

// The same for a quorum of these nodes: whether a majority of them has voted for surrounding runs.
// The nodes are asked one after another, until the answer is clear. A node that does not answer
// counts as one without a vote: then this run may wait for itself, but no run fails without need.
[[nodiscard]] bool is_held_by_outer_run(const std::vector<std::string>& node_urls,
                                        const std::string& key);

// All holders of surrounding runs, separated by spaces, the nearest first. Empty if there are none.
[[nodiscard]] std::string outer_holders();

}  // namespace pawl::cli
