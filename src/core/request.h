// The requests of the protocol to a store, and the replies: one type of request and reply for each verb.
//
// Every request may be repeated, and may arrive late. The holder id is new for each grant, so a late or
// repeated request cannot take, free or prolong the lock of another holder. A count request gives the new
// count, not the change.
//
//   request           reply                                   when it is executed again, it …
//   acquire_request   granted | busy | unacknowledged | …     finds its own grant or place again
//   count_request     hold_status | failure                   sets the same count
//   extend_request    hold_status | failure                   never shortens the lease
//   renew_request     hold_status | bare_majority | failure   never shortens a lease
//                     for each lock
//   check_request     hold_status | failure                   changes nothing
//   keep_request      kept | handed_over | superseded | …     is `superseded`
//   release_request   hold_status | failure                   finds that the lock is gone
//   resize_request    resized | failure                       changes nothing, and says so
//   arrive_request    arrived | failure                       finds its own arrival
//   wait_request      hold_status | failure                   finds its own waiter
//   look_request      hold_status | failure                   finds the same, or that it has left
//   notify_request    hold_status | failure                   wakes others: they wake for no reason
//   yield_request     handed_over | no_candidate | …          finds what it did; never acts a second time
//   read_request      term_seen | failure                     changes nothing
//   due_request       due | failure                           changes nothing
//   node_request      one of core/vote.h, to one node of a quorum
#pragma once

#include "base/clock.h"
#include "core/failure.h"
#include "core/object.h"
#include "core/request_parts.h"
#include "core/vote.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace pawl::core {

// The kind of holder of a busy lock.
enum class held_by {
    pawl,     // a holder that tells the next waiter when it leaves
    foreign,  // a holder of another library, which tells no waiter
    no_lock,  // no holder: the value has no expiry, and does not look like a holder id
};

// ── Acquire: take the lock if it is free ────────────────────────────────────────────────────────

struct granted {
    std::uint64_t fence{};
    bool found = false;  // granted before this request: to an earlier try, or by hand-over
    core::hint hint{};   // for the next acquire, if no other client has the lock until then
    // When the lease began, if that may be before the request was sent.
    std::optional<base::boot_time> at{};
};

struct busy {
    std::chrono::milliseconds left{-1};  // the rest of the holder's lease; -1 if it is not known
    held_by holder = held_by::pawl;
    bool queued = false;  // the waiter has a place in the queue
    // If it has just joined the queue: how many wait there, itself included. 0 if it is not known.
    std::uint32_t waiters = 0;
    // Not empty: nobody need have the lock, but too few nodes of a quorum can vote. What is wrong at each of them.
    std::string shortage{};
    // Not empty: another holder has the lock, and some nodes of a quorum did not vote because something is wrong there.
    // Why each node has no vote for this holder.
    std::string missing{};
};

// The store has granted it, but not as safely as it was asked to: too few replicas have it.
struct unacknowledged {
    failure why{};
};

using acquire_reply = std::variant<failure, granted, busy, unacknowledged>;

struct acquire_request {
    using reply = acquire_reply;

    claim mine{};
    std::chrono::milliseconds lease{};
    base::boot_time sent{};
    base::boot_time until{};  // after this time the caller does not want the lock from this request

    bool first = true;      // the first request for this holder
    bool repeated = false;  // an earlier try may have been executed

    // If the lock is busy, join the queue. The place is kept for this time.
    std::optional<std::chrono::milliseconds> wait{};
    bool fair = false;          // do not overtake the waiters in the queue
    std::string_view client{};  // the client that is told of the grant
    unsigned reserve = 0;       // numbers to set aside above the fence, to pass the lock on with

    core::hint hint{};  // from the last grant, if the lock is probably free

    // This holder leaves as the new one enters, and no other comes between them: a writer becomes a reader,
    // or the only reader becomes the writer. It is `busy` if others are in. It never joins the queue.
    std::optional<claim> instead_of{};

    // What a hand-over gives to the waiter. For many locks, that is a part of them.
    [[nodiscard]] queue_place place() const noexcept;
};

// ── Requests about a hold ───────────────────────────────────────────────────────────────────────

// Set the number of holds, and restart the lease.
struct count_request {
    using reply = hold_reply;

    claim mine{};
    std::chrono::milliseconds lease{};
    unsigned count = 1;
};

// Restart the lease with this length.
struct extend_request {
    using reply = hold_reply;

    claim mine{};
    std::chrono::milliseconds lease{};
};

// Restart the leases of many locks.
struct renew_request {
    using reply = std::vector<hold_reply>;  // in the same order

    std::vector<extend_request> all{};
};

struct check_request {
    using reply = hold_reply;

    claim mine{};
};

// Give the lock back, whatever its count. If the holder id does not hold the lock, it leaves the queue. If its
// object has a condition, it leaves that too, and passes on a notification that it may have had.
struct release_request {
    using reply = hold_reply;

    claim mine{};
    std::uint64_t used = 0;    // the holder's last fence; 0 if it is not known
    bool has_reserve = false;  // numbers above `used` are set aside
    bool announce = false;     // publish the release
    bool used_up = false;      // once: no other run may begin in this period

