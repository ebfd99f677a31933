#include "sim/condition_checker.h"

#include "sim/checker_words.h"
#include "store/redis/keys.h"
#include "store/redis/message.h"

#include <pawl/error.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace pawl::sim {

using namespace std::chrono_literals;
using kind = script_call::kind;

namespace {

constexpr std::string_view condition_name = "more";

bool has(const std::vector<server::waiter>& all, std::string_view holder)
{
    return std::ranges::find(all, holder, &server::waiter::holder) != all.end();
}

// Whether the place is kept, and its client listens. A place is kept to the end of its last millisecond.
bool can_be_reached(const server::waiter& who, std::chrono::milliseconds now, server& where)
{
    constexpr std::size_t time_digits = 13;
    constexpr std::size_t client_digits = 16;
    if (who.place.size() < time_digits + 1 + client_digits) return false;
    const std::chrono::milliseconds until{std::stoll(who.place.substr(0, time_digits))};
    return now <= until &&
           where.has_listener(store::channel_of(who.place.substr(time_digits + 1, client_digits)));
}

}  // namespace

condition_checker::condition_checker(const plan& plan, world& world, server& server, trace& trace)
    : run_checker{plan, world, server, trace},
      shelves_(plan.locks.size()),
      grants_seen_(plan.locks.size()),
      grants_of_(plan.locks.size())
{
}

// ── The users ───────────────────────────────────────────────────────────────────────────────────

std::size_t condition_checker::living_threads() const
{
    const auto alive =
        std::ranges::count_if(processes_, [](const process* each) { return !each->is_dead(); });
    return static_cast<std::size_t>(alive) * plan_->threads;
}

condition_checker::visit_ptr condition_checker::enters(process& who, std::size_t lock, hold& held,
                                                       std::uint64_t forgets,
                                                       const lock_options& options)
{
    ++grants_;
    ++grants_of_[lock];
    note(lock, who, "holds it as " + short_id(held.id()));
    settles(held.id());
    if (held.valid_for() <= 0ns && !who.is_dead() && !plan_->has(fault::slow_threads)) {
        fail("valid when granted", lock, "a hold was granted with no time left");
    }
    // A lease that is passed on, or that lingers, is as old as its first visit.
    const auto since = first_seen_.try_emplace(held.id(), forgets).first->second;
    visits_.push_back({.who = &who,
                       .lock = lock,
                       .held = &held,
                       .forgets = since,
                       .holder = held.id(),
                       .since = who.now(),
                       .longest_hold = options.longest_hold});
    if (options.heartbeat > 0ms) {
        beats_[held.id()] = {.heartbeat = options.heartbeat, .when = who.now(), .lock = lock};
    }
    return std::prev(visits_.end());
}

void condition_checker::leaves(visit_ptr which)
{
    beats_.erase(which->holder);
    visits_.erase(which);
}

void condition_checker::after_step()
{
    check_longest_holds();
    if (visits_.size() < 2 || !plan_->leases_are_kept()) return;
    for (std::size_t lock = 0; lock < shelves_.size(); ++lock) {
        const auto believes = [&](const visit& each) {
            return each.lock == lock && !each.who->is_dead() &&
                   each.forgets == shelves_[lock].forgets && each.held->valid_for() > 0ns;
        };
        if (std::ranges::count_if(visits_, believes) > 1) {
            fail("exclusion", lock, "two threads hold it");
        }
    }
}

void condition_checker::failed(const process& who, std::size_t lock, std::string_view call,
                               std::error_code why, circumstances how)
{
    note(lock, who, std::string{call} + ": " + why.message());
    if (who.is_dead()) return;
    const bool just_no = why == errc::busy || why == errc::timed_out || why == errc::cancelled;
    const bool silent = why == errc::unreachable && plan_->server_may_be_silent();
    const bool full = why == errc::refused && plan_->has(fault::full_memory);
    // A lock that is not renewed ends by itself.
    const bool lost = why == errc::lost && (!plan_->is_calm() || how.ends_by_itself ||
                                            how.forgets != shelves_[lock].forgets);
    if (just_no || silent || full || lost) return;
    fail("no error without a cause", lock, std::string{call} + ": " + why.message());
}

void condition_checker::note(std::size_t lock, const process& who, std::string_view text)
{
    trace_->note(lock, [&] { return named(who) + " " + std::string{text}; });
}

void condition_checker::server_forgot(std::optional<std::size_t> only_lock)
{
    for (std::size_t i = 0; i < shelves_.size(); ++i) {
        if (!only_lock || *only_lock == i) ++shelves_[i].forgets;
    }
}

// ── The server ──────────────────────────────────────────────────────────────────────────────────

