#include "sim/checker.h"

#include "core/acquire.h"
#include "core/keys.h"
#include "redis/resp.h"
#include "store/redis/wire.h"

#include <pawl/error.h>

#include <algorithm>
#include <utility>

namespace pawl::sim {

using base::boot_time;
using kind = script_call::kind;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view fence_prefix = "pawl:fence:";
constexpr nanoseconds tolerance = 2ms;  // between a deadline and the holder's being told
constexpr std::size_t id_digits = 32;   // of a holder; what follows is his client

std::string short_id(std::string_view holder)
{
    return std::string{holder.substr(0, 6)};
}

std::string named(const process& who)
{
    return "p" + std::to_string(who.number());
}

// The number that a reply, or the i-th part of it, opens with.
std::int64_t code_of(std::string_view reply, std::size_t i)
{
    redis::reply_parser parser;
    static_cast<void>(parser.parse(reply));
    const auto view = parser.reply(reply);
    if (!view.is_aggregate()) return view.integer();
    return i < view.size() ? view[i].integer() : 0;
}

std::uint64_t second_number(std::string_view reply)
{
    return static_cast<std::uint64_t>(code_of(reply, 1));
}

}  // namespace

checker::checker(const plan& plan, world& world, server& server, trace& trace)
    : plan_{&plan}, world_{&world}, server_{&server}, trace_{&trace}
{
    for (const auto& lock : plan.locks) {
        auto& record = locks_.emplace_back();
        record.name = lock.name;
        // What has expired comes back when the clock does, unless someone looked.
        record.queue_unknown = plan.has(fault::server_back) || plan.has(fault::server_far_back);
    }
    server.watched_by(*this);
}

void checker::fail(std::string_view check, std::optional<std::size_t> lock, const std::string& text)
{
    if (found_) return;
    found_ = violation{std::string{check}, text, world_->now(), lock};
    trace_->note(lock, [&] { return "✗ " + std::string{check} + ": " + text; });
}

checker::lock_record* checker::find(std::string_view key)
{
    const auto found = std::ranges::find(locks_, key, &lock_record::name);
    return found == locks_.end() ? nullptr : &*found;
}

checker::holder_record& checker::record_of(std::string_view holder)
{
    return holders_[std::string{holder.substr(0, id_digits)}];
}

bool checker::excused(std::size_t lock, std::string_view holder) const
{
    const auto found = holders_.find(holder.substr(0, id_digits));
    const bool forgotten =
        found == holders_.end() || found->second.granted <= locks_[lock].forgotten;
    return forgotten || !plan_->leases_are_kept();
}

// ── Those who use locks ─────────────────────────────────────────────────────────────────────────

belief& checker::granted(process& who, std::size_t lock, hold& held, bool renewed,
                         std::chrono::milliseconds lease)
{
    ++grants_;
    last_heard_[&who] = world_->now();
    auto& fresh = beliefs_.emplace_back();
    fresh = {.who = &who,
             .lock = lock,
             .held = &held,
             .told = {},
             .fence = held.fence(),
             .holder = held.id(),
             .renewed = renewed,
             .since = who.now(),
             .lease = lease,
             .over = false,
             .number = ++last_belief_};
    trace_->note(lock, [&] {
        return named(who) + " holds " + locks_[lock].name + " as " + short_id(fresh.holder) +
               ", fence " + std::to_string(fresh.fence) + ", for " +
               std::to_string(held.valid_for().count() / 1000) + " µs";
    });
    if (held.valid_for() <= 0ns && !who.is_dead()) {
        fail("valid when granted", lock, "a hold was granted of which nothing is left");
    }
    auto& of_holder = record_of(fresh.holder);
    of_holder.given_up.reset();
    of_holder.left.reset();
    if (!of_holder.since) of_holder.since = who.now();
    ++of_holder.holds;
    of_holder.last_hold = fresh.number;
    // Only now: asking for the token looks at the clock.
    fresh.told = held.lost();
    auto& record = locks_[lock];
    check_fence(record, fresh);
    record.believers.push_back(&fresh);
    check_exclusion(record);
    watch_deadline(fresh.number);
    return fresh;
}

