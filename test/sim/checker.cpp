// What the users of locks report. checker_requests.cpp has what is sent to the server, checker_watch.cpp what
// must be true as time passes.
#include "sim/checker.h"

#include "core/object.h"
#include "sim/checker_words.h"

#include <pawl/error.h>

#include <algorithm>
#include <utility>

namespace pawl::sim {

using base::boot_time;
using namespace std::chrono_literals;

checker::checker(const plan& plan, world& world, server& server, trace& trace)
    : run_checker{plan, world, server, trace}
{
    for (const auto& lock : plan.locks) locks_.emplace_back().name = lock.name;
}

std::optional<std::size_t> checker::index_of(std::string_view key) const
{
    const auto found = std::ranges::find(locks_, key, &lock_record::name);
    if (found == locks_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - locks_.begin());
}

checker::holder_record& checker::record_of(std::string_view holder)
{
    // A set of locks has two ids.
    return holders_[core::whole_holder(holder.substr(0, id_digits))];
}

bool checker::excused(std::size_t lock, std::string_view holder) const
{
    const auto found = holders_.find(holder.substr(0, id_digits));
    const auto granted_before = [&](nanoseconds when) {
        const auto& record = found->second;
        return record.leased.value_or(record.granted) <= when;
    };
    const bool forgotten = found == holders_.end() || granted_before(locks_[lock].forgotten);
    return forgotten || !plan_->leases_are_kept();
}

// Of a quorum, too few nodes answer or may vote.
bool checker::is_silence(std::error_code why)
{
    return why == errc::unreachable || why == errc::no_quorum;
}

// ── The users of locks ──────────────────────────────────────────────────────────────────────────

belief& checker::granted(process& who, hold& held, const entry& what)
{
    const auto lock = what.lock;
    ++grants_;
    last_heard_[&who] = world_->now();
    auto& fresh = beliefs_.emplace_back();
    fresh = {.who = &who,
             .lock = lock,
             .how = what.how,
             .held = &held,
             .told = {},
             .fence = held.fence(),
             .holder = held.id(),
             .renewed = what.renewed && what.longest_hold == 0ms && what.heartbeat == 0ms,
             .since = who.now(),
             .lease = what.lease,
             .longest_hold = what.longest_hold,
             .heartbeat = what.heartbeat,
             .asked = what.asked,
             .over = false,
             .number = ++last_belief_};
    trace_->note(lock, [&] {
        return named(who) + " holds " + locks_[lock].name + " as " + short_id(fresh.holder) +
               ", fence " + std::to_string(fresh.fence) + ", for " +
               std::to_string(held.valid_for().count() / 1000) + " µs";
    });
    if (held.valid_for() <= 0ns && !who.is_dead()) {
        fail("valid when granted", lock, "a hold was granted with no time left");
    }
    auto& of_holder = record_of(fresh.holder);
    of_holder.given_up.reset();
    of_holder.left.reset();
    if (!of_holder.since) of_holder.since = who.now();
    of_holder.heartbeat = what.heartbeat;
    of_holder.beaten_at = who.now();
    ++of_holder.holds;
    ++of_holder.open_holds;
    // Not earlier, because asking for the token checks the clock.
    fresh.told = held.lost();
    check_fence(fresh);
    locks_[lock].believers.push_back(&fresh);
    check_exclusion(lock);
    watch_deadline(fresh.number);
    watch_end_of_hold(fresh);
    return fresh;
}

void checker::entered_again(const belief& outer, hold& inner)
{
    if (inner.fence() != outer.fence || inner.id() != outer.holder) {
        fail("re-entry", outer.lock, "the lock was entered again as another grant");
    }
}

void checker::acquire_failed(process& who, std::size_t lock, std::error_code why, attempt how)
{
    trace_->note(lock, [&] { return named(who) + " did not get it: " + why.message(); });
    if (why == errc::busy) last_heard_[&who] = world_->now();
    if (why == errc::unreachable) check_silence(who, lock, how);
    if (!how.waits) silences_.begins_anew(who, lock);
    if (how.fresh) gave_up(who, lock);
    const bool excusable = is_silence(why) && plan_->server_may_be_silent();
    const bool full = why == errc::refused && (plan_->has(fault::full_memory) || may_refuse(lock));
    const bool just_no = why == errc::busy || why == errc::timed_out || why == errc::cancelled ||
                         why == errc::not_due;
    if (!just_no && !excusable && !full && !who.is_dead()) {
        fail("no error without a cause", lock, "acquire: " + why.message());
    }
}

void checker::gave_up(process& who, std::size_t lock)
{
    const bool many = plan_->locks[lock].what == lock_plan::kind::set;
    auto& record = record_of(many ? who.last_holder_of_many() : who.last_holder());
    record.lock = lock;
    record.who = &who;
    record.given_up = record.left = world_->now();
}

void checker::changing(belief& which)
{
    which.over = true;
    trace_->note(which.lock,
                 [&] { return named(*which.who) + " changes sides: " + short_id(which.holder); });
}

void checker::not_changed(belief& which, std::error_code why)
{
    which.over = false;
    watch_deadline(which.number);
    if (why != errc::busy) answered(which, "change of sides", why);
}

// All waiters for a lock in one process are told at the same time that the server is silent.
void checker::check_silence(const process& who, std::size_t lock, const attempt& how)
{
    using kind = lock_plan::kind;
    // With other locks each waiter asks for itself. A process that does not run is told later.
    const auto what = plan_->locks[lock].what;
    const bool shared = what == kind::mutex || what == kind::recursive || what == kind::striped;
    const bool late = plan_->has(fault::stops) || plan_->has(fault::slow_threads) ||
                      plan_->has(fault::server_far_back);
    if (!shared || late || !how.waits || who.is_dead()) return;
    constexpr auto a_moment = 150ms;  // the shortest attempt, and a little more
    const auto lasted = silences_.lasted(who, lock, how.since);
    if (lasted > plan_->command_limit + a_moment) {
        fail("unreachable is told in time", lock,
             named(who) + " was told after " + std::to_string(lasted / 1ms) + " ms of silence");
    }
}

void checker::releasing(belief& which)
{
    silences_.begins_anew(*which.who, which.lock);
    which.over = true;
    auto& record = record_of(which.holder);
    // Other readers of the process may have the same lease.
    if (--record.open_holds == 0) record.given_up = world_->now();
    trace_->note(which.lock,
                 [&] { return named(*which.who) + " gives back " + short_id(which.holder); });
}

void checker::released(belief& which, std::error_code why, boot_time valid_until)
{
    auto& who = *which.who;
    if (who.is_dead()) return;
    trace_->note(which.lock, [&] {
        return named(who) + " gave back " + short_id(which.holder) + ": " +
               (why ? why.message() : "released");
    });
    const bool in_time = who.now() < valid_until;
    const auto lock = which.lock;
    if (why == errc::refused || (why && plan_->is_calm() && in_time)) {
        fail("an owner can release", lock, "release: " + why.message());
    }
    const bool not_his = why == errc::lost || why == errc::not_owner;
    if (not_his && in_time && !may_have_lost(lock, which.holder)) {
        fail("an owner can release", lock, "release, within the lease: " + why.message());
    }
}

void checker::answered(const belief& which, std::string_view call, std::error_code why)
{
    if (!why || which.who->is_dead()) return;
    const auto text = std::string{call} + ": " + why.message();
    trace_->note(which.lock, [&] { return named(*which.who) + " " + text; });
    const bool silent = is_silence(why) && plan_->server_may_be_silent();
    const bool too_long = why == errc::bad_argument && which.longest_hold > 0ms;  // ensure()
    const bool lost = why == errc::lost || why == errc::not_owner;
    const bool expired = !which.renewed || plan_->server_may_be_silent();
    if (silent || too_long || (lost && (expired || may_have_lost(which.lock, which.holder))))
        return;
    fail("no error without a cause", which.lock, text);
}

void checker::ended(belief& which)
{
    auto& record = record_of(which.holder);
    auto held = which.who->now() - record.since.value_or(which.since);
    // A thread that does not run learns of its grant at any later time.
    if (record.granted >= 0ns) held = std::max(held, world_->now() - record.granted);
    // Each hold may have extended it a few times. After a failure it is tried again up to 24 times
    // in a lease, or twice a second.
    const auto allowed =
        plan_->nodes * (6 * record.holds +
                        static_cast<std::uint64_t>(30 * (held / which.lease + 1) + held / 400ms));
    if (!which.who->is_dead() && record.renewals_sent > allowed) {
        fail("renewals are few", which.lock,
             std::to_string(record.renewals_sent) + " renewals of one lease");
    }
    // It may have been passed on already, or others may share it.
    if (record.open_holds == 0) record.given_up = record.left = world_->now();
    std::erase(locks_[which.lock].believers, &which);
    std::erase_if(beliefs_, [&](const belief& each) { return &each == &which; });
}

void checker::heard(process& who, const event& what)
{
    const auto index = index_of(what.lock).value();
    trace_->note(index, [&] {
        return named(who) + " is told: " + short_id(what.holder) + " " +
               std::string{to_string(what.to)} + ", " + std::string{to_string(what.why)};
    });
    if (what.to == hold_state::lost) {
        ++losses_;
        silences_.begins_anew(who, index);
    }
    const auto found = std::ranges::find(beliefs_, what.holder, &belief::holder);
    const bool renewed = found != beliefs_.end() && found->renewed;
    // Another client that asks for the lock may have the vote of one node for a moment.
    const bool bad = what.to == hold_state::lost ||
                     (what.to == hold_state::jeopardy && what.why != cause::bare_majority);
    if (!plan_->server_may_be_silent() && renewed && bad && !may_have_lost(index, what.holder)) {
        fail("what is renewed stays", index, "for no reason: " + std::string{to_string(what.why)});
    }
    const bool stopped = who.last_stop_end() + longest_ > world_->now();
    if (what.to == hold_state::lost && what.why == cause::expired && renewed && !stopped &&
        record_of(what.holder).renewal_tried + found->lease < world_->now()) {
        fail("what is renewed stays", index, "lost without an attempt to renew it");
    }
    const bool limited = found != beliefs_.end() && found->longest_hold > 0ms;
    const bool beats = found != beliefs_.end() && found->heartbeat > 0ms;
    if (found != beliefs_.end() && ((what.why == cause::held_too_long && !limited) ||
                                    (what.why == cause::no_beat && !beats))) {
        fail("what is renewed stays", index, "for no reason: " + std::string{to_string(what.why)});
    }
    const bool denied = what.why == cause::vanished || what.why == cause::taken;
    if (what.to == hold_state::lost && denied && !may_have_lost(index, what.holder)) {
        fail("what is renewed stays", index,
             "lost within the lease: " + std::string{to_string(what.why)});
    }
}

}  // namespace pawl::sim