void condition_checker::sent(const process& who, std::span<const std::string_view> words)
{
    const auto call = read_call(words);
    if (!call) return;
    if (call->what == kind::acquire) owners_[std::string{call->holder()}] = &who;
    if (call->what == kind::cond_wait) owners_[std::string{call->arguments[4]}] = &who;
}

std::optional<std::size_t> condition_checker::lock_of(const script_call& call) const
{
    const auto found = std::ranges::find(plan_->locks, call.keys[0], &lock_plan::name);
    if (found == plan_->locks.end()) return std::nullopt;
    return static_cast<std::size_t>(found - plan_->locks.begin());
}

condition_checker::state condition_checker::look_at(std::size_t lock)
{
    const auto& name = plan_->locks[lock].name;
    state found{
        .in_condition = server_->waiters_in(pawl::store::condition_key(name, condition_name)),
        .in_queue = server_->waiters_in(pawl::store::queue_key(name)),
        .holder = server_->holder_of(name),
        .reachable = {}};
    const auto now = std::chrono::floor<std::chrono::milliseconds>(server_->clock());
    for (const auto* list : {&found.in_condition, &found.in_queue}) {
        for (const auto& each : *list) {
            if (can_be_reached(each, now, *server_)) found.reachable.push_back(each.holder);
        }
    }
    return found;
}

void condition_checker::before(const std::vector<std::string_view>& words)
{
    const auto call = read_call(words);
    if (!call || call->what == kind::renew || call->what == kind::check) return;
    if (const auto lock = lock_of(*call)) was_ = look_at(*lock);
}

void condition_checker::after(const std::vector<std::string_view>& words, std::string_view reply)
{
    const auto call = read_call(words);
    count_script(call, reply);
    if (!call || call->what == kind::renew || call->what == kind::check) return;
    const auto lock = lock_of(*call);
    if (!lock || reply.starts_with('-')) return;
    const auto is = look_at(*lock);
    trace_->note(*lock, [&] {
        return "server: " + std::string{name_of(call->what)} + " for " + short_id(call->holder()) +
               ", " + std::to_string(is.in_condition.size()) + " in the condition, " +
               std::to_string(is.in_queue.size()) + " in the queue, held by " +
               short_id(is.holder.value_or("nobody"));
    });
    if (call->what == kind::cond_wait) check_wait(*lock, *call, code_of(reply), is);
    if (call->what == kind::cond_notify) check_woken(*lock, *call, is);
    check_places(*lock, *call, is);
    note_notified(*lock, *call, is);
}

void condition_checker::check_wait(std::size_t lock, const script_call& call, std::int64_t code,
                                   const state& is)
{
    const auto waiter = call.arguments[4];
    const bool waits =
        has(is.in_condition, waiter) || has(is.in_queue, waiter) || is.holder == waiter;
    if (code == 1 && is.holder == call.holder()) {
        fail("waiting is one step", lock, short_id(waiter) + " waits, and still holds the lock");
    } else if (code == 1 && !waits) {
        fail("waiting is one step", lock,
             short_id(waiter) + " gave the lock back, and has no place");
    } else if (code != 1 && has(is.in_condition, waiter)) {
        fail("waiting is one step", lock, short_id(waiter) + " did not hold the lock, and waits");
    }
    if (server_->ttl_of(call.keys[3]) == -1ms) {
        fail("nothing is left behind", lock, "the condition has no expiry");
    }
}

// The first waiter that can be told is notified, or all of them.
void condition_checker::check_woken(std::size_t lock, const script_call& call, const state& is)
{
    const bool all = call.arguments[0] != "1";
    for (const auto& each : was_.in_condition) {
        if (std::ranges::find(was_.reachable, each.holder) == was_.reachable.end()) continue;
        if (has(is.in_condition, each.holder)) {
            fail("a notification wakes", lock, short_id(each.holder) + " was not woken");
        }
        if (!all) return;
    }
}