void checker::entered_again(const belief& outer, hold& inner)
{
    if (inner.fence() != outer.fence || inner.id() != outer.holder) {
        fail("re-entry", outer.lock, "the lock was entered again as another grant");
    }
}

void checker::acquire_failed(process& who, std::size_t lock, std::error_code why, bool fresh)
{
    trace_->note(lock, [&] { return named(who) + " did not get it: " + why.message(); });
    if (why == errc::busy) last_heard_[&who] = world_->now();
    if (fresh) {
        auto& record = record_of(who.last_id());
        record.lock = lock;
        record.who = &who;
        record.given_up = record.left = world_->now();
    }
    const bool excusable = why == errc::unreachable && plan_->server_may_be_silent();
    const bool full = why == errc::refused && plan_->has(fault::full_memory);
    const bool just_no = why == errc::busy || why == errc::timed_out || why == errc::cancelled;
    if (!just_no && !excusable && !full && !who.is_dead()) {
        fail("no error without a cause", lock, "acquire: " + why.message());
    }
}

void checker::releasing(belief& which)
{
    which.over = true;
    record_of(which.holder).given_up = world_->now();
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
    if (not_his && in_time && !excused(lock, which.holder)) {
        fail("an owner can release", lock, "release, within the lease: " + why.message());
    }
}

void checker::answered(const belief& which, std::string_view call, std::error_code why)
{
    if (!why || which.who->is_dead()) return;
    const auto text = std::string{call} + ": " + why.message();
    trace_->note(which.lock, [&] { return named(*which.who) + " " + text; });
    const bool silent = why == errc::unreachable && plan_->server_may_be_silent();
    const bool lost = why == errc::lost || why == errc::not_owner;
    const bool expired = !which.renewed || plan_->server_may_be_silent();
    if (silent || (lost && (expired || excused(which.lock, which.holder)))) return;
    fail("no error without a cause", which.lock, text);
}

void checker::ended(belief& which)
{
    auto& record = record_of(which.holder);
    auto held = which.who->now() - record.since.value_or(which.since);
    // A thread that is kept from running learns of its grant at any time.
    if (record.granted >= 0ns) held = std::max(held, world_->now() - record.granted);
    // Each hold may have extended it a few times. After a failure it is tried again up to 24 times in a lease, or twice a second.
    const auto allowed =
        6 * record.holds + static_cast<std::uint64_t>(30 * (held / which.lease + 1) + held / 400ms);
    if (!which.who->is_dead() && record.renewals_sent > allowed) {
        fail("renewals are few", which.lock,
             std::to_string(record.renewals_sent) + " renewals of one lease");
    }
    // It may have been passed on already.
    if (record.last_hold == which.number) record.given_up = record.left = world_->now();
    std::erase(locks_[which.lock].believers, &which);
    std::erase_if(beliefs_, [&](const belief& each) { return &each == &which; });
}

void checker::told(process& who, const event& what)
{
    auto* const lock = find(what.lock);
    const auto index = static_cast<std::size_t>(lock - locks_.data());
    trace_->note(index, [&] {
        return named(who) + " is told: " + short_id(what.holder) + " " +
               std::string{to_string(what.to)} + ", " + std::string{to_string(what.why)};
    });
    if (what.to == hold_state::lost) ++losses_;
    const auto found = std::ranges::find(beliefs_, what.holder, &belief::holder);
    const bool renewed = found != beliefs_.end() && found->renewed;
    const bool bad = what.to == hold_state::lost || what.to == hold_state::jeopardy;
    if (!plan_->server_may_be_silent() && renewed && bad && !excused(index, what.holder)) {
        fail("what is renewed stays", index, "for no reason: " + std::string{to_string(what.why)});
    }
    const bool stopped = who.last_stop_end() + longest_ > world_->now();
    if (what.to == hold_state::lost && what.why == cause::expired && renewed && !stopped &&
        record_of(what.holder).renewal_tried + found->lease < world_->now()) {
        fail("what is renewed stays", index, "lost without an attempt to renew it");
    }
    const bool denied = what.why == cause::vanished || what.why == cause::taken;
    if (what.to == hold_state::lost && denied && !excused(index, what.holder)) {
        fail("what is renewed stays", index,
             "lost within the lease: " + std::string{to_string(what.why)});
    }
}

