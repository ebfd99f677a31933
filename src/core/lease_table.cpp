#include "core/lease_table.h"

#include "base/mutant.h"
#include "base/require.h"
#include "core/deadline.h"

#include <algorithm>
#include <utility>

namespace pawl::core {

using base::boot_time;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds longest_early{5'000};

// The longest pause after a renewal that failed. The shortest is half of it.
milliseconds retry_pause(milliseconds lease)
{
    return std::clamp(lease / 12, milliseconds{5}, milliseconds{1'000});
}

// How early a lease may be renewed together with leases that are due. So ten thousand leases that were
// granted at ten thousand different times soon share a few round trips, also after all renewals failed.
milliseconds early_by(const lease& lease)
{
    if (lease.failures > 0) return retry_pause(lease.length) / 2;
    return std::min(lease.length / 6, longest_early);
}

// Not if the hold ends before the lease.
bool needs_renewal(const lease& lease)
{
    return lease.renew && lease.deadline.load() < lease.hold_ends.load();
}

boot_time key_for(const lease& lease)
{
    const auto end = lease.valid_until();
    if (base::is(base::mutant::d13_loss_waits_for_renewal) && lease.under_way) {
        return boot_time::max();
    }
    if (!lease.renew || lease.due) return end;
    if (lease.under_way) return std::min(lease.overdue_at, end);
    return needs_renewal(lease) ? std::min(lease.renew_at, end) : end;
}

cause cause_of_end(const lease& lease)
{
    if (lease.hold_ends.load() <= lease.deadline.load()) return cause::held_too_long;
    return lease.why == cause::no_beat ? cause::no_beat : cause::expired;
}

}  // namespace

milliseconds renewal_limit(milliseconds lease, milliseconds command_limit)
{
    return std::clamp(lease / 4, milliseconds{2}, command_limit);
}

void lease_table::add(const lease_ptr& lease, boot_time sent)
{
    base::require(lease->number == 0, "a lease is added twice");
    lease->number = ++last_number_;
    const auto deadline = local_deadline(sent, lease->length, drift_);
    base::require(sent < deadline && deadline < sent + lease->length,
                  "the deadline of a grant is not within its lease");
    lease->deadline = std::max(deadline, lease->deadline.load());
    lease->renew_at = sent + lease->length / 3;
    begin_hold(*lease, sent);
    schedule(lease);
}

void lease_table::begin_hold(lease& lease, boot_time now) noexcept
{
    const bool limited = lease.longest_hold.count() > 0;
    if (limited && !base::is(base::mutant::hold_without_end)) {
        lease.hold_ends = now + lease.longest_hold;
    }
    lease.beaten_at = now;
}

void lease_table::rest(const lease_ptr& lease)
{
    base::require(!lease->idle, "a lock is released that nobody holds");
    lease->idle = true;
    if (lease->hold_ends.exchange(boot_time::max()) != boot_time::max()) schedule(lease);
}

void lease_table::pass_on(const lease_ptr& lease, std::uint64_t fence, boot_time now)
{
    // rest() is not called for a lease that is over.
    base::require(lease->idle || lease->is_over(), "a lock is passed on while someone holds it");
    base::require(fence > lease->fence, "a lock is passed on with a fence that does not grow");
    lease->fence = fence;
    lease->idle = false;
    begin_hold(*lease, now);
    if (lease->longest_hold.count() > 0 && !lease->is_over()) schedule(lease);
}

bool lease_table::release(const lease_ptr& lease, transitions& out)
{
    if (lease->is_over()) return false;
    if (base::is(base::mutant::d14_renewal_survives)) return true;
    move_to(lease, hold_state::released, cause::none, {}, out);
    return true;
}

void lease_table::extended(const lease_ptr& lease, milliseconds length, boot_time sent,
                           transitions& out)
{
    if (lease->is_over()) return;
    restart(*lease, length, sent);
    // A quorum answers as soon as a majority has the lock. That does not show whether more nodes have it.
    if (lease->state == hold_state::jeopardy && lease->why != cause::bare_majority) {
        move_to(lease, hold_state::held, cause::none, {}, out);
    }
    schedule(lease);
}

void lease_table::restart(lease& lease, milliseconds length, boot_time sent) const
{
    lease.deadline = std::max(lease.deadline.load(), local_deadline(sent, length, drift_));
    // The next renewal is sent when two thirds of a usual lease are left, as after a renewal.
    lease.renew_at = std::max(lease.renew_at, sent + length - 2 * (lease.length / 3));
    if (base::is(base::mutant::d14_renewal_storm)) lease.renew_at = sent;
    if (base::is(base::mutant::d15_renewal_forgotten) && lease.under_way) lease.renew = false;
    lease.failures = 0;
    lease.due = false;
}

void lease_table::lose(const lease_ptr& lease, cause why, transitions& out, std::string detail)
{
    if (!lease->is_over()) move_to(lease, hold_state::lost, why, std::move(detail), out);
}

boot_time lease_table::next_wake() const noexcept
{
    const bool has_more = !due_.empty() && under_way_ < most_under_way;
    return has_more ? last_due_ : first_wake();
}

boot_time lease_table::first_wake() const noexcept
{
    return by_wake_.empty() ? boot_time::max() : (*by_wake_.begin())->wake;
}

void lease_table::expire(boot_time now, transitions& out)
{
    const failure silence{.what = failure_kind::no_reply, .detail = "no answer within the limit"};
    while (first_wake() <= now) {
        const auto lease = *by_wake_.begin();
        if (lease->valid_until() <= now) {
            move_to(lease, hold_state::lost, cause_of_end(*lease), {}, out);
            if (base::is(base::mutant::d16_renews_what_is_lost)) {
                lease->deadline = now + std::chrono::hours{10'000};
                lease->hold_ends = boot_time::max();
                schedule(lease);
            }
        } else if (lease->under_way) {
            on_renewal_failed(lease, silence, now, out);
        } else if (!lease->is_beating(now) && !base::is(base::mutant::renewed_without_beat)) {
            leave_out(lease, now, out);
        } else {
            lease->due = true;
            due_.push_back(lease);
            last_due_ = now;
            schedule(lease);
        }
    }
}

std::vector<lease_ptr> lease_table::take_due(boot_time now, std::size_t most)
{
    std::vector<lease_ptr> taken;
    most = std::min(most, most_under_way - under_way_);
    const auto take = [&](const lease_ptr& lease) {
        base::require(!lease->is_over(), "a lease that was released or lost is renewed");
        lease->due = false;
        lease->under_way = true;
        ++under_way_;
        lease->sent = now;
        lease->overdue_at = now + renewal_limit(lease->length, command_limit_);
        taken.push_back(lease);
    };
    while (!due_.empty() && taken.size() < most) {
        if (due_.front()->due) take(due_.front());
        due_.pop_front();
    }
    if (taken.empty()) return taken;
    for (const auto& lease : by_wake_) {
        if (lease->wake > now + longest_early || taken.size() == most) break;
        const bool may_renew = needs_renewal(*lease) && lease->is_beating(now);
        const bool waits = may_renew && !lease->under_way && !lease->due;
        if (waits && lease->renew_at <= now + early_by(*lease)) take(lease);
    }
    for (const auto& lease : taken) schedule(lease);
    return taken;
}

void lease_table::renew_soon(boot_time now)
{
    for (const auto& lease : all()) {
        if (lease->under_way || lease->due) continue;
        lease->renew_at = std::min(lease->renew_at, now);
        schedule(lease);
    }
}

void lease_table::on_renewal(const lease_ptr& lease, const hold_reply& got, milliseconds length,
                             boot_time sent, boot_time now, transitions& out)
{
    if (lease->is_over()) return;
    // This may be the answer to an earlier renewal, which was overdue, so that another one was sent.
    const bool is_last = lease->under_way && lease->sent == sent;
    const auto* const status = std::get_if<hold_status>(&got);
    const auto* const barely = std::get_if<bare_majority>(&got);
    if (const auto* const failed = std::get_if<failure>(&got)) {
        if (is_last) on_renewal_failed(lease, *failed, now, out);
    } else if (barely != nullptr || *status == hold_status::done) {
        if (is_last) no_longer_under_way(*lease);
        if (base::is(base::mutant::d3_renewal_from_reply)) sent = now;
        restart(*lease, length, sent);
        on_renewed(lease, barely, out);
    } else if (!lease->changing) {
        lose(lease, cause_of(*status), out);
    } else if (is_last) {
        renew_later(lease, now);
    }
}

void lease_table::on_renewed(const lease_ptr& lease, const bare_majority* barely, transitions& out)
{
    if (barely != nullptr && lease->state == hold_state::held) {
        move_to(lease, hold_state::jeopardy, cause::bare_majority, barely->missing, out);
    } else if (barely != nullptr) {
        lease->why = cause::bare_majority;
    } else if (lease->state == hold_state::jeopardy) {
        move_to(lease, hold_state::held, cause::none, {}, out);
    }
    schedule(lease);
}

void lease_table::on_renewal_failed(const lease_ptr& lease, const failure& got, boot_time now,
                                    transitions& out)
{
    ++lease->failures;
    renew_later(lease, now);
    if (lease->state == hold_state::held) {
        move_to(lease, hold_state::jeopardy, cause_of(got.what), got.detail, out);
    } else if (lease->why == cause::no_beat || lease->why == cause::bare_majority) {
        // The holder went on, or there is not even a majority: that is not the reason any more.
        lease->why = cause_of(got.what);
    }
}

void lease_table::leave_out(const lease_ptr& lease, boot_time now, transitions& out)
{
    try_again_later(lease, now);
    if (lease->state == hold_state::held) {
        move_to(lease, hold_state::jeopardy, cause::no_beat, {}, out);
    } else if (lease->why == cause::bare_majority) {
        // With a bare majority it was renewed. Now it is not.
        lease->why = cause::no_beat;
    }
}

void lease_table::try_again_later(const lease_ptr& lease, boot_time now)
{
    lease->renew_at = now + std::chrono::duration_cast<std::chrono::nanoseconds>(
                                retry_pause(lease->length) * (0.5 + 0.5 * random_()));
    schedule(lease);
}

void lease_table::renew_later(const lease_ptr& lease, boot_time now)
{
    no_longer_under_way(*lease);
    try_again_later(lease, now);
}

void lease_table::close(transitions& out)
{
    for (const auto& lease : all()) {
        if (base::is(base::mutant::d16_renews_what_is_lost) && lease->is_over()) continue;
        move_to(lease, hold_state::lost, cause::closed, {}, out);
    }
}

std::vector<lease_ptr> lease_table::all() const
{
    std::vector<lease_ptr> found(by_wake_.begin(), by_wake_.end());
    std::ranges::sort(found, {}, &lease::number);
    return found;
}

void lease_table::schedule(const lease_ptr& lease)
{
    auto node = by_wake_.extract(lease);
    lease->wake = key_for(*lease);
    if (node) {
        by_wake_.insert(std::move(node));
    } else {
        by_wake_.insert(lease);
    }
}

void lease_table::no_longer_under_way(lease& lease) noexcept
{
    if (std::exchange(lease.under_way, false)) --under_way_;
}

void lease_table::move_to(const lease_ptr& lease, hold_state to, cause why, std::string detail,
                          transitions& out)
{
    const auto from = lease->state.load();
    base::require(from != hold_state::lost && from != hold_state::released,
                  "a lease that is over changes its state");
    lease->why = why;
    lease->state = to;
    if (to == hold_state::lost || to == hold_state::released) {
        lease->due = false;
        no_longer_under_way(*lease);
        by_wake_.erase(lease);
    }
    out.push_back({lease, from, to, why, std::move(detail)});
}

}  // namespace pawl::core
