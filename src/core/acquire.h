// The machine that acquires a lock at the server.
//
//   start ──▶ send ──granted──────▶ finish
//              ▲ ├──in the queue──▶ wait ──granted by hand-over──▶ finish
//              │ │                    ├──one of many locks──▶ send …
//              │ │                    └──time to look again──▶ send …   until the caller's limit
//              │ ├──busy──────────▶ pause ──▶ send …                    until the caller's limit
//              │ ├──in the queue,
//              │ │  foreign holder▶ wait ──▶ send …   every 20–100 ms, until the caller's limit
//              │ ├──no answer, or
//              │ │  granted and not
//              │ │  acknowledged──▶ pause (back-off) ──▶ send …         until patience ends
//              └── the grant came too late to be useful, or it was handed over and is not acknowledged: ask again
//
// A foreign holder belongs to another library. It does not tell the next waiter when it releases the lock,
// so the waiters of pawl must ask.
#pragma once

#include "base/clock.h"
#include "core/machine.h"
#include "core/notice.h"
#include "core/patience.h"
#include "core/poll_pauses.h"
#include "core/request.h"

#include <pawl/error.h>
#include <pawl/options.h>
#include <pawl/time_limit.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::core {

struct acquire_plan {
    claim mine{};
    std::chrono::milliseconds lease{};
    std::chrono::milliseconds poll_interval{};  // longest pause without a place in the queue
    std::chrono::milliseconds command_limit{};
    double drift{};
    time_limit limit = time_limit::now();

    // The holder id was made for this acquire alone. If the server already has it as the holder, then an
    // earlier try was granted. If false, a try that may have been executed cannot be repeated.
    bool own_holder = true;

    // Wait in the server's queue, while this client can hear of the grant (see hears()).
    bool joins = false;
    bool fair = false;
    std::string_view client{};  // the client that is told of a grant
    unsigned reserve = 0;       // numbers to set aside above the fence

    // The last acquire_result::hint, if the lock was granted at once then, so that it is probably free
    // now. It is sent with the first request, and with requests that repeat it. It is not sent if numbers
    // are to be set aside, or if the lock is fair.
    core::hint hint{};

    // The holder that leaves when this one enters, as in acquire_request. Not with `joins`.
    std::optional<claim> instead_of{};

    // The server may have a grant or a place for this holder already, from a request of another kind.
    bool asked_before = false;

    // Other callers of this client asked before, and got no answer for this long. The patience of this
    // call is shorter by that time.
    base::boot_clock::duration silent_before{};
};

// A request that may be late (failure::maybe_late) is assumed to be executed within this time or never.
inline constexpr std::chrono::seconds latest_execution{60};

// Valid after `finish`.
struct acquire_result {
    std::optional<errc> failure;  // empty if granted
    std::string detail;
    std::uint64_t fence{};
    base::boot_time sent{};  // the lease began at this time or later
    bool unheard = false;    // granted by hand-over, but the message did not arrive

    // The server handed it over to a place in the queue. The time is that of the hand-over, if the grant came with its
    // message, and no other request was needed.
    bool handed_over = false;
    std::optional<base::boot_time> handed_over_at;

    // For the next acquire. Set if no request found the lock busy, and none that may have been executed
    // was left without an answer.
    core::hint hint{};

    // Not granted, but the server may have a grant or a place in the queue for this holder, now or when a
    // delayed request arrives. It must be released.
    bool uncertain = false;

    // Not granted, because too few replicas acknowledged it: the server has granted it to this call.
    bool unacknowledged = false;

    // A request may still be on its way, also after a grant. It is not executed after this time.
    base::boot_time wanted_until{};

    // Set if not granted, and the last request got no answer.
    std::optional<core::silence> silence;
};

class acquire_machine final : public machine {
public:
    acquire_machine(const acquire_plan& plan, const base::random_unit& random);

    [[nodiscard]] step start(base::boot_time now) override;
    [[nodiscard]] step on_reply(const reply& got, base::boot_time now) override;
    [[nodiscard]] step on_time(base::boot_time now) override;
    [[nodiscard]] step on_cancel(base::boot_time now, std::string_view why) override;

    // Instead of start(): the lock was handed over to this holder.
    [[nodiscard]] step start_with(const grant_notice& got, base::boot_time now);

    [[nodiscard]] step answered(const acquire_reply& got, base::boot_time now);

    // The lock was handed over to this waiter, or one of many. May be called at any time between start() and `finish`.
    [[nodiscard]] step on_granted(const grant_notice& got, base::boot_time now);

    // Whether this client can hear of a grant. If it cannot, the machine does not join the queue.
    void hears(bool now) noexcept { hears_ = now; }

    [[nodiscard]] const acquire_result& result() const noexcept { return result_; }

private:
    void begin(base::boot_time now);
    step send(base::boot_time now);
    step on_pause_over(base::boot_time now);
    [[nodiscard]] static step pause(base::boot_time until);
    step finish(errc failure, std::string detail);
    step on_grant(const granted& got, base::boot_time now);
    step on_unacknowledged(const failure& why, base::boot_time now);
    step ask_with_grant(base::boot_time now);
    step on_busy(const busy& got, base::boot_time now);
    step on_failure(const failure& got, base::boot_time now);
    [[nodiscard]] failure without_answer(failure_kind why, std::string detail) const;
    [[nodiscard]] std::chrono::nanoseconds next_look(held_by holder);
    [[nodiscard]] std::chrono::nanoseconds foreign_pause() const;
    [[nodiscard]] std::chrono::milliseconds stay(base::boot_time now) const;
    step on_no_answer(const failure& got, base::boot_time now);

    acquire_plan plan_;
    const base::random_unit* random_;
    patience patience_;
    base::boot_time limit_{};  // until when to wait for other holders
    base::boot_time sent_{};
    base::boot_time wanted_until_{};
    bool hears_ = true;
    bool uncertain_ = false;    // the server may have a grant or a place for this holder
    bool unanswered_ = false;   // some try had no answer, and may have been executed
    bool queued_ = false;       // this waiter has a place in the queue
    bool handed_over_ = false;  // it was handed over, and a request after that is not answered yet
    poll_pauses pauses_;        // without a place in the queue
    bool seen_busy_ = false;
    bool names_nodes_ = false;                      // the detail is that of the last busy answer
    std::optional<base::boot_time> no_lock_since_;  // since when the value is not a holder
    unsigned times_unavailable_ = 0;                // answers that mean "try later"
    bool asked_before_ = false;
    bool hinted_ = false;   // the last request was the first, and had a hint
    bool sending_ = false;  // a request is under way
    bool waiting_ = false;  // in a pause or wait because the lock was busy
    bool silent_ = false;   // no answer to the last request
    bool out_of_patience_ = false;
    std::string shortage_;                // why a grant was not acknowledged
    errc no_answer_ = errc::unreachable;  // what the last request without an answer means
    acquire_result result_;
};

// How long the server keeps a place in the queue, unless the waiter's limit comes first: the lease, but at
// least 1.5 s.
[[nodiscard]] std::chrono::milliseconds place_lifetime(std::chrono::milliseconds lease);

// How often a waiter looks: three times in the lifetime of its place. A look shows the server that the
// waiter is still there, and finds a grant whose message got lost.
[[nodiscard]] std::chrono::milliseconds look_interval(std::chrono::milliseconds lease);

}  // namespace pawl::core