void checker::write(const belief& which)
{
    auto& lock = locks_[which.lock];
    if (which.fence < lock.greatest_written) {
        ++stale_writes_;
        // Unless the server was restarted with the data of a time when he did.
        if (server_->holder_of(lock.name) == which.holder && !excused(which.lock, which.holder)) {
            fail("register", which.lock, "the one who holds the lock is refused");
        }
        return;
    }
    const auto place = lock.order[which.fence].place;
    if (place < lock.last_writer) {
        fail("register", which.lock, "a stale write got past the fence");
    }
    lock.greatest_written = which.fence;
    lock.last_writer = place;
}

// ── The network and the server ──────────────────────────────────────────────────────────────────

void checker::sent(const process& who, std::span<const std::string_view> words)
{
    if (words[0] == "SET") {
        auto& record = record_of(words[2]);
        record.who = &who;
        record.given_up.reset();
    }
    const auto call = read_call(words);
    if (!call) return;
    if (call->what == kind::acquire) {
        auto& record = record_of(call->holder());
        record.who = &who;
        record.given_up.reset();
        record.unheard = world_->now() - last_heard_[&who];
    }
    if (call->what != kind::renew) return;
    for (std::size_t i = 0; i < call->keys.size(); ++i) {
        auto& record = record_of(call->holder(i));
        ++record.renewals_sent;
        // A thread that is kept from running may be giving it back for any time.
        if (!(plan_->has(fault::slow_threads) ? record.left : record.given_up)) continue;
        // Some may have waited for a connection when the lock was released.
        const auto since = std::max(*record.given_up, who.last_stop_end());
        // By a clock that may be slow by a fifth.
        const auto lingers = plan_->locks[record.lock].linger * 5 / 4;
        if (world_->now() > since + 2 * plan_->command_limit + lingers) {
            fail("renewals are few", record.lock,
                 short_id(call->holder(i)) + " is renewed after it was given back");
        }
    }
}

void checker::to_be_sent(std::span<const std::string_view> words)
{
    const auto call = read_call(words);
    if (!call || call->what != kind::renew) return;
    for (std::size_t i = 0; i < call->keys.size(); ++i) {
        record_of(call->holder(i)).renewal_tried = world_->now();
    }
}

void checker::before(const std::vector<std::string_view>& words)
{
    holders_before_.clear();
    const auto call = read_call(words);
    if (!call || call->what == kind::acquire) return;
    const bool one_lock = call->what == kind::keep || call->what == kind::release;
    for (const auto& key : call->keys.first(one_lock ? 1 : call->keys.size()))
        holders_before_.push_back(server_->holder_of(key));
}

void checker::after(const std::vector<std::string_view>& words, std::string_view reply)
{
    if (reply.starts_with("-NOSCRIPT")) ++unknown_scripts_;
    if (words[0] == "SET" || words[0] == "INCR") after_bare(words, reply);
    const auto call = read_call(words);
    if (!call) return;
    if (call->in_full && ++scripts_in_full_ > unknown_scripts_) {
        fail("scripts by name", std::nullopt, "a script was sent in full that the server knew");
    }
    auto& first = *find(call->keys[0]);
    check_order(*call, reply, first);
    if (call->what == kind::acquire) {
        after_acquire(*call, reply);
    } else {
        for (std::size_t i = 0; i < call->keys.size(); ++i) {
            if (i < holders_before_.size()) after_change(*call, i, reply);
        }
    }
    first.handed_to.reset();
}

