// An acquire, as a call of a script or as two bare commands: how it is written, and what the replies
// mean.
#pragma once

#include "core/request.h"
#include "redis/handshake.h"
#include "redis/resp.h"
#include "store/redis/script_call.h"
#include "store/redis/server_clock.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace pawl::store {

// What the script is told besides the request.
struct acquire_context {
    const server_clock& clock;
    bool mend;  // a bare acquire may have begun the fence anew
};
void append(std::string& out, const core::acquire_request& what, const script_style& how,
            const acquire_context& context);

[[nodiscard]] core::acquire_reply read(const core::acquire_request& what,
                                       const redis::reply_view& reply);

// In the reply of the script: the server's time, and whether the request came later than it was wanted.
struct acquire_time {
    std::chrono::milliseconds now;
    bool too_late;
};
// Nothing if there is none that makes sense.
[[nodiscard]] std::optional<acquire_time> read_time(const redis::reply_view& reply);

// A bare acquire: SET … NX for the lock and INCR for its fence, two commands with a reply each, instead of
// a script. INCR knows nothing of the time, so it carries a number on that was lost in part, when a server
// was restarted with old data or another took its place. A number is trusted if it began after our
// connection did, for then the server has counted on from there itself: it is no smaller than this.
// Nothing: it must be the script. docs/decisions/0010 has the reasons.
[[nodiscard]] std::optional<std::uint64_t> first_trusted_fence(const core::acquire_request& what,
                                                               const redis::server_facts& server,
                                                               const server_clock& clock);
void append_bare(std::string& out, const core::acquire_request& what);

// The hint that a grant with this fence gives: the next acquire may be a bare one.
[[nodiscard]] core::hint hint_of(const core::acquire_request& what, std::uint64_t fence) noexcept;

}  // namespace pawl::store
