// The dialogues for raw sockets with the nodes of a quorum: that of pawl, and the smallest possible one. Each node has
// a dialogue of its own, because the requests of pawl name the run of the node.
#pragma once

#include "dialogue.h"

#include <string>
#include <vector>

namespace pawl::bench {

// How the lock is used while pawl is recorded.
enum class calls { blocking, asynchronous };

// For a lock that has been used before, like that of cycle_dialogues.h.
[[nodiscard]] std::vector<dialogue> quorum_dialogues_of_pawl(const std::vector<std::string>& nodes,
                                                             calls how);

// SET NX PX, and a script that deletes the key if it still has the same holder.
[[nodiscard]] std::vector<dialogue> least_quorum_dialogues(const std::vector<std::string>& nodes);

}  // namespace pawl::bench