// A bare acquire is two commands, and others may come between them, who count on in vain. Its number
// counts from when it was given, if its holder takes it: he may not trust it.
void checker::after_bare(const std::vector<std::string_view>& words, std::string_view reply)
{
    if (words[0] == "SET") {
        if (!reply.starts_with("+OK")) return;
        auto& lock = *find(words[1]);
        const auto index = static_cast<std::size_t>(&lock - locks_.data());
        const std::string holder{words[2]};
        auto& record = record_of(holder);
        if (record.given_up) {
            granted_late(record, index, false);
            // Whoever gave it up goes on giving it back for a while.
            const auto since = world_->now() - *record.given_up;
            if (since < core::latest_bare - 5s) record.granted_late = false;
            record.taken_late = world_->now();
        }
        record.lock = index;
        if (record.granted < 0ns) record.granted = world_->now();
        lock.bare = holder;
        trace_->note(index, [&] { return "server: " + short_id(holder) + " takes it, bare"; });
        const auto now = std::chrono::floor<std::chrono::milliseconds>(server_->clock());
        lock.queue.look_at_clock(now);
        const auto first = lock.queue.first(now, *server_);
        if (first && !lock.queue_unknown && plan_->locks[index].what == lock_plan::kind::fair) {
            fail("in order", index, short_id(*first) + " was overtaken");
        }
        return;
    }
    const auto found = std::ranges::find_if(
        locks_, [&](const auto& each) { return core::keys_of(each.name).fence() == words[1]; });
    if (found == locks_.end() || !found->bare || !reply.starts_with(':')) return;
    const auto holder = *found->bare;
    // If it was deleted in between he may have the number all the same: he cannot know.
    const auto index = static_cast<std::size_t>(&*found - locks_.data());
    if (server_->holder_of(found->name) != holder && !excused(index, holder)) {
        found->bare.reset();
        return;
    }
    const auto number = static_cast<std::uint64_t>(code_of(reply, 0));
    trace_->note(index, [&] {
        return "server: " + short_id(holder) + " gets the number " + std::to_string(number);
    });
    // A number that someone kept the lock with, and gave back unused, is given again.
    const bool grows = number > found->last_fence && !found->order[number].used;
    found->order[number] = {.place = ++found->grants,
                            .holder = holder,
                            .reserve = 0,
                            .used = false,
                            .offered = true,
                            .grows = grows};
}

// A release, renewal or the like.
void checker::after_change(const script_call& call, std::size_t i, std::string_view reply)
{
    const auto& was = holders_before_[i];
    const auto is = server_->holder_of(call.keys[i]);
    auto& lock = *find(call.keys[i]);
    const auto index = static_cast<std::size_t>(&lock - locks_.data());
    const auto code = code_of(reply, i);
    const bool done = code == 1 || (call.what == kind::keep && code == 2);
    trace_->note(index, [&] {
        return "server: " + std::string{name_of(call.what)} + " for " + short_id(call.holder(i)) +
               (done ? " done" : " refused");
    });
    if (call.what == kind::release) record_of(call.holder()).released = true;
    if (call.what == kind::keep && code == 1) {
        server_grants(lock, call.holder(), second_number(reply), call.keys[1]);
    }
    if (call.what == kind::release && done && is && is != lock.handed_to) {
        fail("released is free", index, short_id(*is) + " still holds it");
    }
    if (done && was != call.holder(i)) {
        fail("only the owner", index, "done for " + short_id(call.holder(i)) + ", who is not");
    }
    if (is && is != was && is != lock.handed_to) {
        fail("what ended stays ended", index, "a lease came back to life");
    }
    if (was && is != was && was != call.holder(i)) {
        fail("only the owner", index, "freed by " + short_id(call.holder(i)));
    }
}

void checker::told(std::string_view push)
{
    redis::reply_parser parser;
    static_cast<void>(parser.parse(push));
    const auto view = parser.reply(push);  // its kind, the channel, the text
    const auto got = store::read_message(view[2].text());
    if (!got || got->what != store::message::kind::grant) return;
    auto& lock = *find(got->lock);
    if (lock.handed_to && *lock.handed_to != got->holder) {
        fail("one is told", static_cast<std::size_t>(&lock - locks_.data()),
             "two are told of one release");
    }
    lock.handed_to = got->holder;
    lock.handed_fence = static_cast<std::uint64_t>(got->fence);
}

