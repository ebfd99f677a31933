// How the callers of one process share a lock: the interface of two machines.
//
//   core::local_lock      one caller at a time has the lock, and passes it on to the next
//   core::local_readers   any number of callers have it at the same time
//
//   a caller        arrive ──▶ take │ join │ ask │ wait ──woken──▶ look ──▶ take │ join │ ask │ give up
//   the one asking  begin_to_ask ──▶ (the server) ──▶ granted │ not_granted
//   a holder        release ──▶ done │ keep ──▶ (the server) ──▶ kept │ give back
//
// Like all machines they have no clock, no thread and no lock of their own.
#pragma once

#include "base/clock.h"
#include "core/failure.h"
#include "core/give_back.h"
#include "core/lease_table.h"
#include "core/local_line.h"
#include "core/patience.h"
#include "core/request.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace pawl::core {

class local_sharing {
public:
    local_sharing() = default;
    virtual ~local_sharing() = default;
    local_sharing(const local_sharing&) = delete;
    local_sharing& operator=(const local_sharing&) = delete;

    // ── A caller wants the lock ─────────────────────────────────────────────────────────────────

    using ticket = local_line::ticket;

    struct turn {
        enum class kind {
            take,       // the lock is here: this lease, with this fence
            join,       // the lease is here, and the caller shares it with others
            ask,        // the caller asks the server, for all callers in line
            ask_alone,  // the caller asks the server, for itself: it shares nothing, or does not wait
            wait,       // in line, with this ticket, until it is woken
            busy,       // the caller does not wait
            give_up,    // another caller asked the server, which gave no answer
        };
        kind what{};
        ticket number{};
        lease_ptr lease{};
        std::uint64_t fence{};  // take
        bool lingered{};        // take: nobody wanted the lock when it was released
        trouble why{};          // give_up
    };

    [[nodiscard]] virtual turn arrive(bool may_wait, base::boot_time now) = 0;

    // A caller in line looks again, because it was woken or its time is over. Unless the answer is `wait`
    // the ticket is used up.
    [[nodiscard]] virtual turn look(ticket mine, base::boot_time now) = 0;

    // It waits no more.
    virtual void leave(ticket mine, base::boot_time now) = 0;

    // ── A caller asks the server ────────────────────────────────────────────────────────────────

    struct question {
        unsigned reserve = 0;  // numbers to set aside above the fence
        core::hint hint{};
        base::boot_clock::duration silent_before{};  // as in acquire_plan
    };

    // `hears`: this client would be told that another one wants the lock.
    [[nodiscard]] virtual question begin_to_ask(bool alone, bool hears) = 0;

    virtual void granted(bool alone, const lease_ptr& lease, base::boot_time now) = 0;
    virtual void not_granted(bool alone, const trouble& why, const std::optional<silence>& seen,
                             base::boot_time now) = 0;

    // ── The last hold of a grant has left ───────────────────────────────────────────────────────

    struct ending {
        enum class kind {
            done,       // others have the lease, or may take it
            lost,       // the lease is lost, and others have yet to leave it
            keep,       // send the request, then call kept()
            give_back,  // to the server
        };
        kind what{};
        keep_request request{};  // keep
    };
    [[nodiscard]] virtual ending release(const lease_ptr& lease, base::boot_time now) = 0;

    // `sent` is boot_time{} if the request could not be sent at all.
    virtual void kept(const lease_ptr& /*lease*/, const keep_reply& /*got*/,
                      base::boot_time /*sent*/, base::boot_time /*now*/)
    {
    }

    // In place of release(): its last holder gives the lease back to the server itself.
    virtual void given_back(const lease_ptr& /*lease*/, base::boot_time /*now*/) {}

    // The only holder of the lease is about to enter in another way. No caller joins the lease any more.
    // False if others have it too.
    [[nodiscard]] virtual bool begin_change(const lease_ptr& /*lease*/) { return true; }

    // ── Other events ────────────────────────────────────────────────────────────────────────────

    // Another client wants it; or this client no longer hears whether one does.
    virtual void wanted(base::boot_time /*now*/) {}

    // The lease may be lost, or the time of effects::look_at has come.
    virtual void look_at_lease(base::boot_time now) = 0;
    virtual void on_time(base::boot_time /*now*/) {}

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
    [[nodiscard]] virtual std::optional<ticket> to_wake(base::boot_time now) = 0;

protected:
    effects effects_;
};

}  // namespace pawl::core
