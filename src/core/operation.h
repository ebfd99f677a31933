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
    keep,       // give it to the first who waits; if nobody does, it stays, with a new fence
    release,    // give it back, however often it is held; who only waits for it waits no more
};

struct operation {
    verb what{};
    pawl::layout layout{};
    const lock_keys* keys{};  // these two must outlive the operation
    std::string_view holder{};
    std::chrono::milliseconds lease{};  // acquire, set_count, renew, keep
    unsigned count = 1;                 // set_count
    bool repeated = false;              // acquire: an earlier try may have been executed
    base::boot_time sent{};             // acquire: now
    base::boot_time until{};            // acquire: when the answer is no longer waited for

    // acquire: if it seems to be free, and nothing speaks against a bare one, the last number that this
    // client had of it; else 0.
    std::uint64_t known = 0;
    bool mend = false;  // acquire: a bare one may have begun a fence

    bool join = false;                 // acquire: wait in the queue if someone holds it
    bool fair = false;                 // acquire: do not overtake who waits there
    std::chrono::milliseconds stay{};  // acquire, join: how long the place is kept
    std::string_view client{};         // acquire, join: the client that is told of the grant
    unsigned reserve = 0;              // acquire, keep: numbers above the fence, to pass it on with
    std::uint64_t used = 0;            // keep, release: the holder's last fence; 0: not known
    bool has_reserve = false;          // release: numbers above it are reserved
    std::uint64_t reserved = 0;        // keep: the last of those
    std::string_view place{};          // release: in the queue; nothing if there never was one
    bool announce = false;             // keep, release: to whoever listens

    // If a release was done before, others may have had the lock since, with higher numbers: it must
    // not be taken for the last word about them.
    void forget_numbers() noexcept
    {
        used = 0;
        has_reserve = false;
    }
};

enum class verdict {
    done,         // granted, renewed, released, still ours
    busy,         // acquire: someone holds it; keep: it was handed over
    vanished,     // not acquire: the key is gone
    taken,        // not acquire: the key names another holder
    superseded,   // keep: another such request came first
    not_a_lock,   // the key is of another type
    refused,      // the server said no, and would say so again
    unavailable,  // the server said: not now
    no_reply,     // sent, and no answer within the limit
    unreachable,  // no connection, or it broke
    cancelled,    // the caller's stop_token
};

// Who has a lock that is busy.
enum class held_by {
    pawl,     // it tells the next one when it leaves
    foreign,  // another library, which tells nobody
    no_lock,  // nobody: the value has no expiry, and does not look like a holder
};

struct outcome {
    verdict what{};
    std::uint64_t fence{};                   // acquire and keep, done
    std::chrono::milliseconds busy_for{-1};  // acquire, busy: what is left of the lease; -1 unknown
    held_by holder = held_by::pawl;          // acquire, busy
    bool queued = false;                     // acquire, busy: there is a place in the queue
    bool found = false;                      // acquire, done: it had been granted before
    bool maybe_executed =
        false;               // no answer, or an error: the server may have done it all or in part
    bool bare = false;       // … and may execute it at any time: it was a bare acquire
    bool no_server = false;  // unreachable: nobody listens at any of its addresses
    std::string detail{};    // the server's or the system's own words
};

// Whether the server answered the question.
[[nodiscard]] constexpr bool is_answer(verdict what) noexcept
{
    return what <= verdict::refused;
}

}  // namespace pawl::core
