// Requests to a node of a quorum, as calls of scripts: how they are written, and what the replies mean.
#pragma once

#include "core/vote.h"
#include "redis/resp.h"
#include "store/redis/hold_verbs.h"
#include "store/redis/script_call.h"
#include "store/redis/server_clock.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace pawl::store {

// What the scripts need besides the request.
struct node_context {
    const server_clock& clock;
    // How long a node that has lost its votes must not vote: src/scripts/parts/node.lua.
    std::chrono::milliseconds quarantine;
};

// core::claim::written, for the requests about one vote: it is the same for all nodes.
[[nodiscard]] std::string written_for_nodes(const core::claim& mine);

void append(std::string& out, const core::vote_request& what, const script_style& how,
            const node_context& context);
void append(std::string& out, const core::raise_request& what, const script_style& how,
            const node_context& context);
void append(std::string& out, const core::hand_back_request& what, const script_style& how,
            const node_context& context);
void append(std::string& out, const core::return_request& what, const script_style& how,
            const node_context& context);
void append(std::string& out, std::span<const core::restore_part> all, const script_style& how,
            const node_context& context);

// The reply 'CODE NUMBER TIME' to a vote, a raise or a hand-back.
struct node_answer {
    std::int64_t code;
    std::int64_t number;
    core::node_time now;

    // A vote was refused because it came later than it was wanted.
    [[nodiscard]] bool is_too_late() const noexcept { return code == -1; }
};
// Nothing if it is another reply, or has no valid time.
[[nodiscard]] std::optional<node_answer> read_node_answer(const redis::reply_view& reply);

// `answer` is what read_node_answer() has found in the reply.
[[nodiscard]] core::vote_reply read(const core::vote_request& what, const redis::reply_view& reply,
                                    const std::optional<node_answer>& answer);
[[nodiscard]] core::raise_reply read(const core::raise_request& what,
                                     const redis::reply_view& reply,
                                     const std::optional<node_answer>& answer);
[[nodiscard]] core::hand_back_reply read(const core::hand_back_request& what,
                                         const redis::reply_view& reply,
                                         const std::optional<node_answer>& answer);
[[nodiscard]] core::hold_reply read(const core::return_request& what,
                                    const redis::reply_view& reply,
                                    const std::optional<node_answer>& answer);
// Returns a reply for each vote.
[[nodiscard]] core::restore_reply read(std::span<const core::restore_part> all,
                                       const redis::reply_view& reply);

}  // namespace pawl::store
