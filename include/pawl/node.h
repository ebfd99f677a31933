// One node of a quorum, as client::nodes() shows it: docs/topologies/quorum.md.
//
//   state          its vote counts?   how it ends
//   voting         yes
//   quarantined    no                 by itself, after quarantine_left
//   clock_stepped  no, for new holds  by itself, a little later than longest_lease (options.h)
//   duplicate      once               when the URL names another server
//   unreachable    no                 when the node answers again
#pragma once

#include <pawl/export.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pawl {

enum class node_state {
    voting,
    quarantined,    // it is new, was restarted or was emptied, so it may have forgotten votes
    clock_stepped,  // this client saw its clock jump
    duplicate,      // it is the same server as a node before it
    unreachable,
};

// What a node says of one lock.
//
//   the key is        holder         lease_left             is_lock
//   free, or not told empty          empty                  true; if not told, `problem` says why
//   a holder's        the holder     the rest of its lease  true
//   something else    empty          empty                  false
struct lock_at_node {
    // The holder that the node has voted for: hold::id(), or the token of another library. It may
    // have any bytes.
    std::string holder;
    // The last number that the node has given with a vote, or that was set aside above it; 0 if it
    // knows none. The fence of a hold with this vote is not greater.
    std::uint64_t fence{};
    std::optional<std::chrono::milliseconds> lease_left;  // also empty if the key has no expiry
    // How many have a place in the node's queue. The place of a waiter that has crashed counts until
    // its turn comes.
    std::size_t waiters{};
    bool is_lock = true;
    std::string problem;  // why it is no lock, or why the node refused to tell something of this
};

struct node_info {
    std::string server;  // its address, without any password
    node_state state{};
    std::string run_id;                            // of the server; empty if it is not known
    std::chrono::microseconds latency{};           // of its answers to this client, smoothed
    std::chrono::microseconds clock_difference{};  // its wall clock minus that of this machine
    std::chrono::milliseconds quarantine_left{};
    std::string detail;  // why it is unreachable
    // Only of client::nodes(lock), and only if the node has answered.
    std::optional<lock_at_node> lock;
};

// Returns the state in words, for example "in quarantine".
// Round trips: none.
// Threads: any thread may call it.
[[nodiscard]] PAWL_EXPORT std::string_view to_string(node_state state) noexcept;

}  // namespace pawl
