// Operations as Redis requests, and replies as outcomes. docs/wire.md describes what is written here.
#pragma once

#include "core/operation.h"
#include "redis/failure.h"
#include "redis/handshake.h"
#include "redis/resp.h"
#include "redis/scripts.h"
#include "store/redis/server_clock.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::store {

// A script is named by its SHA-1; its text is sent only when the server does not know it.
enum class script_form { by_sha, in_full };

// Appends one operation. Of the operations only `renew` can be for several locks, all of one layout.
void append_operations(std::string& out, std::span<const core::operation> what, script_form form,
                       const redis::server_facts& server, const server_clock& clock);

// A bare acquire: SET … NX for the lock and INCR for its fence, two commands with a reply each, instead of
// a script. INCR knows nothing of the time, so it carries a number on that was lost in part, when a server
// was restarted with old data or another took its place. A number is trusted if it began after our
// connection did, for then the server has counted on from there itself: it is no smaller than this.
// Nothing: it must be the script. docs/decisions/0010 has the reasons.
[[nodiscard]] std::optional<std::uint64_t> first_trusted_fence(const core::operation& what,
                                                               const redis::server_facts& server,
                                                               const server_clock& clock);
void append_bare_acquire(std::string& out, const core::operation& what);

// The outcome of each operation of one request. A reply that makes no sense is `refused`.
[[nodiscard]] std::vector<core::outcome> read_outcomes(std::span<const core::operation> what,
                                                       const redis::reply_view& reply);

// The reply to INCR, if it can be a fence.
[[nodiscard]] std::optional<std::uint64_t> read_fence(const redis::reply_view& reply);

// In the reply to an acquire: the server's time, and whether it came later than it was wanted.
struct acquire_time {
    std::chrono::milliseconds now;
    bool too_late;
};
// Nothing if there is none that makes sense.
[[nodiscard]] std::optional<acquire_time> read_time(const redis::reply_view& reply);

// What is published to a client's channel. The texts are those of the message.
struct message {
    enum class kind { grant, wanted };
    kind what{};
    std::string_view lock;
    std::string_view holder;  // these: grant
    std::uint64_t fence{};
    std::chrono::milliseconds time{};  // of the server, since the epoch
};
// Nothing if it makes no sense.
[[nodiscard]] std::optional<message> read_message(std::string_view text);
[[nodiscard]] std::string channel_of(std::string_view client);

// Whether the server does not know the script: send it in full.
[[nodiscard]] bool is_unknown_script(const redis::reply_view& reply) noexcept;

// Whether the server will not do what it was asked, now or later.
[[nodiscard]] bool is_refusal(const redis::reply_view& reply);

// No reply came.
[[nodiscard]] core::outcome outcome_of(const redis::failure& why);

}  // namespace pawl::store
