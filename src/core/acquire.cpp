#include "core/acquire.h"

#include "base/mutant.h"
#include "core/deadline.h"

#include <algorithm>
#include <utility>

namespace pawl::core {

using base::boot_time;

namespace {

constexpr std::chrono::milliseconds shortest_foreign_pause{20};
constexpr std::chrono::milliseconds longest_foreign_pause{100};

}  // namespace

std::chrono::milliseconds place_lifetime(std::chrono::milliseconds lease)
{
    constexpr std::chrono::milliseconds shortest{1'500};
    return std::max(lease, shortest);
}

std::chrono::milliseconds look_interval(std::chrono::milliseconds lease)
{
    return place_lifetime(lease) / 3;
}

acquire_machine::acquire_machine(const acquire_plan& plan, const base::random_unit& random)
    : plan_{plan}, random_{&random}, patience_{plan.command_limit, random}
{
    // With a hint, a store may take a shortcut that sets no numbers aside and ignores the queue.
    const bool may_overtake = !plan_.fair || base::is(base::mutant::bare_overtakes);
    if (plan_.reserve > 0 || !may_overtake) plan_.hint = {};
    asked_before_ = plan_.asked_before;
    uncertain_ = plan_.asked_before;
    queued_ = plan_.asked_before && plan_.joins;
}

step acquire_machine::start(boot_time now)
{
    begin(now);
    return send(now);
}

step acquire_machine::start_with(const grant_notice& got, boot_time now)
{
    begin(now);
    return on_granted(got, now);
}

void acquire_machine::begin(boot_time now)
{
    patience_.restart(now - plan_.silent_before);
    // time_limit::now() means: do not wait for other holders. The one request still gets its time.
    const bool bounded = !plan_.limit.is_never() && !plan_.limit.is_now();
    limit_ = bounded ? now + plan_.limit.wait() : boot_time::max();
}

step acquire_machine::on_reply(const reply& got, boot_time now)
{
    return answered(std::get<acquire_reply>(got), now);
}

step acquire_machine::answered(const acquire_reply& got, boot_time now)
{
    sending_ = false;
    if (const auto* const grant = std::get_if<granted>(&got)) return on_grant(*grant, now);
    if (const auto* const others = std::get_if<busy>(&got)) return on_busy(*others, now);
    if (const auto* const short_of = std::get_if<unacknowledged>(&got)) {
        return on_unacknowledged(short_of->why, now);
    }
    return on_failure(std::get<failure>(got), now);
}

step acquire_machine::on_time(boot_time now)
{
    if (!std::exchange(sending_, false)) return on_pause_over(now);
    return on_failure(without_answer(failure_kind::no_reply, "no answer within the limit"), now);
}

failure acquire_machine::without_answer(failure_kind why, std::string detail) const
{
    return {
        .what = why, .detail = std::move(detail), .maybe_executed = true, .maybe_late = hinted_};
}

step acquire_machine::on_failure(const failure& got, boot_time now)
{
    if (got.maybe_executed) {
        uncertain_ = true;
        // After an answer, even an error, no request is on its way any more.
        if (!is_answer(got.what)) unanswered_ = true;
    }
    if (got.maybe_late) wanted_until_ = std::max(wanted_until_, now + latest_execution);
    if (is_silence(got.what)) return on_no_answer(got, now);
    silent_ = got.what == failure_kind::cancelled;
    return finish(errc_of(got.what), got.detail);
}

step acquire_machine::on_pause_over(boot_time now)
{
    if (now >= limit_) return finish(seen_busy_ ? errc::timed_out : no_answer_, {});
    // The server had answered before the pause, so the pause must not use up its patience.
    if (std::exchange(waiting_, false)) patience_.restart(now);
    return send(now);
}

step acquire_machine::on_cancel(boot_time now, std::string_view why)
{
    if (sending_) return on_failure(without_answer(failure_kind::cancelled, std::string{why}), now);
    return finish(errc::cancelled, std::string{why});
}

step acquire_machine::on_grant(const granted& got, boot_time now)
{
    if (got.at) sent_ = std::min(sent_, *got.at);
    const auto deadline = local_deadline(sent_, plan_.lease, plan_.drift);
    if (now >= deadline && !base::is(base::mutant::d5_stale_grant)) {
        // The answer took longer than the lease. Asking again restarts the lease if the server still
        // has it. Otherwise it acquires the lock again.
        uncertain_ = true;
        if (now >= patience_.end() || now >= limit_ || !plan_.own_holder) {
            out_of_patience_ = now >= patience_.end();
            return finish(errc::unreachable, "the answer took longer than the lease");
        }
        return send(now);
    }
    result_.unacknowledged = false;
    result_.fence = got.fence;
    result_.unheard = got.found && queued_;
    result_.handed_over = handed_over_ || result_.unheard;
    if (!seen_busy_ && !unanswered_) result_.hint = got.hint;
    if (unanswered_) result_.wanted_until = wanted_until_;
    result_.sent = base::is(base::mutant::d3_deadline_from_reply) ? now : sent_;
    return {.what = step::kind::finish};
}

// The server has it for this holder, and other callers wait for it meanwhile. The next request writes it anew.
step acquire_machine::on_unacknowledged(const failure& why, boot_time now)
{
    uncertain_ = true;
    result_.unacknowledged = true;
    shortage_ = why.detail;
    if (is_silence(why.what)) return on_no_answer(why, now);
    return finish(errc_of(why.what), why.detail);
}

step acquire_machine::on_granted(const grant_notice& got, boot_time now)
{
    if (std::exchange(sending_, false)) {
        // The answer to a request is still to come, and so may the request be.
        uncertain_ = true;
        unanswered_ = true;
        if (hinted_) wanted_until_ = std::max(wanted_until_, now + latest_execution);
    }
    // The lease started at the hand-over. If the message is old, or its time is in the future because
    // the server's clock was stepped, asking again restarts the lease.
    const auto at = base::is(base::mutant::grant_from_receipt) ? now : got.at;
    const auto age = now - at;
    handed_over_ = true;
    const auto kind = plan_.mine.what->kind;
    if (kind == object_kind::many && !base::is(base::mutant::part_is_whole)) {
        return ask_with_grant(now);
    }
    // This client has written nothing that the replicas could acknowledge.
    const bool counts = got.acknowledged || base::is(base::mutant::unwritten_is_acknowledged);
    if (!counts && !is_gate(kind)) {
        uncertain_ = true;
        return ask_with_grant(now);
    }
    if (age < age.zero() || age > plan_.lease / 4) {
        patience_.restart(now);
        return send(now);
    }
    result_.fence = got.fence;
    result_.sent = at;
    result_.handed_over = true;
    result_.handed_over_at = at;
    if (unanswered_) result_.wanted_until = wanted_until_;
    return {.what = step::kind::finish};
}

// The server has handed over the lock, or one of many, and the place is used up. The next request writes the lock
// anew; of many locks it takes the others too, or gives this one back.
step acquire_machine::ask_with_grant(boot_time now)
{
    queued_ = false;
    waiting_ = false;
    patience_.restart(now);
    return send(now);
}

step acquire_machine::on_busy(const busy& got, boot_time now)
{
    seen_busy_ = got.shortage.empty();
    if (!seen_busy_) no_answer_ = errc::no_quorum;
    const auto& nodes = seen_busy_ ? got.missing : got.shortage;
    // The detail of the busy answer before is out of date, also if this one has none. Any other detail stays.
    if (names_nodes_ || !nodes.empty()) result_.detail = nodes;
    names_nodes_ = !nodes.empty();
    waiting_ = true;
    silent_ = false;
    queued_ = got.queued;
    handed_over_ = false;
    // The lock may be handed over to the place before the place is left, even if it is left at once.
    if (queued_) uncertain_ = true;
    patience_.restart(now);
    if (got.holder != held_by::no_lock) {
        no_lock_since_.reset();
        if (plan_.limit.is_now()) return finish(errc::busy, {});
    } else if (!no_lock_since_) {
        no_lock_since_ = now;
    } else if (now >= *no_lock_since_ + shortest_foreign_pause) {
        // The value is still there. The first time it may have been a lock that was just being made: some
        // libraries set the value first, and its expiry in the next command.
        return finish(errc::not_a_lock,
                      "its value has no expiry and does not look like the token of a lock");
    }
    if (now >= limit_) return finish(seen_busy_ ? errc::timed_out : no_answer_, {});

    auto until = std::min(now + next_look(got.holder), limit_);
    // The holder may have crashed, so ask as soon as its lease is over.
    if (got.left.count() >= 0) {
        until = std::min(until, now + got.left + std::chrono::milliseconds{1});
    }
    if (!queued_) return pause(until);
    pauses_.reset();
    const bool watches = plan_.mine.what->kind == object_kind::watch;
    const auto no_timer =
        watches ? base::mutant::d19_no_timer_of_watcher : base::mutant::d19_no_timer;
    if (base::is(no_timer)) until = limit_;
    return {.what = step::kind::wait, .until = until};
}

std::chrono::nanoseconds acquire_machine::next_look(held_by holder)
{
    if (holder == held_by::no_lock) return foreign_pause();
    // A waiter that wants a place in the queue gets one as soon as this client can hear of a grant.
    if (!queued_) return pauses_.next(plan_.poll_interval, plan_.joins, *random_);
    return holder == held_by::foreign ? foreign_pause() : look_interval(plan_.lease);
}

// A foreign holder does not tell the next waiter when it leaves, so the waiter asks: after a random pause of
// 20 to 100 ms, so that many waiters do not ask at the same time.
std::chrono::nanoseconds acquire_machine::foreign_pause() const
{
    const auto spread = (longest_foreign_pause - shortest_foreign_pause) * (*random_)();
    return shortest_foreign_pause + std::chrono::duration_cast<std::chrono::nanoseconds>(spread);
}

step acquire_machine::on_no_answer(const failure& got, boot_time now)
{
    no_answer_ = errc_of(got.what);
    const auto again = patience_.next_try(now);
    const bool stuck = uncertain_ && !plan_.own_holder;
    out_of_patience_ = !again;
    // A caller that does not wait gets the failure after the second "try later": the first may have come
    // over an old connection to a server that is a replica now. If there is no server, the caller gets
    // the failure at once.
    if (got.what == failure_kind::unavailable || got.what == failure_kind::elsewhere) {
        ++times_unavailable_;
    }
    const bool hopeless = plan_.limit.is_now() && (got.no_server || times_unavailable_ >= 2);
    if (!again || stuck || hopeless || now >= limit_) {
        const bool only_late = again && seen_busy_ && !stuck && !hopeless;
        return finish(only_late ? errc::timed_out : errc_of(got.what), got.detail);
    }
    result_.detail = got.detail;
    return pause(std::min(*again, limit_));
}

step acquire_machine::send(boot_time now)
{
    sent_ = now;
    sending_ = true;
    silent_ = true;
    const auto until =
        std::max(std::min(patience_.try_until(now), limit_), now + patience::shortest_try);
    wanted_until_ = std::max(wanted_until_, until);
    const bool first = !std::exchange(asked_before_, true);
    // A request that repeats one without an answer carries the same hint.
    const auto hint = first || unanswered_ ? plan_.hint : core::hint{};
    hinted_ = first && hint;
    acquire_request asked{.mine = plan_.mine,
                          .lease = plan_.lease,
                          .sent = now,
                          .until = until,
                          .first = first,
                          .repeated = uncertain_,
                          .wait = std::nullopt,
                          .fair = plan_.fair,
                          .client = plan_.client,
                          .reserve = plan_.reserve,
                          .hint = hint};
    asked.instead_of = plan_.instead_of;
    if (plan_.joins && hears_ && !plan_.limit.is_now()) asked.wait = stay(now);
    return {.what = step::kind::send, .until = until, .request = asked};
}

// How long the place is kept. It must not outlast the caller's limit: a waiter that gave up must not be
// granted the lock.
std::chrono::milliseconds acquire_machine::stay(boot_time now) const
{
    const auto longest = place_lifetime(plan_.lease);
    if (limit_ - now > longest || base::is(base::mutant::grant_after_limit)) return longest;
    return std::max(std::chrono::ceil<std::chrono::milliseconds>(limit_ - now),
                    std::chrono::milliseconds{1});
}

step acquire_machine::pause(boot_time until)
{
    return {.what = step::kind::pause, .until = until};
}

step acquire_machine::finish(errc failure, std::string detail)
{
    result_.failure = failure;
    if (!detail.empty()) result_.detail = std::move(detail);
    // The last try may have had another problem. But this is why it was not granted before.
    if (result_.unacknowledged) result_.detail = shortage_;
    result_.uncertain = uncertain_;
    if (silent_) result_.silence = {patience_.since(), out_of_patience_};
    if (unanswered_) result_.wanted_until = wanted_until_;
    return {.what = step::kind::finish};
}

}  // namespace pawl::core
