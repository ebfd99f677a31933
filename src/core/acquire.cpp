#include "core/acquire.h"

#include "base/mutant.h"
#include "core/deadline.h"

#include <algorithm>
#include <utility>

namespace pawl::core {

using base::boot_time;

namespace {

errc failure_of(verdict what)
{
    switch (what) {
    case verdict::not_a_lock: return errc::not_a_lock;
    case verdict::cancelled: return errc::cancelled;
    case verdict::no_reply:
    case verdict::unreachable:
    case verdict::unavailable: return errc::unreachable;
    default: return errc::refused;
    }
}

}  // namespace

acquire_machine::acquire_machine(const acquire_plan& plan, const base::random_unit& random)
    : plan_{plan}, random_{&random}, patience_{plan.command_limit, random}
{
}

acquire_step acquire_machine::start(boot_time now)
{
    patience_.restart(now);
    // "Now" limits the waiting for others, not the one question that is asked.
    const bool bounded = !plan_.limit.is_never() && !plan_.limit.is_now();
    limit_ = bounded ? now + plan_.limit.wait() : boot_time::max();
    return send(now);
}

acquire_step acquire_machine::on_outcome(const outcome& got, boot_time now)
{
    if (got.maybe_executed) uncertain_ = true;
    switch (got.what) {
    case verdict::done: return on_grant(got, now);
    case verdict::busy: return on_busy(got, now);
    case verdict::no_reply:
    case verdict::unreachable:
    case verdict::unavailable: return on_no_answer(got, now);
    default: return finish(failure_of(got.what), got.detail);
    }
}

acquire_step acquire_machine::on_pause_over(boot_time now)
{
    if (now >= limit_) return finish(seen_busy_ ? errc::timed_out : errc::unreachable, {});
    // The server had answered; how long we paused since is not its fault.
    if (std::exchange(waiting_, false)) patience_.restart(now);
    return send(now);
}

acquire_step acquire_machine::on_cancel()
{
    return finish(errc::cancelled, {});
}

acquire_step acquire_machine::on_grant(const outcome& got, boot_time now)
{
    const auto deadline = local_deadline(sent_, plan_.lease, plan_.drift);
    if (now >= deadline && !base::is(base::mutant::d5_stale_grant)) {
        // The answer took longer than the lease. Asking again counts the lease anew if the server
        // still has it, and else takes it anew.
        uncertain_ = true;
        if (now >= patience_.end() || now >= limit_ || !plan_.own_holder) {
            return finish(errc::unreachable, "the answer took longer than the lease");
        }
        return send(now);
    }
    result_.fence = got.fence;
    result_.sent = base::is(base::mutant::d3_deadline_from_reply) ? now : sent_;
    return {.what = acquire_step::kind::finish};
}

acquire_step acquire_machine::on_busy(const outcome& got, boot_time now)
{
    seen_busy_ = true;
    waiting_ = true;
    patience_.restart(now);
    if (plan_.limit.is_now()) return finish(errc::busy, {});
    if (now >= limit_) return finish(errc::timed_out, {});

    const auto wait = std::chrono::duration_cast<std::chrono::nanoseconds>(
        plan_.poll_interval * (0.5 + 0.5 * (*random_)()));
    auto until = std::min(now + wait, limit_);
    // A holder that crashed is followed as soon as its lease is over.
    if (got.busy_for.count() >= 0) {
        until = std::min(until, now + got.busy_for + std::chrono::milliseconds{1});
    }
    return pause(until);
}

acquire_step acquire_machine::on_no_answer(const outcome& got, boot_time now)
{
    const auto again = patience_.next_try(now);
    const bool stuck = uncertain_ && !plan_.own_holder;
    if (!again || stuck || now >= limit_) {
        const bool only_late = again && seen_busy_ && !stuck;
        return finish(only_late ? errc::timed_out : errc::unreachable, got.detail);
    }
    result_.detail = got.detail;
    return pause(std::min(*again, limit_));
}

acquire_step acquire_machine::send(boot_time now)
{
    sent_ = now;
    acquire_step step{.what = acquire_step::kind::send};
    step.until = std::max(std::min(patience_.try_until(now), limit_), now + patience::shortest_try);
    wanted_until_ = step.until;
    step.request = {.what = verb::acquire,
                    .layout = plan_.layout,
                    .keys = plan_.keys,
                    .holder = plan_.holder,
                    .lease = plan_.lease,
                    .count = 1,
                    .repeated = uncertain_,
                    .sent = now,
                    .until = step.until};
    return step;
}

acquire_step acquire_machine::pause(boot_time until)
{
    return {.what = acquire_step::kind::pause, .until = until, .request = {}};
}

acquire_step acquire_machine::finish(errc failure, std::string detail)
{
    result_.failure = failure;
    if (!detail.empty()) result_.detail = std::move(detail);
    result_.uncertain = uncertain_;
    result_.wanted_until = wanted_until_;
    return {.what = acquire_step::kind::finish, .until = {}, .request = {}};
}

}  // namespace pawl::core