// In the order of arrival: who can be reached is not passed over, and where nobody may be overtaken
// nobody is.
void checker::check_order(const script_call& call, std::string_view reply, lock_record& lock)
{
    if (reply.starts_with('-')) return;
    const auto index = static_cast<std::size_t>(&lock - locks_.data());
    const auto now = std::chrono::floor<std::chrono::milliseconds>(server_->clock());
    lock.queue.look_at_clock(now);
    const auto code = code_of(reply, 0);
    const bool acquires = call.what == kind::acquire;
    const bool passes = (call.what == kind::release && code == 1) ||
                        (call.what == kind::keep && code >= 1) || (acquires && lock.handed_to);
    if (passes) {
        const auto wronged = lock.queue.passes(lock.handed_to, now, *server_);
        if (wronged && !lock.queue_unknown) {
            fail("in order", index, short_id(*wronged) + " was passed over");
        }
    }
    if (lock.handed_to) server_grants(lock, *lock.handed_to, lock.handed_fence, call.keys[1]);
    if (call.what == kind::release && code != 1) lock.queue.left(call.holder());
    if (!acquires) return;
    if (code == 1 && call.is_fair() && !lock.queue.opens_with(call.holder())) {
        const auto first = lock.queue.first(now, *server_);
        if (first && !lock.queue_unknown) {
            fail("in order", index, short_id(*first) + " was overtaken");
        }
        // Those who could not be reached have lost their places.
        lock.queue.clear();
    }
    if (code == 1 || code == 2) lock.queue.left(call.holder());
    const auto holder = server_->holder_of(lock.name);
    if (code == 0 && plan_->is_calm() && holder) watch_lingering(index, *holder);
    // A first try that was overtaken by its own repetition does not wait for itself.
    if (code == 0 && call.joins() && holder != call.holder()) {
        const auto stay = call.stay();
        lock.queue.joined(call.holder(), call.arguments[4], now + stay);
        trace_->note(index, [&] {
            return "server: " + short_id(call.holder()) + " waits, for " +
                   std::to_string(stay.count()) + " ms at most";
        });
        record_of(call.holder()).asked = world_->now();
        constexpr auto for_ever = -1ms;  // there may be none, and that is -2
        if (server_->ttl_of(call.keys[2]) == for_ever ||
            server_->ttl_of(call.keys[3]) == for_ever) {
            fail("nothing is left behind", index, "a queue for ever");
        }
    }
}

// Someone asks for a lock that lingers: it goes within two round trips, where nothing goes wrong.
void checker::watch_lingering(std::size_t lock, const std::string& holder)
{
    const auto& record = record_of(holder);
    if (holder.size() == id_digits || !record.left || record.holds == 0) return;
    world_->after(50 * plan_->delay + 100ms, [this, lock, holder, holds = record.holds] {
        const auto& now = record_of(holder);
        if (server_->holder_of(locks_[lock].name) == holder && now.left && now.holds == holds) {
            fail("nobody is forgotten", lock, short_id(holder) + " lingers though someone asks");
        }
    });
}

// The server makes someone the holder, or gives him new numbers.
void checker::server_grants(lock_record& lock, std::string_view holder, std::uint64_t fence,
                            std::string_view fence_key)
{
    const auto index = static_cast<std::size_t>(&lock - locks_.data());
    auto& record = record_of(holder);
    trace_->note(index, [&] {
        return "server grants it to " + short_id(holder) + ", fence " + std::to_string(fence);
    });
    const bool handed_over = lock.handed_to == holder;
    const bool kept = !handed_over && record.granted >= 0ns &&
                      lock.order.contains(lock.last_fence) &&
                      lock.order[lock.last_fence].holder == holder;
    record.lock = index;
    if (fence <= lock.last_fence) {
        fail("fence", index, std::to_string(fence) + " after " + std::to_string(lock.last_fence));
    }
    // A holder who keeps it may never hear of his new number; then another gets that.
    if (!kept) lock.last_fence = fence;
    std::erase_if(lock.order, [&](const auto& each) {
        return each.first > fence && each.second.offered && !each.second.used;
    });
    const auto stored = server_->number_in(fence_key);
    lock.order[fence] = {.place = ++lock.grants,
                         .holder = std::string{holder},
                         .reserve = stored > fence ? stored - fence : 0};
    // Who is told of a grant reckons by the clock of when he last asked.
    if (record.granted < 0ns) record.granted = handed_over ? record.asked : world_->now();
    const bool gave_up =
        record.left && world_->now() > *record.left + 2 * plan_->command_limit + 1s;
    if (handed_over && gave_up && !plan_->server_may_be_silent()) {
        fail("late is too late", index, "handed over to " + short_id(holder) + ", who gave up");
    }
}

