// What happens to a hold, told as events with a cause.
//
//   held ──renewal did not succeed──▶ jeopardy ──renewal succeeded──▶ held
//   held, jeopardy ──deadline passed, or the server said so──▶ lost
//   held, jeopardy ──release──▶ released
//
// lost and released are final.
#pragma once

#include <pawl/export.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace pawl {

enum class hold_state { held, jeopardy, lost, released };

// Why a hold left the state `held`.
enum class cause {
    none,
    no_reply,     // the server did not answer a renewal in time
    unreachable,  // the connection broke or could not be made
    refused,      // the server answered a renewal with an error
    expired,      // the local deadline passed without a renewal
    vanished,     // the key is gone: deleted, flushed, evicted, or a server restarted without data
    taken,        // the key names another holder
    not_a_lock,   // the key now holds something else
    closed,       // the client was destroyed first
};

[[nodiscard]] PAWL_EXPORT std::string_view to_string(hold_state state) noexcept;
[[nodiscard]] PAWL_EXPORT std::string_view to_string(cause why) noexcept;

struct event {
    std::string lock;    // the name of the lock
    std::string holder;  // hold::id()
    std::uint64_t fence{};
    hold_state from{};
    hold_state to{};
    cause why{};
    std::string detail;                    // the server's or the system's own words, if any
    std::chrono::nanoseconds valid_for{};  // until the local deadline, at the time of the change
};

enum class log_level { debug, info, warning, error };

}  // namespace pawl
