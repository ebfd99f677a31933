#include "sim/checker.h"

#include "redis/resp.h"

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

std::string short_id(std::string_view holder)
{
    return std::string{holder.substr(0, 6)};
}

std::string named(const process& who)
{
    return "p" + std::to_string(who.number());
}

// Whether a reply, or the i-th part of it, says that it was done.
bool claims_success(std::string_view reply, std::size_t i)
{
    redis::reply_parser parser;
    static_cast<void>(parser.parse(reply));
    const auto view = parser.reply(reply);
    if (!view.is_aggregate()) return view.integer() == 1;
    return i < view.size() && view[i].integer() == 1;
}

}  // namespace

checker::checker(const plan& plan, world& world, server& server, trace& trace)
    : plan_{&plan}, world_{&world}, server_{&server}, trace_{&trace}
{
    for (const auto& lock : plan.locks) locks_.emplace_back().name = lock.name;
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

bool checker::excused(std::size_t lock, std::string_view holder) const
{
    const auto found = holders_.find(holder);
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
    holders_[fresh.holder].given_up.reset();
    holders_[fresh.holder].left.reset();
    // Only now: asking for the token looks at the clock.
    fresh.told = held.lost();
    auto& record = locks_[lock];
    if (record.order[fresh.fence].holder != fresh.holder) {
        fail("fence", lock, "a fence that the server did not give to this holder");
    }
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
        auto& record = holders_[who.last_id()];
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
    holders_[which.holder].given_up = world_->now();
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
    auto& record = holders_[which.holder];
    const auto held = which.who->now() - which.since;
    // After a failure it is tried again up to 24 times in a lease, or twice a second.
    const auto allowed =
        6 + static_cast<std::uint64_t>(30 * (held / which.lease + 1) + held / 400ms);
    if (!which.who->is_dead() && record.renewals_sent > allowed) {
        fail("renewals are few", which.lock,
             std::to_string(record.renewals_sent) + " renewals of one lease");
    }
    record.given_up = record.left = world_->now();
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
        holders_[what.holder].renewal_tried + found->lease < world_->now()) {
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
    const auto call = read_call(words);
    if (!call) return;
    if (call->what == kind::acquire) {
        auto& record = holders_[std::string{call->holder()}];
        record.who = &who;
        record.given_up.reset();
        record.unheard = world_->now() - last_heard_[&who];
    }
    if (call->what != kind::renew) return;
    for (std::size_t i = 0; i < call->keys.size(); ++i) {
        auto& record = holders_[std::string{call->holder(i)}];
        ++record.renewals_sent;
        if (!record.given_up) continue;
        // Some may have waited for a connection when the lock was released.
        const auto since = std::max(*record.given_up, who.last_stop_end());
        if (world_->now() > since + 2 * plan_->command_limit) {
            fail("renewals are few", std::nullopt, "renewed after it was given back");
        }
    }
}

void checker::to_be_sent(std::span<const std::string_view> words)
{
    const auto call = read_call(words);
    if (!call || call->what != kind::renew) return;
    for (std::size_t i = 0; i < call->keys.size(); ++i) {
        holders_[std::string{call->holder(i)}].renewal_tried = world_->now();
    }
}

void checker::before(const std::vector<std::string_view>& words)
{
    holders_before_.clear();
    const auto call = read_call(words);
    if (!call || call->what == kind::acquire) return;
    for (const auto& key : call->keys) holders_before_.push_back(server_->holder_of(key));
}

void checker::after(const std::vector<std::string_view>& words, std::string_view reply)
{
    if (reply.starts_with("-NOSCRIPT")) ++unknown_scripts_;
    const auto call = read_call(words);
    if (!call) return;
    if (call->in_full && ++scripts_in_full_ > unknown_scripts_) {
        fail("scripts by name", std::nullopt, "a script was sent in full that the server knew");
    }
    if (call->what == kind::acquire) {
        after_acquire(*call, reply);
        return;
    }
    for (std::size_t i = 0; i < call->keys.size(); ++i) {
        const auto& was = holders_before_[i];
        const auto is = server_->holder_of(call->keys[i]);
        const auto* const lock = find(call->keys[i]);
        const auto index = static_cast<std::size_t>(lock - locks_.data());
        const bool done = claims_success(reply, i);
        trace_->note(index, [&] {
            return "server: " + std::string{name_of(call->what)} + " for " +
                   short_id(call->holder(i)) + (done ? " done" : " refused");
        });
        if (call->what == kind::release) holders_[std::string{call->holder()}].released = true;
        if (call->what == kind::release && done && is) {
            fail("released is free", index, short_id(*is) + " still holds it");
        }
        if (done && was != call->holder(i)) {
            fail("only the owner", index, "done for " + short_id(call->holder(i)) + ", who is not");
        }
        if (is && is != was) fail("what ended stays ended", index, "a lease came back to life");
        if (was && is != was && was != call->holder(i)) {
            fail("only the owner", index, "freed by " + short_id(call->holder(i)));
        }
    }
}

void checker::after_acquire(const script_call& call, std::string_view reply)
{
    auto& record = holders_[std::string{call.holder()}];
    redis::reply_parser parser;
    static_cast<void>(parser.parse(reply));
    const auto view = parser.reply(reply);
    auto* const lock = find(call.keys[0]);
    const auto index = static_cast<std::size_t>(lock - locks_.data());
    if (view.size() != 3 || view[0].integer() != 1) return;
    const auto fence = static_cast<std::uint64_t>(view[1].integer());
    trace_->note(index, [&] {
        return "server grants it to " + short_id(call.holder()) + ", fence " +
               std::to_string(fence);
    });
    if (record.given_up) granted_late(record, index, call.arguments[4] != "0");
    record.lock = index;
    if (fence <= lock->last_fence) {
        fail("fence", index, std::to_string(fence) + " after " + std::to_string(lock->last_fence));
    }
    lock->last_fence = fence;
    lock->order[fence] = {++lock->grants, std::string{call.holder()}};
    if (record.granted < 0ns) record.granted = world_->now();
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

// ── In the end ──────────────────────────────────────────────────────────────────────────────────

nanoseconds checker::time_to_clean_up() const
{
    return 3 * plan_->command_limit + 3s;
}

void checker::check_orphans()
{
    // What comes back with old data nobody knows of. And a client tries for as long as the lease: a
    // server whose clock is set back keeps it for longer.
    if (plan_->has(fault::old_restarts) || plan_->has(fault::server_back)) return;
    for (std::size_t i = 0; i < locks_.size(); ++i) {
        const auto holder = server_->holder_of(locks_[i].name);
        const auto found = holder ? holders_.find(*holder) : holders_.end();
        if (found == holders_.end()) continue;
        const auto& record = found->second;
        const bool forgotten = record.left && !record.granted_late && !record.who->is_dead() &&
                               *record.left + time_to_clean_up() <= world_->now();
        if (forgotten) {
            fail("nothing is left behind", i,
                 short_id(*holder) + " was given up, and still holds the lock");
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
