// One question to the server, repeated until it is answered or patience ends: release, renew on
// request, count, check, keep. A machine like the one in acquire.h.
#pragma once

#include "base/clock.h"
#include "base/mutant.h"
#include "core/operation.h"
#include "core/patience.h"

#include <chrono>

namespace pawl::core {

struct exchange_step {
    enum class kind { send, pause, finish };
    kind what{};
    base::boot_time until{};  // send: the answer must be here by then; pause: wait that long
};

class exchange_machine {
public:
    // `request` may be repeated; its pointers must stay good.
    exchange_machine(const operation& request, std::chrono::milliseconds command_limit,
                     const base::random_unit& random)
        : request_{request}, patience_{command_limit, random}
    {
    }

    [[nodiscard]] exchange_step start(base::boot_time now)
    {
        patience_.restart(now);
        return send(now);
    }

    [[nodiscard]] exchange_step on_outcome(outcome got, base::boot_time now)
    {
        const bool unsure_before = result_.maybe_executed;
        result_ = std::move(got);
        if (is_answer(result_.what)) {
            if (base::is(base::mutant::d3_renewal_from_reply)) sent_ = now;
            settle(unsure_before);
            return {.what = exchange_step::kind::finish};
        }
        result_.maybe_executed |= unsure_before;
        if (result_.maybe_executed && request_.what == verb::release) request_.forget_numbers();
        const auto again = patience_.next_try(now);
        if (!again || result_.what == verdict::cancelled) {
            return {.what = exchange_step::kind::finish};
        }
        return {.what = exchange_step::kind::pause, .until = *again};
    }

    [[nodiscard]] exchange_step on_pause_over(base::boot_time now) { return send(now); }

    [[nodiscard]] const operation& request() const noexcept { return request_; }

    // When the request that was answered was sent.
    [[nodiscard]] base::boot_time sent() const noexcept { return sent_; }

    // After `finish`: the answer, or why there is none.
    [[nodiscard]] const outcome& result() const noexcept { return result_; }

private:
    exchange_step send(base::boot_time now)
    {
        sent_ = now;
        return {.what = exchange_step::kind::send, .until = patience_.try_until(now)};
    }

    // A release whose first answer got lost finds the lock gone: most likely its own doing, and in
    // any case what was asked for. The true owner is not told of an error. Likewise with a lock that was
    // to be handed over.
    void settle(bool unsure_before) noexcept
    {
        const bool gone = result_.what == verdict::vanished || result_.what == verdict::taken;
        result_.maybe_executed = false;
        if (base::is(base::mutant::d18_release_error)) return;
        if (!unsure_before || !gone) return;
        if (request_.what == verb::release) result_.what = verdict::done;
        if (request_.what == verb::keep) result_.what = verdict::busy;
    }

    operation request_;
    patience patience_;
    base::boot_time sent_{};
    outcome result_;
};

}  // namespace pawl::core