// A waiter that can be told stays where it is, or moves on.
void condition_checker::check_places(std::size_t lock, const script_call& call, const state& is)
{
    const bool wakes = call.what == kind::cond_notify || call.what == kind::cond_leave;
    std::size_t woken = 0;
    for (const auto& who : was_.reachable) {
        if (who == call.holder()) continue;
        const bool moved = has(is.in_queue, who) || is.holder == who;
        const bool waited = has(was_.in_condition, who);
        // After a restart with old data, a waiter may be in the condition and in the queue.
        const bool was_awake = has(was_.in_queue, who) || was_.holder == who;
        if (waited && moved && !was_awake) ++woken;
        if (waited && !wakes && !has(is.in_condition, who)) {
            fail("nobody is forgotten", lock, short_id(who) + " lost its place in the condition");
        } else if (!moved && !(waited && has(is.in_condition, who))) {
            fail("nobody is forgotten", lock, short_id(who) + " lost its place");
        }
    }
    const bool old_data = plan_->has(fault::old_restarts) || plan_->has(fault::server_back) ||
                          plan_->has(fault::server_far_back);
    for (const auto& each : is.in_condition) {
        if (old_data || (!has(is.in_queue, each.holder) && is.holder != each.holder)) continue;
        fail("one place", lock, short_id(each.holder) + " is woken, and still in the condition");
    }
    const bool one = call.what == kind::cond_leave ||
                     (call.what == kind::cond_notify && call.arguments[0] == "1");
    if (one && woken > 1) fail("one is woken", lock, "one notification woke several waiters");
    if (woken > 0 && !is.holder) {
        fail("nobody is forgotten", lock, "a waiter was woken, and the lock is free");
    }
}

// If a request of another one removes a waiter from the condition, the waiter has the notification, even if its client
// could not be told.
void condition_checker::note_notified(std::size_t lock, const script_call& call, const state& is)
{
    const bool leaves = call.what == kind::cond_leave;
    if (leaves) settles(call.holder());
    if (!leaves && call.what != kind::cond_notify) return;
    for (const auto& each : was_.in_condition) {
        if (has(is.in_condition, each.holder) || settled_.contains(each.holder)) continue;
        notified_.emplace(each.holder, lock);
    }
}

void condition_checker::settles(std::string_view waiter)
{
    settled_.emplace(waiter);
    if (const auto found = notified_.find(waiter); found != notified_.end()) notified_.erase(found);
}

// ── As time passes, and at the end ──────────────────────────────────────────────────────────────

void condition_checker::watch_waiting()
{
    for (std::size_t lock = 0; lock < shelves_.size(); ++lock) {
        const bool still = watched_at_ >= 0ns && grants_of_[lock] == grants_seen_[lock];
        const bool has_some = shelves_[lock].items > 0 || shelves_[lock].open;
        const bool sleeps = std::ranges::any_of(asleep_, [&](const sleeper* each) {
            return each->lock() == lock && each->must_wake() && each->since() <= watched_at_;
        });
        if (still && has_some && sleeps && !server_->holder_of(plan_->locks[lock].name)) {
            fail("nobody is forgotten", lock,
                 "a thread waits, although what it waits for is there and the lock is free");
        }
        grants_seen_[lock] = grants_of_[lock];
    }
    watched_at_ = world_->now();
}

bool condition_checker::is_of_living_process(std::string_view holder) const
{
    const auto owner = owners_.find(holder);
    return owner != owners_.end() && !owner->second->is_dead();
}

// When no call waits any more, each waiter that was notified has returned to its caller with the lock, or has passed
// its notification on. This is true whatever the faults were.
void condition_checker::check_passed_on()
{
    if (!asleep_.empty() || world_->now() < last_woke_at_ + time_to_clean_up()) return;
    for (const auto& [waiter, lock] : notified_) {
        if (!is_of_living_process(waiter)) continue;
        fail("a notification is passed on", lock,
             short_id(waiter) + " was notified, and has neither returned nor left");
    }
}

// A waiter that gave up pauses for up to 4 s between its tries to leave. The first try after the faults may fail too,
// because its connection is dead. So there is time for two pauses.
nanoseconds condition_checker::time_to_clean_up() const
{
    return run_checker::time_to_clean_up() + 5s;
}

void condition_checker::check_orphans()
{
    check_passed_on();
    // A late request, or a process that did not run, can leave something behind for a while.
    for (const auto each :
         {fault::old_restarts, fault::server_back, fault::server_far_back, fault::late_requests,
          fault::spikes, fault::stops, fault::slow_threads}) {
        if (plan_->has(each)) return;
    }
    // Only when no thread uses a lock any more.
    if (!visits_.empty() || !asleep_.empty()) return;
    for (std::size_t lock = 0; lock < shelves_.size(); ++lock) {
        if (!shelves_[lock].open || shelves_[lock].arrived < living_threads()) continue;
        const auto is = look_at(lock);
        for (const auto* list : {&is.in_condition, &is.in_queue}) {
            for (const auto& each : *list) {
                if (!is_of_living_process(each.holder)) continue;
                fail("nothing is left behind", lock, short_id(each.holder) + " still has a place");
            }
        }
        if (is.holder && plan_->locks[lock].linger == 0ms && is_of_living_process(*is.holder)) {
            fail("nothing is left behind", lock, short_id(*is.holder) + " still holds the lock");
        }
    }
}

}  // namespace pawl::sim
