// Watchers: they wait until another one leads than the leader that they have seen, or none.
#include "core/object.h"
#include "sim/checker_words.h"
#include "sim/leader_checker.h"
#include "store/redis/keys.h"

#include <pawl/error.h>

#include <algorithm>

namespace pawl::sim {

using namespace std::chrono_literals;

namespace {

constexpr nanoseconds longest_look = 10s;  // docs/guarantees.md

}  // namespace

std::uint64_t leader_checker::fence_of(std::size_t lock) const
{
    const auto term = server_->term_of(plan_->locks[lock].name);
    return term ? term->fence : 0;
}

void leader_checker::note_changes(std::size_t lock)
{
    const auto concerns = [lock](const watcher& each) {
        return each.which->lock == lock && !each.changed;
    };
    if (std::ranges::none_of(watching_, concerns)) return;
    const auto fence = fence_of(lock);
    for (auto& each : watching_) {
        if (concerns(each)) each.changed = fence != each.which->seen;
    }
}

void leader_checker::begins_to_watch(const watch& which)
{
    watching_.push_back({.which = &which,
                         .id_before = which.who->last_id(),
                         .changed = fence_of(which.lock) != which.seen,
                         .fence = 0,
                         .noticed = std::nullopt});
    trace_->note(which.lock, [&] {
        return named(*which.who) + " watches, and has seen " + std::to_string(which.seen);
    });
}

void leader_checker::watched(const watch& which, std::error_code why)
{
    note_changes(which.lock);
    const auto found = std::ranges::find(watching_, &which, &watcher::which);
    const auto ended = *found;
    watching_.erase(found);
    const auto& who = *which.who;
    if (who.is_dead()) return;
    trace_->note(which.lock, [&] {
        return named(who) + " watches no more: " + (why ? why.message() : "there was a change");
    });
    if (who.last_id() != ended.id_before) {
        not_watching_[who.last_holder()] = {.who = &who, .lock = which.lock, .when = world_->now()};
    }
    // With old data, the queue has watchers that have seen a later leader.
    if (!why && !ended.changed && !plan_->has(fault::old_restarts)) {
        fail("watchers are told", which.lock, "of a change, and there was none");
    }
    const bool just_no = why == errc::busy || why == errc::timed_out || why == errc::cancelled;
    const bool silent = why == errc::unreachable && plan_->server_may_be_silent();
    const bool full = why == errc::refused && plan_->has(fault::full_memory);
    if (why && !just_no && !silent && !full) {
        fail("no error without a cause", which.lock, "watch: " + why.message());
    }
}

void leader_checker::after_watch(const script_call& call)
{
    const auto lock = index_of(call.keys[0]).value();
    note_changes(lock);
    if (call.what != script_call::kind::watch) return;
    watchers_.emplace(call.holder());
    // A late request joins the queue although its call has ended.
    if (const auto found = not_watching_.find(call.holder()); found != not_watching_.end()) {
        not_watching_.erase(found);
    }
    if (server_->ttl_of(call.keys[2]) == -1ms) {
        fail("nothing is left behind", lock, "the queue of watchers has no expiry");
    }
}

// In a calm run all messages arrive, and a watcher asks when the lease of the leader ends. Otherwise it finds out at
// its next look; its first try may be lost, and a slow thread may sleep although its wait is over.
nanoseconds leader_checker::longest_ignorance() const
{
    const auto moment = 100 * plan_->delay + 500ms;
    if (plan_->is_calm()) return moment;
    const auto asleep = plan_->has(fault::slow_threads) ? nanoseconds{2 * plan_->lease} : 0ns;
    return moment + longest_look * 5 / 4 + plan_->command_limit + asleep;
}

nanoseconds leader_checker::longest_sleep() const
{
    return longest_ignorance();
}

// A watcher that has seen a leader waits in vain as soon as that one is over. One that has seen none must be told
// only if the same leader stays.
void leader_checker::watch_waiting()
{
    exclusive_checker::watch_waiting();
    for (auto& each : watching_) {
        const auto& which = *each.which;
        const auto fence = fence_of(which.lock);
        if (fence == which.seen || which.who->is_dead()) {
            each.noticed.reset();
            continue;
        }
        const bool same = which.seen != 0 || fence == each.fence;
        if (!each.noticed || !same) each.noticed = world_->now();
        each.fence = fence;
        if (world_->now() - *each.noticed < longest_ignorance()) continue;
        fail("watchers are told", which.lock,
             named(*which.who) + " was not told that another one leads than " +
                 std::to_string(which.seen));
    }
}

void leader_checker::check_orphans()
{
    exclusive_checker::check_orphans();
    if (plan_->has(fault::old_restarts) || plan_->has(fault::server_back) ||
        plan_->has(fault::server_far_back)) {
        return;  // a place may come back, or is kept for longer
    }
    for (std::size_t lock = 0; lock < locks_.size(); ++lock) {
        for (const auto& each : server_->waiters_in(store::watch_key(locks_[lock].name))) {
            const auto found = not_watching_.find(each.holder);
            if (found == not_watching_.end() || found->second.who->is_dead()) continue;
            if (found->second.when + time_to_clean_up() > world_->now()) continue;
            fail("nothing is left behind", lock,
                 short_id(each.holder) + " watches no more, and is in the queue of watchers");
        }
    }
}

std::vector<std::string> leader_checker::keys_used() const
{
    auto all = exclusive_checker::keys_used();
    for (const auto& each : plan_->locks) all.push_back(store::watch_key(each.name));
    return all;
}

}  // namespace pawl::sim
