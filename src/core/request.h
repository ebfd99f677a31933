// What the protocol asks a store, and what the store answers: one request and one reply per verb.
//
// Every request may be repeated, and may arrive late. The holder id is new for each grant, so a late
// or doubled request can neither take nor free nor prolong the lock of another holder. A count is
// given as what it should be, not as a change.
//
//   request           reply                                   executed once more, it …
//   acquire_request   granted | busy | failure                finds its own grant or place again
//   count_request     hold_status | failure                   sets the same count
//   extend_request    hold_status | failure                   never shortens the lease
//   renew_request     one of these for each lock              likewise
//   check_request     hold_status | failure                   changes nothing
//   keep_request      kept | handed_over | superseded | …     is `superseded`
//   release_request   hold_status | failure                   finds that the lock is gone
#pragma once

#include "base/clock.h"
#include "core/failure.h"
#include "core/object.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace pawl::core {

// ── Parts of requests ───────────────────────────────────────────────────────────────────────────

// The object that is asked about, and the holder that asks. Both must outlive the request.
struct claim {
    const object* what{};
    std::string_view holder{};
};

// What a store wants to be told when the same object is acquired once more. Only the store knows what
// it means. A request with a hint may be late (failure::maybe_late).
struct hint {
    std::uint64_t value = 0;  // 0: nothing

    explicit operator bool() const noexcept { return value != 0; }
};

// A waiter's place in the queue, besides its holder id.
struct queue_place {
    std::string_view client{};  // is told of the grant
    std::chrono::milliseconds lease{};
    unsigned reserve = 0;
};

// ── Parts of replies ────────────────────────────────────────────────────────────────────────────

// What the store says about a holder.
enum class hold_status {
    done,        // it is the holder; what was asked for is done
    vanished,    // there is no holder
    taken,       // another one is
    not_a_lock,  // the object is of another type
};
// A reply that was never set is a failure, here and below.
using hold_reply = std::variant<failure, hold_status>;

[[nodiscard]] cause cause_of(hold_status what) noexcept;

// Who holds an object that is busy.
enum class held_by {
    pawl,     // it tells the next one when it leaves
    foreign,  // another library, which tells nobody
    no_lock,  // nobody: the value has no expiry, and does not look like a holder
};

// ── Acquire: take it if it is free ──────────────────────────────────────────────────────────────

struct granted {
    std::uint64_t fence{};
    bool found = false;  // it had been granted before, to an earlier try or by hand-over
    core::hint hint{};   // for the next acquire, if nobody else has the object until then
};

struct busy {
    std::chrono::milliseconds left{-1};  // of the holder's lease; -1 if that is not known
    held_by holder = held_by::pawl;
    bool queued = false;  // there is a place in the queue
};

using acquire_reply = std::variant<failure, granted, busy>;

struct acquire_request {
    using reply = acquire_reply;

    claim mine{};
    std::chrono::milliseconds lease{};
    base::boot_time sent{};   // now
    base::boot_time until{};  // when the answer is no longer waited for

    bool first = true;      // nothing was asked for this holder before
    bool repeated = false;  // an earlier try may have been executed

    // If another one holds it: wait in the queue, where the place is kept for so long.
    std::optional<std::chrono::milliseconds> wait{};
    bool fair = false;          // do not overtake those who wait there
    std::string_view client{};  // is told of the grant
    unsigned reserve = 0;       // numbers to set aside above the fence, to pass the lock on with

    core::hint hint{};  // from the last grant, if it is worth a try

    [[nodiscard]] queue_place place() const noexcept { return {client, lease, reserve}; }
};

// ── Questions about a hold ──────────────────────────────────────────────────────────────────────

// The holder now has it so many times. The lease counts anew.
struct count_request {
    using reply = hold_reply;

    claim mine{};
    std::chrono::milliseconds lease{};
    unsigned count = 1;
};

// The lease counts anew, and lasts so long.
struct extend_request {
    using reply = hold_reply;

    claim mine{};
    std::chrono::milliseconds lease{};
};

// The leases of many locks count anew.
struct renew_request {
    using reply = std::vector<hold_reply>;  // in the same order

    std::vector<extend_request> all{};
};

struct check_request {
    using reply = hold_reply;

    claim mine{};
};

// Give it back, however often it is held. A waiter that does not hold it leaves the queue.
struct release_request {
    using reply = hold_reply;

    claim mine{};
    std::uint64_t used = 0;    // the holder's last fence; 0 if that is not known
    bool has_reserve = false;  // numbers above it are set aside
    std::optional<queue_place> place{};
    bool announce = false;  // to everyone who listens

    // If a release was done before, others may have had the lock since, with higher numbers: this one
    // must not be taken for the last word about them.
    void forget_numbers() noexcept
    {
        used = 0;
        has_reserve = false;
    }
};

// ── Keep: hand it over to the first waiter; if there is none it stays ───────────────────────────

struct kept {
    std::uint64_t fence{};  // a new one
};
struct handed_over {};
struct superseded {};  // another such request came first

using keep_reply = std::variant<failure, kept, handed_over, superseded, hold_status>;

struct keep_request {
    using reply = keep_reply;

    claim mine{};
    std::chrono::milliseconds lease{};
    std::uint64_t used = 0;      // the holder's last fence
    unsigned reserve = 0;        // numbers to set aside above the new fence
    std::uint64_t reserved = 0;  // the last number that was set aside so far
    bool announce = false;       // that it was handed over
};

// ── Any of them ─────────────────────────────────────────────────────────────────────────────────

using request = std::variant<acquire_request, count_request, extend_request, renew_request,
                             check_request, keep_request, release_request>;
using reply = std::variant<acquire_reply, hold_reply, renew_request::reply, keep_reply>;

// The failure in a reply about one lock; nullptr if it is an answer.
[[nodiscard]] const failure* failure_in(const reply& got);

// The reply to such a request that failed.
[[nodiscard]] reply failed(const request& what, const failure& why);

}  // namespace pawl::core
