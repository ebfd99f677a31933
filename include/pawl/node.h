// One node of a quorum, as client::nodes() shows it. docs/topologies/quorum.md explains quorums.
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

struct node_info {
    std::string server;  // its address, without any password
    node_state state{};
    std::string run_id;                            // of the server; empty if it is not known
    std::chrono::microseconds latency{};           // of its answers to this client, smoothed
    std::chrono::microseconds clock_difference{};  // its wall clock minus that of this machine
    std::chrono::milliseconds quarantine_left{};
    std::string detail;  // why it is unreachable
};

// Returns the state in words, for example "in quarantine".
// Round trips: none.
// Threads: any thread may call it.
[[nodiscard]] PAWL_EXPORT std::string_view to_string(node_state state) noexcept;

}  // namespace pawl
