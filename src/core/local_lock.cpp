#include "core/local_lock.h"

#include "base/mutant.h"
#include "base/require.h"

#include <algorithm>
#include <variant>

namespace pawl::core {

using base::boot_time;

namespace {

// How long an idle lock is kept for a caller that was woken and has not run yet.
constexpr std::chrono::milliseconds longest_wake_up{10};

// As many numbers as the lock is passed on before the server is asked again.
constexpr unsigned reserve_size = local_queue::most_passes;

// After it was busy, the lock must have been free so often in a row before a hint is used again: a bare
// acquire that fails costs more than one that succeeds saves.
constexpr unsigned often_enough = 3;

}  // namespace

local_lock::local_lock(const rules& how)
    : rules_{how}, often_enough_{how.shares ? often_enough : 1}, at_once_{often_enough_ - 1}
{
}

local_lock::turn local_lock::arrive(bool may_wait, boot_time now)
{
    if (!rules_.shares) return {.what = turn::kind::ask_alone};
    notice_loss(now);
    const auto what = queue_.arrive();
    if (what != local_queue::turn::wait) return turn_of(what, {});
    if (may_wait) return turn_of(what, queue_.line_up());
    return {.what = lease_ ? turn::kind::busy : turn::kind::ask_alone};
}

local_lock::turn local_lock::look(ticket mine, boot_time now)
{
    notice_loss(now);
    return turn_of(queue_.look(mine), mine);
}

local_lock::turn local_lock::turn_of(local_queue::turn what, ticket mine)
{
    switch (what) {
    case local_queue::turn::take: return take();
    case local_queue::turn::ask: return {.what = turn::kind::ask};
    case local_queue::turn::wait: return {.what = turn::kind::wait, .number = mine};
    case local_queue::turn::give_up: break;
    }
    return {.what = turn::kind::give_up, .why = in_vain_};
}

local_lock::turn local_lock::take()
{
    base::require(next_fence_ <= last_fence_,
                  "a lock is passed on with a fence that was not reserved");
    const auto fence =
        base::is(base::mutant::pass_on_stale_fence) ? lease_->fence.load() : next_fence_++;
    return {.what = turn::kind::take, .lease = lease_, .fence = fence, .lingered = lingers_on_};
}

void local_lock::leave(ticket mine, boot_time now)
{
    queue_.leave(mine);
    if (queue_.is_idle()) stay_or_drop(now);
}

local_lock::question local_lock::begin_to_ask(bool alone, bool hears)
{
    const bool may_linger = rules_.linger.count() > 0;
    const bool may_pass_on = rules_.shares && rules_.renew && (queue_.has_waiters() || may_linger);
    if (!alone) wanted_ = false;
    // Another client may ask for it without our hearing of it.
    if (!hears) wanted_ = true;
    return {.reserve = may_pass_on ? reserve_size : 0,
            .hint = std::exchange(hint_, {}),
            .silent_before = alone ? base::boot_clock::duration{} : queue_.silent_before()};
}

void local_lock::granted(bool alone, const lease_ptr& lease, boot_time now)
{
    at_once_ = lease->hint ? at_once_ + 1 : 0;
    hint_ = at_once_ >= often_enough_ ? lease->hint : core::hint{};
    if (!rules_.shares) return;
    if (!alone) queue_.asked();
    // The server granted the lock anew, so it must have forgotten what was idle here.
    if (queue_.is_idle()) drop();
    lease_ = lease;
    next_fence_ = lease->fence + 1;
    last_fence_ = lease->fence + lease->reserve;
    queue_.granted(now);
    // It may have been lost before we knew that it was here.
    notice_loss(now);
}

void local_lock::not_granted(bool alone, const trouble& why, const std::optional<silence>& seen,
                             boot_time now)
{
    at_once_ = 0;
    if (alone) return;
    if (!seen) {
        queue_.asked();
    } else if (queue_.asked_in_vain(*seen, now)) {
        give_up_all(why);
    }
}

void local_lock::give_up_all(const trouble& why)
{
    in_vain_ = why;
    effects_.wake_all = true;
}

local_lock::ending local_lock::release(const lease_ptr& lease, boot_time now)
{
    notice_loss(now);
    if (lease != lease_) return {ending::kind::give_back};
    const auto next = queue_.release(
        {.sound = is_sound(now), .has_fence = next_fence_ <= last_fence_, .lingers = lingers()},
        now);
    if (next == local_queue::ending::give_back) {
        lease_ = nullptr;
        queue_.gone();
        return {ending::kind::give_back};
    }
    idle_since_ = now;
    lingers_on_ = !queue_.has_waiters();
    effects_.resting = lease_;
    if (next == local_queue::ending::keep) return {ending::kind::keep, keeping()};
    stay_or_drop(now);
    return {ending::kind::done};
}

void local_lock::given_back(const lease_ptr& lease, boot_time now)
{
    notice_loss(now);
    if (lease != lease_) return;
    lease_ = nullptr;
    queue_.gone();
}

keep_request local_lock::keeping() const
{
    return {.mine = lease_->mine(),
            .lease = lease_->length,
            .used = lease_->fence,
            .reserve = reserve_size,
            .reserved = last_fence_,
            .announce = lease_->announce};
}

void local_lock::kept(const lease_ptr& lease, const keep_reply& got, boot_time sent, boot_time now)
{
    notice_loss(now);
    const auto* const stays = std::get_if<core::kept>(&got);
    if (lease == lease_ && stays != nullptr) {
        next_fence_ = stays->fence;
        last_fence_ = next_fence_ + reserve_size;
        queue_.kept(now);
        idle_since_ = now;
        lingers_on_ = !queue_.has_waiters();
        stay_or_drop(now);
        return;
    }
    const auto* const problem = std::get_if<failure>(&got);
    if (lease == lease_) {
        lease_ = nullptr;
        // If nothing was sent, this process has no descriptor left, and the server may well be there.
        const bool silent = sent != boot_time{} && problem != nullptr && is_silence(problem->what);
        if (silent && queue_.kept_in_vain()) give_up_all(trouble_of(*problem));
        queue_.gone();
    }
    // Handed over is as good as released. If it was lost meanwhile, it had been released before.
    const bool settled =
        std::holds_alternative<handed_over>(got) || std::holds_alternative<hold_status>(got);
    effects_.ended.push_back({lease, std::nullopt});
    if (!settled || lease->was_repeated()) effects_.ended.back().to_server = giving::again;
}

void local_lock::wanted(boot_time now)
{
    if (base::is(base::mutant::lingers_when_wanted)) return;
    wanted_ = true;
    notice_loss(now);
    if (queue_.is_idle() && !queue_.has_waiters()) drop();
}

void local_lock::look_at_lease(boot_time now)
{
    notice_loss(now);
}

void local_lock::on_time(boot_time now)
{
    next_look_.reset();
    notice_loss(now);
    if (queue_.is_idle()) stay_or_drop(now);
}

// It is idle: it lingers, or a caller was woken and takes it as soon as it runs. If that caller does not
// run, the lock is not kept from everyone else.
void local_lock::stay_or_drop(boot_time now)
{
    auto end = idle_since_;
    if (lingers()) end += rules_.linger;
    if (queue_.has_waiters()) end = std::max(end, idle_since_ + longest_wake_up);
    if (now >= end) {
        drop();
    } else if (!next_look_ || *next_look_ > end) {
        next_look_ = end;
        effects_.look_at = end;
    }
}

void local_lock::notice_loss(boot_time now)
{
    if (!lease_) return;
    if (lease_->is_over() || now >= lease_->valid_until()) {
        lease_ = nullptr;
        queue_.gone();
    } else if (queue_.is_idle() && !is_sound(now)) {
        drop();
    }
}

void local_lock::drop()
{
    effects_.ended.push_back({lease_, giving::first_time});
    lease_ = nullptr;
    queue_.gone();
}

// As good as new, or nearly: the next caller need not fear for it. How long the present hold may last does not
// matter to the next one.
bool local_lock::is_sound(boot_time now) const
{
    return rules_.renew && lease_->state == hold_state::held &&
           lease_->deadline.load() - now >= rules_.lease / 2;
}

}  // namespace pawl::core
