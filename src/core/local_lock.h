// One lock as the threads of one process share it: which of them asks the server, when the lock is passed
// on to the next one here, and how long the lease stays when no thread wants it.
//
//   a caller        arrive ──▶ take │ ask │ wait ──woken──▶ look ──▶ take │ ask │ give up
//   the one asking  begin_to_ask ──▶ (the server) ──▶ granted │ not_granted
//   the holder      release ──▶ passed on or lingering │ keep ──▶ (the server) ──▶ kept │ give back
//
// Each grant has its own fence. For those that are passed on here, the server has set numbers aside above
// the fence of its own grant. A lock with `linger` stays for that time although no caller waits, until
// another client wants it.
//
// core::local_queue says whose turn it is. This machine adds the lease, its numbers, and the time that
// the lease may stay. Like all machines it has no clock, no thread and no lock of its own.
#pragma once

#include "base/clock.h"
#include "core/failure.h"
#include "core/give_back.h"
#include "core/lease_table.h"
#include "core/local_queue.h"
#include "core/patience.h"
#include "core/request.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace pawl::core {

class local_lock {
public:
    struct rules {
        std::chrono::milliseconds lease{};
        std::chrono::milliseconds linger{};
        bool renew = true;
        // Callers share one grant after another. If not, each caller asks the server itself.
        bool shares = true;
    };

    explicit local_lock(const rules& how);

    // ── A caller wants the lock ─────────────────────────────────────────────────────────────────

    using ticket = local_queue::ticket;

    struct turn {
        enum class kind {
            take,       // the lock is here: this lease, with this fence
            ask,        // the caller asks the server, for all callers in line
            ask_alone,  // the caller asks the server, for itself: it shares nothing, or does not wait
            wait,       // in line, with this ticket, until it is woken
            busy,       // the caller does not wait
            give_up,    // another caller asked the server, which gave no answer
        };
        kind what{};
        ticket number{};
        lease_ptr lease{};
        std::uint64_t fence{};
        trouble why{};  // give_up
    };

    [[nodiscard]] turn arrive(bool may_wait, base::boot_time now);

    // A caller in line looks again, because it was woken or its time is over. Unless the answer is `wait`
    // the ticket is used up.
    [[nodiscard]] turn look(ticket mine, base::boot_time now);

    // It waits no more.
    void leave(ticket mine, base::boot_time now);

    // ── A caller asks the server ────────────────────────────────────────────────────────────────

    struct question {
        unsigned reserve = 0;  // numbers to set aside above the fence
        core::hint hint{};
        base::boot_clock::duration silent_before{};  // as in acquire_plan
    };

    // `hears`: this client would be told that another one wants the lock.
    [[nodiscard]] question begin_to_ask(bool alone, bool hears);

    void granted(bool alone, const lease_ptr& lease, base::boot_time now);
    void not_granted(bool alone, const trouble& why, const std::optional<silence>& seen,
                     base::boot_time now);

    // ── The last hold of a grant has left ───────────────────────────────────────────────────────

    struct ending {
        enum class kind {
            done,       // the lease is for the next caller, or lingers
            keep,       // send the request, then call kept()
            give_back,  // to the server
        };
        kind what{};
        keep_request request{};  // keep
    };
    [[nodiscard]] ending release(const lease_ptr& lease, base::boot_time now);

    // `sent` is boot_time{} if the request could not be sent at all.
    void kept(const lease_ptr& lease, const keep_reply& got, base::boot_time sent,
              base::boot_time now);

    // ── Other events ────────────────────────────────────────────────────────────────────────────

    // Another client wants it; or this client no longer hears whether one does.
    void wanted(base::boot_time now);

    // The lease may be lost, or the time of effects::look_at has come.
    void look_at_lease(base::boot_time now);
    void on_time(base::boot_time now);

    // ── What follows ────────────────────────────────────────────────────────────────────────────

    // After each event, the caller does this.
    struct parting {
        lease_ptr lease;
        std::optional<giving> to_server;  // none if the server knows already
    };
    struct effects {
        lease_ptr resting{};                       // no caller has it, but the lease goes on
        std::vector<parting> ended{};              // these leases end here
        std::optional<base::boot_time> look_at{};  // call on_time() then
        bool wake_all = false;                     // all callers in line look
    };
    [[nodiscard]] effects take_effects() { return std::exchange(effects_, {}); }

    // Then: this caller looks.
    [[nodiscard]] std::optional<ticket> to_wake(base::boot_time now) { return queue_.to_wake(now); }

private:
    [[nodiscard]] turn turn_of(local_queue::turn what, ticket mine);
    [[nodiscard]] turn take();
    [[nodiscard]] keep_request keeping() const;
    void notice_loss(base::boot_time now);
    void stay_or_drop(base::boot_time now);
    void drop();
    void give_up_all(const trouble& why);
    [[nodiscard]] bool is_sound(base::boot_time now) const;
    [[nodiscard]] bool lingers() const noexcept { return rules_.linger.count() > 0 && !wanted_; }

    rules rules_;
    local_queue queue_;
    trouble in_vain_;               // what callers that have to give up are told
    lease_ptr lease_;               // none if the lock is absent
    std::uint64_t next_fence_ = 0;  // to pass it on with
    std::uint64_t last_fence_ = 0;  // that was set aside
    unsigned often_enough_;         // see at_once_
    unsigned at_once_;              // how often in a row it was free when it was asked for
    core::hint hint_{};             // from the last grant, if at_once_ has reached often_enough_
    bool wanted_ = false;           // by another client
    base::boot_time idle_since_{};
    std::optional<base::boot_time> next_look_;  // when on_time() is due
    effects effects_;
};

}  // namespace pawl::core