    // For a release that may have been executed before. Others may have had the lock since then, with
    // higher fences, so the store must not take `used` for the last fence.
    void forget_numbers() noexcept
    {
        used = 0;
        has_reserve = false;
    }
};

// ── Keep: hand the lock over to the first waiter; if there is none, the lock stays ──────────────

struct kept {
    std::uint64_t fence{};       // a new fence
    bool lease_restarts = true;  // false: the deadline must not be counted from this request
};
struct handed_over {};
struct superseded {};  // another keep request was executed first

using keep_reply = std::variant<failure, kept, handed_over, superseded, hold_status>;

struct keep_request {
    using reply = keep_reply;

    claim mine{};
    std::chrono::milliseconds lease{};
    std::uint64_t used = 0;      // the holder's last fence
    unsigned reserve = 0;        // numbers to set aside above the new fence
    std::uint64_t reserved = 0;  // the last number that was set aside so far
    bool announce = false;       // publish a hand-over
};

// ── Resize: set the capacity of a semaphore, and let in the waiters that fit now ────────────────

struct resized {
    std::uint64_t number{};  // of the last resize, 0 if there was none
    bool is_set = false;     // the last resize is that of this request
};

using resize_reply = std::variant<failure, resized>;

struct resize_request {
    using reply = resize_reply;

    const object* what{};  // it must outlive the request
    unsigned capacity = 0;
    // It is executed only if this is the number of the last resize. Unset: it only asks for the number.
    std::optional<std::uint64_t> after{};
};

// ── Arrive: one of the arrivals that open a latch or a barrier ──────────────────────────────────

struct arrived {
    std::uint64_t phase{};  // in which it arrived
};

using arrive_reply = std::variant<failure, arrived>;

// A participant numbers its arrivals, and sends the next one only when the last one was answered or given up.
// So a delayed or repeated request does not count again.
struct arrive_request {
    using reply = arrive_reply;

    const object* what{};
    std::string_view participant{};
    std::uint64_t number = 1;
    unsigned count = 1;      // how many arrivals it counts for
    bool drops_out = false;  // one less is expected from the next phase on
};

// ── Conditions ──────────────────────────────────────────────────────────────────────────────────
// The object of a waiter, and of a notification, is the lock with the name of the condition.

// Give the lock back, and wait for a condition of it, in one step.
struct wait_request {
    using reply =
        hold_reply;  // `done`: it waits. Otherwise the lock was lost before, and it does not

    release_request release{};
    claim waiter{};  // a new holder id, which will have the lock again
    queue_place place{};
    std::chrono::milliseconds stay{};  // how long the place is kept
};

// Keep the waiter's place in the condition for longer, or leave the condition.
struct look_request {
    using reply = hold_reply;  // `done`: it is there, or was until now; `vanished`: it is not

    claim waiter{};
    queue_place place{};
    std::chrono::milliseconds stay{};
    bool leaves = false;
};

// Move one waiter, or all, from the condition to the queue of the lock.
struct notify_request {
    using reply = hold_reply;  // `done`

    const object* what{};
    bool all = false;
};

// ── Yield: hand the lead over to the candidate with this name; if none waits, the term goes on ──

struct no_candidate {};

using yield_reply = std::variant<failure, handed_over, no_candidate, hold_status>;

// The holder numbers its requests. A delayed one must not hand over after the holder was told that the term goes
// on, so the store executes only a request with a greater number than before. A repetition has the same number.
struct yield_request {
    using reply = yield_reply;

    claim mine{};
    std::uint64_t used = 0;  // the holder's fence
    std::string_view candidate{};
    std::uint64_t number = 1;
    bool announce = false;  // publish the hand-over
};

// ── Read: who leads ─────────────────────────────────────────────────────────────────────────────

struct term_seen {
    std::uint64_t fence = 0;  // 0 if there is no leader
    std::chrono::milliseconds left{-1};
    std::string candidate{};  // the text of core/candidate.h
};

using read_reply = std::variant<failure, term_seen>;

struct read_request {
    using reply = read_reply;

    const object* what{};
};

// ── Due: when the next run may begin ────────────────────────────────────────────────────────────

struct due {
    // 0: now, or as soon as the run that is under way has ended. Nothing if the period never ends.
    std::optional<std::chrono::milliseconds> in{};
};

using due_reply = std::variant<failure, due>;

struct due_request {
    using reply = due_reply;

    const object* what{};
};

// ── Any request, any reply ──────────────────────────────────────────────────────────────────────

// Requests that are repeated until they are answered: core/exchange.h.
using exchange_request =
    std::variant<count_request, extend_request, check_request, keep_request, release_request,
                 resize_request, arrive_request, wait_request, look_request, notify_request,
                 yield_request, read_request, due_request>;
using request = std::variant<acquire_request, renew_request, exchange_request, node_request>;
using reply = std::variant<acquire_reply, hold_reply, renew_request::reply, keep_reply,
                           resize_reply, arrive_reply, yield_reply, read_reply, due_reply,
                           vote_reply, raise_reply, hand_back_reply, restore_reply>;

// The failure in a reply. nullptr if it has none, or if each lock in it has its own reply: that to a renew_request or a
// restore_request.
[[nodiscard]] const failure* failure_in(const reply& got);

// The reply that says that this request failed.
[[nodiscard]] reply failed(const request& what, const failure& why);

}  // namespace pawl::core
