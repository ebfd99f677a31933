// What can go wrong in a run.
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
    late_requests,   // requests that are executed when everyone has given them up
    breaks,          // connections break, with requests and replies in flight
    silent_breaks,   // connections of which nobody notices that they are dead
    lost_requests,   // for a while nothing arrives at the server
    lost_replies,    // for a while nothing comes back
    stops,           // a process is stopped, as by SIGSTOP or a garbage collector
    slow_threads,    // a thread is kept from running at any point
    crashes,         // a process dies, and another takes its place
    forks,           // more processes than in the beginning
    cancels,         // callers change their minds
    freezes,         // the server stops, and goes on
    restarts,        // the server restarts with its data
    empty_restarts,  // and without
    old_restarts,    // and with those of a while ago
    loading,         // the server says that it is not ready
    script_flushes,
    key_flushes,
    deletions,    // an operator deletes a lock
    full_memory,  // writes are refused
    server_forward,
    server_back,
    server_far_back,  // by days
    wall_steps,       // the wall clocks of the clients are stepped
    drift,            // clocks at different rates, within what is configured
    wild_drift,       // and beyond
    lost_pushes,      // for a while some of what is published does not arrive, but all else does
    onlookers,        // someone listens to every channel, by a pattern
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
    "wild-drift",     "lost-pushes",    "onlookers"};

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
