// An acquire, as a call of a script or as two bare commands: how it is written, and what the replies
// mean.
#pragma once

#include "core/request.h"
#include "redis/handshake.h"
#include "redis/resp.h"
#include "store/redis/replication.h"
#include "store/redis/script_call.h"
#include "store/redis/server_clock.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace pawl::store {

// What the script needs besides the request.
struct acquire_context {
    const server_clock& clock;
    bool mend;  // a bare acquire may have created the fence key
};
void append(std::string& out, const core::acquire_request& what, const script_style& how,
            const acquire_context& context);

[[nodiscard]] core::acquire_reply read(const core::acquire_request& what,
                                       const redis::reply_view& reply);

// From the script's reply: the server's time, and whether the request arrived later than it was wanted.
struct acquire_time {
    std::chrono::milliseconds now;
    std::chrono::microseconds exact;
    bool too_late;
};
// Nothing if the reply contains no valid time.
[[nodiscard]] std::optional<acquire_time> read_time(const redis::reply_view& reply);

// A bare acquire is two commands instead of a script: SET … NX for the lock, and INCR for its fence. Each
// has its own reply. INCR does not use the time. If the server was restarted with old data, or was replaced
// by a replica, INCR may return a number that was given out before. So a number is trusted only if the
// fence was started after this connection was made, and after the server last became a primary: this server
// itself has then counted on from there. Returns the smallest number that is trusted, or nothing if the
// script must be used. docs/decisions/0010 has the reasons.
[[nodiscard]] std::optional<std::uint64_t> first_trusted_fence(const core::acquire_request& what,
                                                               const redis::server_facts& server,
                                                               const server_clock& clock,
                                                               const server_history& history);
// Whether the next acquire of the same lock may be a bare one, if this one is granted.
[[nodiscard]] bool leads_to_bare(const core::acquire_request& what) noexcept;
void append_bare(std::string& out, const core::acquire_request& what);

// The hint that a grant with this fence gives: the next acquire may be a bare one.
[[nodiscard]] core::hint hint_of(const core::acquire_request& what, std::uint64_t fence) noexcept;

}  // namespace pawl::store