void checker::check_fence(lock_record& lock, const belief& fresh)
{
    const auto index = static_cast<std::size_t>(&lock - locks_.data());
    auto found = lock.order.upper_bound(fresh.fence);
    if (found == lock.order.begin()) {
        fail("fence", index, "a fence that the server did not give to anyone");
        return;
    }
    --found;
    auto& from = found->second;
    if (from.holder != fresh.holder || fresh.fence > found->first + from.reserve) {
        fail("fence", index, "a fence that the server did not give to this holder");
    } else if (!from.grows) {
        fail("fence", index, "a bare fence that is not greater than those before");
    } else if (from.used) {
        if (fresh.fence == found->first) fail("fence", index, "a fence was used twice");
    }
    if (fresh.fence == found->first) {
        from.used = true;
    } else {
        lock.order[fresh.fence] = {.place = from.place,
                                   .holder = fresh.holder,
                                   .reserve = found->first + from.reserve - fresh.fence,
                                   .used = true};
    }
    if (from.offered || !excused(index, fresh.holder)) {
        lock.last_fence = std::max(lock.last_fence, fresh.fence);
    }
}

void checker::after_acquire(const script_call& call, std::string_view reply)
{
    auto& record = record_of(call.holder());
    redis::reply_parser parser;
    static_cast<void>(parser.parse(reply));
    const auto view = parser.reply(reply);
    auto& lock = *find(call.keys[0]);
    const auto index = static_cast<std::size_t>(&lock - locks_.data());
    if (view.size() != 3 || view[0].integer() < 1) return;
    if (record.given_up) granted_late(record, index, call.arguments[2] != "0");
    server_grants(lock, call.holder(), static_cast<std::uint64_t>(view[1].integer()), call.keys[1]);
}

// A request that was late is executed only if nobody could say when that would be.
void checker::granted_late(holder_record& record, std::size_t lock, bool bounded)
{
    // If it is released only now, that comes in time.
    record.granted_late = record.released;
    // The bound is too late by as much as the clock was set back, and by as long as the thread that
    // last heard of it had been kept from running while it asked.
    const bool clock_is_right = !plan_->has(fault::server_back) &&
                                !plan_->has(fault::server_far_back) && !plan_->has(fault::stops) &&
                                !plan_->has(fault::slow_threads) && plan_->leases_are_kept();
    const auto limit = *record.given_up + 2 * plan_->command_limit + 1s + record.unheard / 10;
    if (bounded && clock_is_right && world_->now() > limit) {
        fail("late is too late", lock, "granted to a request that was given up long ago");
    }
}

void checker::server_forgot(std::optional<std::size_t> only_lock)
{
    for (std::size_t i = 0; i < locks_.size(); ++i) {
        if (!only_lock || *only_lock == i) locks_[i].forgotten = world_->now();
    }
}

void checker::queues_lost(bool known)
{
    for (auto& lock : locks_) {
        lock.queue.clear();
        lock.queue_unknown = lock.queue_unknown || !known;
    }
}

void checker::lease_asked(std::chrono::milliseconds length)
{
    longest_ = std::max(longest_, length);
}

// ── All the time ────────────────────────────────────────────────────────────────────────────────

bool checker::believes(const belief& which) const
{
    return !which.over && !which.who->is_dead() && which.held->valid_for() > 0ns;
}

void checker::after_step()
{
    for (auto& lock : locks_) {
        if (lock.believers.size() > 1) check_exclusion(lock);
    }
}

void checker::check_exclusion(lock_record& lock)
{
    const auto index = static_cast<std::size_t>(&lock - locks_.data());
    const belief* first = nullptr;
    for (const auto* each : lock.believers) {
        if (!believes(*each) || excused(index, each->holder)) continue;
        if (first != nullptr) {
            fail("exclusion", index,
                 named(*first->who) + " (" + short_id(first->holder) + ") and " +
                     named(*each->who) + " (" + short_id(each->holder) + ") both hold it");
            return;
        }
        first = each;
    }
}

// Until the deadline, and not a moment less, the server has it for the holder.
void checker::check_lease_outlives(const belief& which)
{
    if (believes(which) && !excused(which.lock, which.holder) &&
        server_->holder_of(locks_[which.lock].name) != which.holder) {
        fail("the lease outlives the deadline", which.lock,
             named(*which.who) + " believes to hold what the server has let go");
    }
}

