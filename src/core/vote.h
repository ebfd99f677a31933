// The requests to one node of a quorum, and the replies. A quorum is N independent servers, the nodes. A holder has
// the lock when a majority of the nodes have voted for it, with the same number. A vote is a lock on one node.
//
//   request            reply                                when it is executed again, it …
//   vote_request       voted | waits | failure              finds its own vote or place again
//   raise_request      raised | hold_status | failure       changes nothing more
//   hand_back_request  handed_back | failure                finds that the number is another one
//   return_request     hold_status | failure                finds that the vote is gone
//   restore_request    restored | failure for each lock     never shortens a lease
//
// A node that has lost its data must not vote before every lease that it may have forgotten has ended: it is in
// quarantine. It finds that out by its run id, which changes with each start: every request that can lead to a vote
// carries the run id that its connection belongs to.
#pragma once

#include "base/clock.h"
#include "core/request_parts.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace pawl::core {

// The node's time when it executed the request, since the epoch by its own clock.
using node_time = std::chrono::microseconds;

// The place of a waiter in the order of all waiters, the same on all nodes: a time of the nodes, then the holder id.
struct ticket {
    node_time when{};

    auto operator<=>(const ticket&) const = default;
};

// ── Vote: grant this node's lock if it is free, or join its queue ───────────────────────────────

struct voted {
    std::uint64_t number{};  // the fence, if a majority has the same one
    bool found = false;  // the node had voted for this holder before; its lease was counted anew
    node_time now{};
};

struct waits {
    enum class reason { held, foreign, no_lock, quarantine };
    reason why{};
    std::chrono::milliseconds left{
        -1};              // of the holder's lease or of the quarantine; -1 if it is not known
    bool placed = false;  // it has a place in the node's queue
    node_time now{};
};

using vote_reply = std::variant<failure, voted, waits>;

struct vote_request {
    using reply = vote_reply;

    claim mine{};
    std::chrono::milliseconds lease{};
    base::boot_time sent{};
    base::boot_time until{};  // after this time the node must not vote for this request
    bool repeated = false;    // an earlier request of this holder may have been executed

    std::optional<std::chrono::milliseconds> wait{};  // join the queue, for this time
    ticket order{};
    std::string_view client{};
    unsigned reserve = 0;

    std::uint64_t proposal = 0;  // the number is at least this
    // A yield got no answer, so the vote may have gone and come back. If the node has voted for this holder, it gives
    // the vote a new number.
    bool renumber = false;
};

// ── Raise: the number of a vote becomes at least this ───────────────────────────────────────────

struct raised {
    bool others_wait = false;
    node_time now{};
};

using raise_reply = std::variant<failure, raised, hold_status>;

struct raise_request {
    using reply = raise_reply;

    claim mine{};
    base::boot_time sent{};
    std::uint64_t number = 0;
    unsigned reserve = 0;  // numbers to set aside above it
    std::chrono::milliseconds
        lease{};  // 0: the lease goes on as it is. Otherwise it is counted anew
};

// ── Hand back: a vote that does not become a hold goes to the waiter with the smallest ticket ───

struct handed_back {
    enum class outcome {
        given,  // to another waiter; this one has its place again
        kept,   // this one has the smallest ticket: the vote stays, and its lease was counted anew
        other,  // the vote had another number, or was for another holder: nothing was changed
    };
    outcome what{};
    node_time now{};
};

using hand_back_reply = std::variant<failure, handed_back>;

struct hand_back_request {
    using reply = hand_back_reply;

    claim mine{};
    base::boot_time sent{};
    std::uint64_t number = 0;    // of the vote; another one is not handed back
    std::uint64_t proposal = 0;  // for the next vote
    ticket order{};
    std::chrono::milliseconds wait{};
    std::chrono::milliseconds lease{};
    std::string_view client{};
    unsigned reserve = 0;
};

// ── Return: the lock is released, or a waiter gives up ──────────────────────────────────────────

struct return_request {
    using reply = hold_reply;

    claim mine{};
    base::boot_time sent{};
    std::uint64_t used = 0;           // the holder's last fence; 0 if it is not known
    bool has_reserve = false;         // numbers above `used` are set aside
    std::uint64_t proposal = 0;       // for the next vote
    std::string_view announcement{};  // to publish; empty if the release is not announced
};

// ── Restore: renew the votes of many locks, and take back votes that a node has lost ────────────

struct restore_part {
    claim mine{};
    std::chrono::milliseconds lease{};
    std::uint64_t number = 0;  // the fence of the hold, which the node must know
    // The holder has the lock until then, or this request is not wanted any more. A node that has no holder votes for it
    // again, if this time has not passed. Not set: it is only renewed.
    std::optional<base::boot_time> held_until{};
    // This node has voted for it, and the vote lasts until then. A node in quarantine has forgotten its votes. Another
    // holder may count on one of them, so there only the holder of that vote may have it again. Not set: it has none.
    std::optional<base::boot_time> vote_until{};
};

struct restored {
    hold_status what{};
    bool again = false;  // the vote was lost, and is there again
};

struct restore_reply {
    std::vector<std::variant<failure, restored>> all{};  // in the same order
    std::optional<node_time> now{};
};

struct restore_request {
    using reply = restore_reply;

    base::boot_time sent{};
    std::vector<restore_part> all{};
};

// ────────────────────────────────────────────────────────────────────────────────────────────────

using node_request =
    std::variant<vote_request, raise_request, hand_back_request, return_request, restore_request>;

}  // namespace pawl::core
