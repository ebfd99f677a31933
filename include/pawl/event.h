// The states of a hold, and the event that reports each change of state with its cause.
//
//   held ──renewal did not succeed, or was left out──▶ jeopardy ──renewal succeeded──▶ held
//   held, jeopardy ──deadline passed, or the server said so──▶ lost
//   held, jeopardy ──release──▶ released
//
// No event of the same hold follows `lost` or `released`. When a lost hold is released,
// hold::state() changes to `released`, but no event reports this.
#pragma once

#include <pawl/export.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace pawl {

enum class hold_state { held, jeopardy, lost, released };

// Why a hold is in jeopardy or lost.
enum class cause {
    none,
    no_reply,       // the server did not answer a renewal in time
    unreachable,    // the connection broke or could not be made; lost: a change of sides of a
                    // shared_mutex, or a leader's request to yield, got no answer
    refused,        // the server answered a renewal with an error
    expired,        // the local deadline passed without a renewal
    vanished,       // the key is gone: deleted, flushed, evicted, or the server lost its data
    taken,          // the key names another holder
    not_a_lock,     // the key now holds something that is not a lock
    closed,         // the client was destroyed before the hold, or this is a child after fork()
    held_too_long,  // lock_options::longest_hold has passed
    no_beat,        // lock_options::heartbeat has passed without a call of hold::beat()
    bare_majority,  // jeopardy: of a quorum, only just a majority of the nodes has the lock. It is
                    // renewed, but the next node that fails may take it away. The detail names the
                    // other nodes
    broken,         // an operator has ended the hold: pawl break. The detail is the reason that was
                    // given
};

// These return the state or the cause in words, for example "jeopardy" or "no reply".
// Round trips: none.
// Threads: any thread may call them.
[[nodiscard]] PAWL_EXPORT std::string_view to_string(hold_state state) noexcept;
[[nodiscard]] PAWL_EXPORT std::string_view to_string(cause why) noexcept;

struct event {
    std::string lock;    // the name of the lock
    std::string holder;  // hold::id()
    std::uint64_t fence{};
    hold_state from{};
    hold_state to{};
    cause why{};
    std::string detail;  // message of the server or the system, or which nodes of a
                         // quorum are missing, if any
    std::chrono::nanoseconds valid_for{};  // to the local deadline; 0 when lost or released
};

}  // namespace pawl