// At the deadline, whatever the network does, the holder is told.
void checker::watch_deadline(std::size_t number)
{
    const auto found = std::ranges::find(beliefs_, number, &belief::number);
    if (found == beliefs_.end() || found->over || found->who->is_dead()) return;
    if (found->told.stop_requested()) return;
    const auto& who = *found->who;
    const auto left = found->held->valid_for();
    // Whoever was stopped until a moment ago has not had the time.
    const auto earliest = std::max(who.true_time_of(who.now() + left), who.last_stop_end());
    if (left <= 0ns && earliest + tolerance <= world_->now()) {
        fail("told in time", found->lock, "the deadline has passed, and its holder was not told");
        return;
    }
    world_->at(earliest + tolerance, [this, number] { watch_deadline(number); });
    world_->at(earliest - 2us, [this, number] {
        const auto again = std::ranges::find(beliefs_, number, &belief::number);
        if (again != beliefs_.end()) check_lease_outlives(*again);
    });
}

// ── Once nothing goes wrong any more ────────────────────────────────────────────────────────────

void checker::watch_waiting()
{
    for (auto& lock : locks_) {
        const auto index = static_cast<std::size_t>(&lock - locks_.data());
        const auto holder = server_->holder_of(lock.name);
        const bool still = lock.waiting_seen && lock.waiting > 0 && holder == lock.holder_seen &&
                           lock.grants == lock.grants_seen;
        if (still && !holder) {
            fail("nobody is forgotten", index, "someone waits, and the lock is free");
        } else if (still && is_kept_for_nobody(*holder)) {
            fail("nobody is forgotten", index,
                 "someone waits, and " + short_id(*holder) + " is kept for nobody");
        }
        lock.waiting_seen = lock.waiting > 0;
        lock.holder_seen = holder;
        lock.grants_seen = lock.grants;
    }
}

bool checker::is_kept_for_nobody(std::string_view holder) const
{
    if (may_be_left_behind()) return false;
    const auto found = holders_.find(holder.substr(0, id_digits));
    const bool known = found != holders_.end() && found->second.who != nullptr;
    return known && !found->second.who->is_dead() && found->second.left.has_value() &&
           std::ranges::none_of(beliefs_, [&](const auto& each) { return each.holder == holder; });
}

// ── In the end ──────────────────────────────────────────────────────────────────────────────────

nanoseconds checker::time_to_clean_up() const
{
    return 3 * plan_->command_limit + 3s;
}

// What comes back with old data nobody knows of. And a client tries for as long as the lease: a server
// whose clock is set back keeps it for longer, and takes a request for timely that is late.
bool checker::may_be_left_behind() const
{
    return plan_->has(fault::old_restarts) || plan_->has(fault::server_back) ||
           plan_->has(fault::server_far_back);
}

void checker::check_orphans()
{
    if (may_be_left_behind()) return;
    for (std::size_t i = 0; i < locks_.size(); ++i) {
        const auto holder = server_->holder_of(locks_[i].name);
        const auto found = holder ? holders_.find(holder->substr(0, id_digits)) : holders_.end();
        const auto is_forgotten = [&](const holder_record& record) {
            return record.left && !record.granted_late && !record.who->is_dead() &&
                   std::max(*record.left, record.taken_late + 4s) + time_to_clean_up() +
                           plan_->locks[i].linger <=
                       world_->now();
        };
        if (found != holders_.end() && is_forgotten(found->second)) {
            fail("nothing is left behind", i,
                 short_id(*holder) + " was given up, and still holds the lock");
        }
        for (const auto& waiter : server_->members_of(core::keys_of(locks_[i].name).queue())) {
            const auto& who = record_of(waiter);
            if (who.left && who.who != nullptr && !who.who->is_dead() &&
                *who.left + time_to_clean_up() <= world_->now()) {
                fail("nothing is left behind", i,
                     short_id(waiter) + " gave up, and is in the queue");
            }
        }
    }
}

void checker::check_leftovers()
{
    for (const auto& key : server_->keys()) {
        if (!key.starts_with(fence_prefix)) {
            fail("nothing is left behind", std::nullopt, "in the end there is a key " + key);
        } else if (server_->ttl_of(key) <= 0ms) {
            fail("nothing is left behind", std::nullopt, "a fence for ever: " + key);
        }
    }
}

}  // namespace pawl::sim
