// The machine that gives a lock back, waits for a condition of it, and acquires it again.
//
//   start ──▶ joining ──waits──▶ waiting ──granted by hand-over───────────────────▶ finish
//              │ │                │ ▲ └──time to look──▶ looking ──not there──┐
//              │ │                │ └──still there──────────┘                 ▼
//              │ │                └──limit or stop──▶ leaving ──────────▶ acquiring ──▶ finish
//              │ └──not there, but an earlier try may have joined─────────────┘
//              └──lost before, no answer──▶ finish
//
// A notification moves the waiter to the queue of the lock. The waiter learns of that with the grant, or when it
// looks: it is not in the condition any more. If the server has forgotten it, it is not there either, and wakes for
// no reason. Once it has been woken, or has left, it acquires the lock without a limit, as
// std::condition_variable does.
//
// The request that gives the lock back can arrive late, but it only has an effect while the old holder has the
// lock. So once it was answered, a repetition of it has no effect, with one exception: a delayed acquire of the old
// holder takes the lock again, and a delayed copy of this request comes after it. That needs a try of each without an
// answer. The copy then puts the waiter into the condition again, and a notification that goes to it is lost. To make
// that less likely, the owner releases the old holder once more as soon as the lock was given back.
#pragma once

#include "base/clock.h"
#include "core/acquire.h"
#include "core/exchange.h"
#include "core/machine.h"
#include "core/notice.h"
#include "core/poll_pauses.h"
#include "core/request.h"

#include <pawl/error.h>
#include <pawl/event.h>
#include <pawl/time_limit.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::core {

struct condition_plan {
    release_request release{};  // of the holder that waits

    // How the lock is acquired again. The object of `mine` has the condition. `limit` is not used.
    acquire_plan waiter{};

    // How long it waits for a notification.
    time_limit limit = time_limit::never();
};

// Valid after `finish`.
struct condition_result {
    std::optional<errc> failure;  // empty if it has the lock again
    std::string detail;
    cause why = cause::none;  // of the failure `lost`: the lock was lost before the wait

    std::uint64_t fence{};
    base::boot_time sent{};  // the lease began at this time or later
    bool unheard = false;    // as in acquire_result

    // It was notified, or woke for no reason. If false, its limit has passed, or it was stopped.
    bool notified = true;

    // The old holder has surely given the lock back, or has lost it.
    bool gave_back = false;

    // Not granted, but the server may have the waiter in the condition, in the queue or as the holder.
    bool uncertain = false;

    // A request may still be on its way. It is not executed after this time.
    base::boot_time wanted_until{};
};

class condition_machine final : public machine {
public:
    condition_machine(const condition_plan& plan, const base::random_unit& random);

    [[nodiscard]] step start(base::boot_time now) override;
    [[nodiscard]] step on_reply(const reply& got, base::boot_time now) override;
    [[nodiscard]] step on_time(base::boot_time now) override;
    [[nodiscard]] step on_cancel(base::boot_time now, std::string_view why) override;

    // The lock was handed over to the waiter. May be called at any time between start() and `finish`.
    [[nodiscard]] step on_granted(const grant_notice& got, base::boot_time now);

    // It waits no longer for a notification, from the next on_time() or reply on.
    void stop() noexcept { stopped_ = true; }

    // Whether this client can hear of a grant. If it cannot, the machine looks often.
    void hears(bool now) noexcept;

    [[nodiscard]] const condition_result& result() const noexcept { return result_; }

private:
    enum class stage { joining, waiting, looking, leaving, acquiring };

    [[nodiscard]] step join(base::boot_time now);
    [[nodiscard]] step ask(stage next, const exchange_request& what, base::boot_time now);
    [[nodiscard]] step checked(const step& next, base::boot_time now);
    [[nodiscard]] step answered(hold_status got, base::boot_time now);
    [[nodiscard]] step wait(base::boot_time now);
    [[nodiscard]] step look(bool leaves, base::boot_time now);
    [[nodiscard]] step acquire(base::boot_time now);
    [[nodiscard]] step acquired(const step& next);
    [[nodiscard]] step failed(const failure& why, base::boot_time now);
    [[nodiscard]] std::chrono::nanoseconds next_look();
    void begin_to_acquire();

    condition_plan plan_;
    const base::random_unit* random_;
    stage stage_ = stage::joining;
    std::optional<exchange_machine> exchange_;  // joining, looking, leaving
    std::optional<acquire_machine> acquire_;    // acquiring
    base::boot_time limit_{};
    bool hears_ = true;
    bool stopped_ = false;
    poll_pauses pauses_;  // while this client cannot hear of a grant
    condition_result result_;
};

}  // namespace pawl::core
