// Acquiring a lock, as a machine: it is told what happened and when, and says what to do next.
//
//   start ──▶ send ──granted──▶ finish
//              ▲ ├──in the queue▶ wait ──granted by hand-over──▶ finish
//              │ │                  └──time to look again──▶ send …    until the caller's limit
//              │ ├──busy────────▶ pause ──▶ send …                     likewise
//              │ ├──in the queue, but the holder tells nobody──▶ wait ──▶ send …  every 20–100 ms
//              │ └──no answer───▶ pause (back-off) ──▶ send            until patience ends
//              └── a grant that came too late to be of use is asked for again
//
// It owns no clock, no socket and no randomness.
#pragma once

#include "base/clock.h"
#include "core/machine.h"
#include "core/notice.h"
#include "core/patience.h"
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
    std::chrono::milliseconds poll_interval{};  // if there is no place in the queue
    std::chrono::milliseconds command_limit{};
    double drift{};
    time_limit limit = time_limit::now();

    // The holder was made for this request alone: to find it in place means that an earlier try was
    // granted. If not, a try that may have been executed cannot be repeated.
    bool own_holder = true;

    // Wait in the server's queue, if whoever runs the machine can hear of the grant.
    bool joins = false;
    bool fair = false;
    std::string_view client{};  // who is told
    unsigned reserve = 0;       // numbers above the fence

    // The lock was granted at once when it was last asked for, and so most likely is free: what the
    // store said then (acquire_result::hint). It goes with the first request, and with those that
    // repeat it; but not if numbers are to be set aside, or no waiter may be overtaken.
    core::hint hint{};

    // Others of this client asked before and had no answer for so long. This call's patience is
    // shorter by that time.
    base::boot_clock::duration silent_before{};
};

// A request that may be late (failure::maybe_late) is taken to be executed within this time, or never.
inline constexpr std::chrono::seconds latest_execution{60};

// After `finish`.
struct acquire_result {
    std::optional<errc> failure;  // nothing: granted
    std::string detail;
    std::uint64_t fence{};
    base::boot_time sent{};  // the lease has not begun before that
    bool unheard = false;    // granted by hand-over, but the message did not come
    core::hint hint{};       // for the next time: granted to the first request, so it was free

    // Not granted, but the server may think so, now or when a delayed request arrives, or it has a
    // place in the queue: release it.
    bool uncertain = false;

    // Granted or not, the server's queue may have a place for this holder.
    bool may_have_place = false;

    // Some request may still be on its way, granted or not: later than that it is not executed any more.
    base::boot_time wanted_until{};

    // Not granted, and the server had not answered the last request.
    std::optional<core::silence> silence;
};

class acquire_machine final : public machine {
public:
    acquire_machine(const acquire_plan& plan, const base::random_unit& random);

    [[nodiscard]] step start(base::boot_time now) override;
    [[nodiscard]] step on_reply(const reply& got, base::boot_time now) override;
    [[nodiscard]] step on_time(base::boot_time now) override;
    [[nodiscard]] step on_cancel(base::boot_time now, std::string_view why) override;

    // The answer to an acquire.
    [[nodiscard]] step answered(const acquire_reply& got, base::boot_time now);

    // The lock was handed over to this waiter. At any time between start() and `finish`.
    [[nodiscard]] step on_granted(const grant_notice& got, base::boot_time now);

    // Whether this client would hear of a grant. Without that it does not join the queue.
    void hears(bool now) noexcept { hears_ = now; }

    [[nodiscard]] const acquire_result& result() const noexcept { return result_; }

private:
    step send(base::boot_time now);
    void note_place() noexcept { result_.may_have_place = joined_; }
    step on_pause_over(base::boot_time now);
    [[nodiscard]] static step pause(base::boot_time until);
    step finish(errc failure, std::string detail);
    step on_grant(const granted& got, base::boot_time now);
    step on_busy(const busy& got, base::boot_time now);
    step on_failure(const failure& got, base::boot_time now);
    [[nodiscard]] failure without_answer(failure_kind why, std::string detail) const;
    [[nodiscard]] std::chrono::nanoseconds next_look(held_by holder);
    [[nodiscard]] std::chrono::nanoseconds foreign_pause() const;
    [[nodiscard]] std::chrono::nanoseconds next_pause();
    [[nodiscard]] std::chrono::milliseconds stay(base::boot_time now) const;
    step on_no_answer(const failure& got, base::boot_time now);

    acquire_plan plan_;
    const base::random_unit* random_;
    patience patience_;
    base::boot_time limit_{};  // until when to wait for others
    base::boot_time sent_{};
    base::boot_time wanted_until_{};
    bool hears_ = true;
    bool uncertain_ = false;   // some try may have been executed without an answer
    bool unanswered_ = false;  // some try had no answer
    bool joined_ = false;      // some request asked for a place in the queue
    bool queued_ = false;      // there is one
    unsigned pauses_ = 0;      // since there was none
    bool seen_busy_ = false;
    std::optional<base::boot_time> no_lock_since_;  // a value was seen that is no holder
    unsigned times_not_now_ = 0;                    // the server said so
    bool asked_before_ = false;
    bool hinted_ = false;   // the last request was the first, and had a hint
    bool sending_ = false;  // a request is under way
    bool waiting_ = false;  // pausing because it was busy
    bool silent_ = false;   // no answer since the last request
    bool out_of_patience_ = false;
    acquire_result result_;
};

// How long a place in the queue is kept, unless the waiter's limit comes first: for a lease, but not too
// short a time.
[[nodiscard]] std::chrono::milliseconds place_lifetime(std::chrono::milliseconds lease);

// How often a waiter looks again, and shows that it still waits: three times in that time. A message that
// got lost is made good then.
[[nodiscard]] std::chrono::milliseconds look_interval(std::chrono::milliseconds lease);

}  // namespace pawl::core
