// The words between the protocol and whatever stores the locks: what is asked, what is answered.
//
// Every operation may be repeated. `holder` is new for each grant, so a late or doubled request can
// neither take nor free nor prolong another's lock, and what a count should be is said, not how it
// should change.
#pragma once

#include "base/clock.h"
#include "core/keys.h"

#include <pawl/options.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace pawl::core {

enum class verb {
    acquire,    // take it if it is free
    set_count,  // note how often the holder has it; renews the lease
    renew,      // the lease counts anew from now; never shortens it
    check,      // is the holder still the holder?
    release,    // give it back, however often it is held
};

struct operation {
    verb what{};
    pawl::layout layout{};
    const lock_keys* keys{};  // these two must outlive the operation
    std::string_view holder{};
    std::chrono::milliseconds lease{};  // acquire, set_count, renew
    unsigned count = 1;                 // set_count
    bool repeated = false;              // acquire: an earlier try may have been executed
    base::boot_time sent{};             // acquire: now
    base::boot_time until{};            // acquire: when the answer is no longer waited for
};

enum class verdict {
    done,         // granted, renewed, released, still ours
    busy,         // acquire: someone holds it
    vanished,     // not acquire: the key is gone
    taken,        // not acquire: the key names another holder
    not_a_lock,   // the key is of another type
    refused,      // the server said no, and would say so again
    unavailable,  // the server said: not now
    no_reply,     // sent, and no answer within the limit
    unreachable,  // no connection, or it broke
    cancelled,    // the caller's stop_token
};

struct outcome {
    verdict what{};
    std::uint64_t fence{};                   // acquire, done
    std::chrono::milliseconds busy_for{-1};  // acquire, busy: what is left of the lease; -1 unknown
    bool maybe_executed = false;             // no answer, but the server may have got the request
    std::string detail{};                    // the server's or the system's own words
};

// Whether the server answered the question.
[[nodiscard]] constexpr bool is_answer(verdict what) noexcept
{
    return what <= verdict::refused;
}

}  // namespace pawl::core
