// The kinds of faults in a run.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pawl::sim {

enum class fault : std::uint8_t {
    spikes,          // messages that take much longer than usual
    late_requests,   // requests that are executed after all callers have given up
    breaks,          // connections break, with requests and replies in flight
    silent_breaks,   // connections that are dead without notice
    lost_requests,   // for a while no request arrives at the server
    lost_replies,    // for a while no reply comes back
    stops,           // a process is stopped, as by SIGSTOP or a garbage collector
    slow_threads,    // a thread does not run for a while, at any point
    crashes,         // a process dies, and another takes its place
    forks,           // more processes than at the beginning
    cancels,         // callers cancel
    freezes,         // the server stops for a while
    restarts,        // the server restarts with its data
    empty_restarts,  // the server restarts without data
    old_restarts,  // the server restarts with old data, or gets it as a replica and keeps its connections
    loading,  // the server reports that it is not ready
    script_flushes,
    key_flushes,
    deletions,    // an operator deletes a lock
    full_memory,  // writes are refused
    server_forward,
    server_back,
    server_far_back,  // the server's clock goes back by days
    wall_steps,       // the wall clocks of the clients are stepped
    drift,            // clocks at different rates, within the configured drift
    wild_drift,       // clocks at different rates, beyond the configured drift
    lost_pushes,      // for a while some published messages are lost, but nothing else
    onlookers,        // an observer listens to every channel, by a pattern
    uncounted,        // for a while messages reach listeners that the server does not count
    count
};

constexpr auto fault_count = static_cast<std::size_t>(fault::count);
using fault_set = std::bitset<fault_count>;

constexpr std::array<std::string_view, fault_count> fault_names{
    "spikes",         "late-requests",  "breaks",          "silent-breaks",  "lost-requests",
    "lost-replies",   "stops",          "slow-threads",    "crashes",        "forks",
    "cancels",        "freezes",        "restarts",        "empty-restarts", "old-restarts",
    "loading",        "script-flushes", "key-flushes",     "deletions",      "full-memory",
    "server-forward", "server-back",    "server-far-back", "wall-steps",     "drift",
    "wild-drift",     "lost-pushes",    "onlookers",       "uncounted"};

[[nodiscard]] constexpr std::string_view name_of(fault which)
{
    return fault_names[static_cast<std::size_t>(which)];
}

[[nodiscard]] inline std::optional<fault> fault_named(std::string_view name)
{
    for (std::size_t i = 0; i < fault_count; ++i) {
        if (fault_names[i] == name) return static_cast<fault>(i);
    }
    return std::nullopt;
}

}  // namespace pawl::sim
