// The gates that are used, what their users report, and who must not wait.
#include "core/object.h"
#include "sim/checker_words.h"
#include "sim/gates_checker.h"
#include "store/redis/keys.h"

#include <pawl/error.h>

#include <algorithm>
#include <utility>

namespace pawl::sim {

using namespace std::chrono_literals;

namespace {

// How long a place in the queue is kept, and how often a waiter looks: <pawl/waitable.h>.
constexpr auto place_kept = 30s;
constexpr auto longest_look = 10s;

bool is_just_no(std::error_code why)
{
    return why == errc::busy || why == errc::timed_out || why == errc::cancelled;
}

}  // namespace

gates_checker::gates_checker(const plan& plan, world& world, server& server, trace& trace)
    : run_checker{plan, world, server, trace}, series_(plan.locks.size())
{
    lease_asked(place_kept);
}

// ── The gates ───────────────────────────────────────────────────────────────────────────────────

std::string gates_checker::key_of(std::size_t lock) const
{
    return plan_->locks[lock].name + '/' + std::to_string(series_[lock].number);
}

std::string gates_checker::last_of(std::size_t lock) const
{
    return plan_->locks[lock].name + "/last";
}

std::string gates_checker::choose(std::size_t lock, dice& dice)
{
    auto& mine = series_[lock];
    const auto before = key_of(lock);
    const auto& gate = record_of(before);
    const auto state = read_gate(*server_, before);
    const bool used_up = gate.openings >= mine.openings_wanted || (state && state->expected == 0);
    if (used_up && dice.chance(0.3)) {
        ++mine.number;
        mine.openings_wanted = static_cast<std::uint64_t>(gate.is_barrier ? dice.between(1, 5) : 1);
    }
    return dice.chance(0.1) ? before : key_of(lock);
}

unsigned gates_checker::number_of_threads() const
{
    const auto alive =
        std::ranges::count_if(processes_, [](const auto* each) { return !each->is_dead(); });
    return static_cast<unsigned>(alive) * plan_->threads;
}

std::vector<std::string> gates_checker::keys_used() const
{
    std::vector<std::string> all;
    for (const auto& [name, gate] : gates_) all.push_back(name);
    return all;
}

gates_checker::gate_record& gates_checker::record_of(std::string_view name)
{
    const auto found = gates_.find(name);
    if (found != gates_.end()) return found->second;
    auto& fresh = gates_[std::string{name}];
    fresh.name = name;
    for (const auto& lock : plan_->locks) {
        if (name.starts_with(lock.name + '/')) break;
        ++fresh.lock;
    }
    fresh.is_barrier = plan_->locks[fresh.lock].what == lock_plan::kind::barrier;
    return fresh;
}

// ── The faults ──────────────────────────────────────────────────────────────────────────────────

void gates_checker::server_forgot(std::optional<std::size_t> only_lock)
{
    for (auto& [name, gate] : gates_) {
        if (!only_lock || gate.lock == *only_lock) gate.may_be_gone = true;
    }
}

void gates_checker::data_lost(bool known)
{
    for (auto& [name, gate] : gates_) gate.numbers_unknown |= !known;
}

// ── The users ───────────────────────────────────────────────────────────────────────────────────

gates_checker::arrival_ptr gates_checker::arrives(const process& who, const std::string& name,
                                                  unsigned count)
{
    auto& gate = record_of(name);
    auto mine = std::make_shared<arrival>();
    mine->at = &gate;
    mine->who = &who;
    mine->count = count;
    mine->life = gate.life;
    mine->openings = gate.openings;
    mine->refusals = gate.refusals;
    calls_[{&who, who.thread_mark()}] = mine;
    trace_->note(gate.lock, [&] {
        return named(who) + " arrives at " + name + ", as " + std::to_string(count);
    });
    return mine;
}

// A thread sends a request. Those of an asynchronous call are sent by no thread of the user.
void gates_checker::called(const process& who, std::span<const std::string_view> words)
{
    const auto call = read_call(words);
    if (!call || call->what != script_call::kind::arrive) return;
    const auto found = calls_.find({&who, who.thread_mark()});
    const auto mine = found == calls_.end() ? nullptr : found->second.lock();
    if (!mine || mine->ended) return;
    auto request = std::string{call->arguments[0]} + ' ' + std::string{call->arguments[1]};
    mine->at->requests[request].call = mine;
    mine->requests.insert(std::move(request));
}

void gates_checker::arrived_at(const arrival_ptr& mine, std::error_code why)
{
    mine->ended = why;
    mine->openings_then = mine->at->openings;
    if (mine->who->is_dead()) return;
    auto& gate = *mine->at;
    trace_->note(gate.lock, [&] {
        return named(*mine->who) + " at " + gate.name + ": " + (why ? why.message() : "arrived");
    });
    std::uint64_t counted = 0;
    for (const auto& each : mine->requests) {
        const auto& request = gate.requests[each];
        counted += request.counted;
        if (request.counted > 0) mine->phase = request.phase;
    }
    const bool same_life = gate.life == mine->life;
    const bool is_known = !mine->requests.empty();
    if (same_life && counted > 1) {
        fail("an arrival counts once", gate.lock, "one call counted more than once");
    }
    if (!why && is_known && counted == 0) {
        fail("an arrival counts once", gate.lock, "a call that succeeded was not counted");
    }
    if (why == errc::refused && same_life && counted > 0) {
        fail("an arrival counts once", gate.lock, "a call that was refused was counted");
    }
    const bool silent = why == errc::unreachable && plan_->server_may_be_silent();
    const bool too_many = why == errc::refused && gate.refusals > mine->refusals;
    const bool full = why == errc::refused && plan_->has(fault::full_memory);
    if (why && !silent && !too_many && !full) {
        fail("no error without a cause", gate.lock, "arrive: " + why.message());
    }
}

bool gates_checker::was_counted(const arrival& mine) const
{
    return std::ranges::any_of(mine.requests, [&](const auto& each) {
        const auto found = mine.at->requests.find(each);
        return found != mine.at->requests.end() && found->second.counted > 0;
    });
}

bool gates_checker::is_over(const arrival& mine) const
{
    return mine.phase ? mine.at->ended.contains(*mine.phase)
                      : mine.at->openings > mine.openings_then;
}

bool gates_checker::may_be_over(const arrival& mine) const
{
    return mine.phase ? is_over(mine) : mine.at->openings > mine.openings;
}

bool gates_checker::is_over(const waiter& which)
{
    const auto& gate = *which.at;
    if (which.mine) return gate.life == which.mine->life && is_over(*which.mine);
    const auto state = read_gate(*server_, gate.name);
    return state && state->is_over(0);
}

gates_checker::waiting gates_checker::waits(const process& who, const std::string& name,
                                            arrival_ptr mine)
{
    auto& gate = record_of(name);
    auto& fresh = waiting_.emplace_back();
    fresh.at = &gate;
    fresh.who = &who;
    fresh.mine = std::move(mine);
    fresh.openings = gate.openings;
    fresh.life = gate.life;
    fresh.id_before = who.last_id();
    fresh.over = is_over(fresh);
    trace_->note(gate.lock, [&] { return named(who) + " waits at " + name; });
    return std::prev(waiting_.end());
}

void gates_checker::waited(waiting which, std::error_code why)
{
    const auto ended = *which;
    waiting_.erase(which);
    if (ended.who->is_dead()) return;
    const auto& gate = *ended.at;
    trace_->note(gate.lock, [&] {
        return named(*ended.who) + " waits no more at " + gate.name + ": " +
               (why ? why.message() : "it is open");
    });
    if (ended.who->last_id() != ended.id_before) {
        left_[ended.who->last_holder()] = {.who = ended.who, .when = world_->now()};
    }
    const bool barrier = ended.mine != nullptr;
    if (!why) {
        ++grants_;
        const bool opened = ended.over || gate.openings > ended.openings;
        if (!barrier && !opened) {
            fail("opens when all have arrived", gate.lock, "a waiter was released too early");
        }
        // With old data the numbers of phases come again.
        if (barrier && !may_be_over(*ended.mine) && !plan_->has(fault::old_restarts)) {
            fail("released by its own phase", gate.lock, "a waiter was released too early");
        }
        return;
    }
    if (why == errc::busy && ended.over && gate.life == ended.life && !gate.may_be_gone &&
        !gate.numbers_unknown) {
        fail("what is counted stays", gate.lock, "it was open, and is not");
    }
    const bool silent = why == errc::unreachable && plan_->server_may_be_silent();
    const bool full = why == errc::refused && plan_->has(fault::full_memory);
    const bool lost = why == errc::refused && barrier && gate.life != ended.mine->life;
    if (!is_just_no(why) && !silent && !full && !lost) {
        fail("no error without a cause", gate.lock, "wait: " + why.message());
    }
}

// ── As time passes ──────────────────────────────────────────────────────────────────────────────

// In a calm run all messages arrive. Otherwise a waiter finds out at its next look; its first try may be lost.
nanoseconds gates_checker::watch_period() const
{
    const auto moment = 100 * plan_->delay + 500ms;
    if (plan_->is_calm()) return moment;
    // As long as a slow thread may sleep although its wait is over.
    const auto asleep = plan_->has(fault::slow_threads) ? nanoseconds{2 * plan_->lease} : 0ns;
    return moment + longest_look * 5 / 4 + plan_->command_limit + asleep;
}

// Nobody waits from one call of this to the next if the gate is open all the time.
void gates_checker::watch_waiting()
{
    for (auto& each : waiting_) {
        const bool over = !each.who->is_dead() && is_over(each);
        if (over && each.over_seen) {
            fail("nobody is forgotten", each.at->lock,
                 named(*each.who) + " waits at " + each.at->name + ", which is open");
        }
        each.over_seen = over;
    }
}

void gates_checker::check_orphans()
{
    if (plan_->has(fault::old_restarts) || plan_->has(fault::server_back) ||
        plan_->has(fault::server_far_back)) {
        return;  // a place may come back, or is kept for longer
    }
    for (const auto& [name, gate] : gates_) {
        for (const auto& each : server_->waiters_in(store::queue_key(name))) {
            const auto found = left_.find(each.holder);
            if (found == left_.end() || found->second.who->is_dead() || found->second.joined_late) {
                continue;
            }
            if (found->second.when + time_to_clean_up() > world_->now()) continue;
            fail("nothing is left behind", gate.lock,
                 short_id(each.holder) + " gave up, and is in the queue");
        }
    }
}

}  // namespace pawl::sim
