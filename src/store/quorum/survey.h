// Commands that are sent to every node of a quorum_store at the same time, outside of the protocol: for operators.
#pragma once

#include "store/quorum/lock_at_node.h"
#include "store/quorum/quorum_store.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pawl::store {

class quorum_store::survey : public std::enable_shared_from_this<survey> {
public:
    // What one node said.
    struct answer {
        std::optional<core::failure> problem{};  // it did not answer
        std::vector<command_reply> replies{};    // in the order of the commands
        base::boot_time sent{};
        base::boot_time received{};

        // Why it did not answer, or did not execute one of the first `count` commands. Nothing if it did.
        [[nodiscard]] std::optional<core::failure> problem_in_first(std::size_t count) const;
        [[nodiscard]] std::optional<core::failure> any_problem() const
        {
            return problem_in_first(replies.size());
        }
    };
    using answered = std::function<void(std::vector<answer>)>;

    survey(quorum_store& owner, answered done) : owner_{&owner}, done_{std::move(done)} {}

    // On the loop. `commands` are those for each node. A node without commands is not asked. A node that has not
    // answered by `until` gets a failure.
    void start(const std::vector<std::vector<command>>& commands, base::boot_time until);

    // The same from any thread.
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

private:
    void send(unsigned node, const std::vector<command>& commands);
    void finish();

    quorum_store* owner_;
    answered done_;
    std::vector<answer> answers_;
    std::size_t open_ = 0;
};

}  // namespace pawl::store
