// Commands that are sent to every node of a quorum_store at the same time, outside of the protocol: for operators.
#pragma once

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
    // What one node said. Texts of the replies, in the order of the commands; an array has its elements one after
    // another.
    struct answer {
        std::optional<core::failure> problem{};
        std::vector<std::string> texts{};
        base::boot_time sent{};
        base::boot_time received{};
    };
    using command = std::vector<std::string>;
    using answered = std::function<void(std::vector<answer>)>;

    survey(quorum_store& owner, answered done) : owner_{&owner}, done_{std::move(done)} {}

    // On the loop. `commands` are those for each node. A node without commands is not asked. A node that has not
    // answered by `until` gets a failure.
    void start(const std::vector<std::vector<command>>& commands, base::boot_time until);

    // The same from any thread.
    [[nodiscard]] static std::vector<answer> ask(quorum_store& owner,
                                                 std::vector<std::vector<command>> commands,
                                                 base::boot_time until);

    // A failure that names the nodes that did not answer. Nothing if all did.
    [[nodiscard]] static std::optional<core::failure> silent_nodes(const quorum_store& owner,
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
