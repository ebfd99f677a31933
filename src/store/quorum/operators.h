// What operators ask of the nodes of a quorum_store, and what their answers mean.
#pragma once

#include "store/question.h"
#include "store/quorum/lock_at_node.h"
#include "store/quorum/quorum_store.h"

#include <chrono>
#include <optional>
#include <vector>

namespace pawl::store {

class quorum_store::operators {
public:
    using answer = server_answer;

    // From any thread: sends each node its commands, to all at the same time. A node without commands is not asked. A
    // node that has not answered by `until` gets a failure.
    [[nodiscard]] static std::vector<answer> ask(quorum_store& owner,
                                                 std::vector<std::vector<command>> commands,
                                                 base::boot_time until);

    // What is known of a node, and what it said to the questions of quorum_store::nodes(). `wall` is the wall clock of
    // this machine at `now`.
    [[nodiscard]] static node_info info_of(const answer& said, const core::quorum::node& known,
                                           const settings& how, base::boot_time now,
                                           std::chrono::microseconds wall);

    // A failure that names the nodes that did not answer, or refused. Nothing if there is none.
    [[nodiscard]] static std::optional<core::failure> silent_nodes(quorum_store& owner,
                                                                   const std::vector<answer>& all);

    // From any thread: looks at all keys of all nodes. A failure if one of them belongs to a lock.
    [[nodiscard]] static std::optional<core::failure> find_locks(quorum_store& owner,
                                                                 base::boot_time until);
};

}  // namespace pawl::store
