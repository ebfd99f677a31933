#include "sim/run.h"

#include "sim/mutants.h"
#include "store/redis/keys.h"

#include <algorithm>
#include <utility>

namespace pawl::sim {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {

constexpr std::size_t most_participants = 8;
constexpr auto epoch = std::chrono::hours{24 * 365 * 50};  // the server's clock is a wall clock

std::size_t index_of(fault which)
{
    return static_cast<std::size_t>(which);
}

}  // namespace

run::run(const plan& what, bool with_trace)
    : plan_{what},
      dice_{dice{what.seed}.stream(1)},
      trace_{world_, with_trace},
      server_{world_, draw_clock(epoch, dice_)},
      checker_{make_checker(plan_, world_, server_, trace_)},
      stage_{plan_, world_, server_, *checker_, fired_}
{
    if (const auto& how = script_mutation()) server_.rewrite_scripts(how);
}

run::~run()
{
    for (const auto& each : participants_) {
        if (!each->process().is_dead()) each->crash();
    }
}

drifting_clock run::draw_clock(nanoseconds start, dice& dice)
{
    double range = 0;
    if (plan_.has(fault::drift)) range = plan_.drift * 0.49;
    if (plan_.has(fault::wild_drift)) range = 0.2;
    const auto ppm = static_cast<std::int64_t>((2 * dice.unit() - 1) * range * 1e6);
    if (plan_.has(fault::drift)) ++fired_[index_of(fault::drift)];
    if (plan_.has(fault::wild_drift)) ++fired_[index_of(fault::wild_drift)];
    return {start, ppm};
}

void run::add_participant()
{
    const auto number = static_cast<unsigned>(participants_.size());
    auto dice = dice_.stream(1000 + number);
    const auto clock = draw_clock(dice.spread(1s, 1h), dice);
    auto fresh = std::make_unique<participant>(stage_, number, clock, dice);
    if (plan_.has(fault::slow_threads)) {
        fresh->process().delay_threads([this, chance = dice.stream(3)]() mutable -> nanoseconds {
            if (stage_.draining || !chance.chance(0.02)) return 0ns;
            ++fired_[index_of(fault::slow_threads)];
            return chance.spread(plan_.delay, 2 * plan_.lease);
        });
    }
    fresh->start();
    participants_.push_back(std::move(fresh));
}

participant* run::any_participant(dice& chance)
{
    std::vector<participant*> alive;
    for (const auto& each : participants_) {
        if (!each->process().is_dead()) alive.push_back(each.get());
    }
    return alive.empty() ? nullptr : alive[chance.below(alive.size())];
}

// ── Faults ──────────────────────────────────────────────────────────────────────────────────────

// Each kind has separate dice: without one kind, the others stay the same.
struct run::kind_of_harm {
    fault which;
    dice chance;
    nanoseconds often;
};

void run::plan_fault(fault which)
{
    auto chance = dice{plan_.seed}.stream(200 + index_of(which));
    const auto often = chance.spread(plan_.lease / 2, plan_.lease * 30);
    harm_.push_back(std::make_unique<kind_of_harm>(kind_of_harm{which, chance, often}));
    plan_next(*harm_.back());
}

void run::plan_next(kind_of_harm& harm)
{
    const auto from = std::max(world_.now(), quiet_until_);
    world_.at(from + harm.chance.every(harm.often), [this, &harm] {
        if (stage_.draining) return;
        if (world_.now() >= quiet_until_) strike(harm);
        plan_next(harm);
    });
}

void run::strike(kind_of_harm& harm)
{
    if (!strike_network(harm) && !strike_process(harm) && !strike_server(harm)) return;
    ++fired_[index_of(harm.which)];
    trace_.note(std::nullopt, [&] { return "! " + std::string{name_of(harm.which)}; });
}

// A fault that lasts for a while, but not beyond the end of the faults.
void run::for_a_while(dice& chance, const std::function<void()>& begin, std::function<void()> end)
{
    begin();
    world_.after(chance.spread(plan_.delay, 3 * plan_.lease), [this, end = std::move(end)] {
        if (!stage_.draining) end();
    });
}

bool run::strike_network(kind_of_harm& harm)
{
    auto& [which, chance, often] = harm;
    auto* const who = any_participant(chance);
    if (who == nullptr) return false;
    auto& net = who->network();
    switch (which) {
    case fault::spikes:
        net.longest_spike = 2 * plan_.lease;
        for_a_while(chance, [&] { net.spike = 0.3; }, [&net] { net.spike = 0; });
        break;
    case fault::late_requests:
        net.latest = 3 * plan_.lease;
        for_a_while(chance, [&] { net.late = 0.2; }, [&net] { net.late = 0; });
        break;
    case fault::breaks: who->transport().break_all(false); break;
    case fault::silent_breaks: who->transport().break_all(true); break;
    case fault::lost_requests:
        for_a_while(
            chance, [&] { net.requests_lost = true; }, [&net] { net.requests_lost = false; });
        break;
    case fault::lost_replies:
        for_a_while(chance, [&] { net.replies_lost = true; }, [&net] { net.replies_lost = false; });
        break;
    case fault::lost_pushes:
        for_a_while(chance, [&] { net.push_loss = 0.3; }, [&net] { net.push_loss = 0; });
        break;
    default: return false;
    }
    return true;
}

bool run::strike_process(kind_of_harm& harm)
{
    auto& [which, chance, often] = harm;
    auto* const who = any_participant(chance);
    if (who == nullptr) return false;
    switch (which) {
    case fault::stops: who->process().stop_for(chance.spread(plan_.delay, 4 * plan_.lease)); break;
    case fault::crashes:
        who->crash();
        world_.after(chance.spread(plan_.delay, plan_.lease), [this] {
            if (!stage_.draining) add_participant();
        });
        break;
    case fault::forks:
        if (participants_.size() >= most_participants) return false;
        add_participant();
        break;
    case fault::wall_steps: {
        const auto by = chance.spread(1ms, 10 * plan_.lease);
        who->process().step_wall_clock(chance.chance(0.5) ? by : -by);
        break;
    }
    default: return false;
    }
    return true;
}

bool run::strike_server(kind_of_harm& harm)
{
    auto& [which, chance, often] = harm;
    auto& engine = server_.engine();
    switch (which) {
    case fault::freezes:
        for_a_while(chance, [this] { server_.freeze(); }, [this] { server_.thaw(); });
        break;
    case fault::restarts: return restart_server(chance, true, false);
    case fault::empty_restarts: return restart_server(chance, false, false);
    case fault::old_restarts:
        // Every other time it only takes a snapshot.
        if (!server_.has_snapshot() || chance.chance(0.5)) {
            server_.take_snapshot();
            return false;
        }
        return restart_server(chance, true, true);
    case fault::loading: server_.load_for(chance.spread(plan_.delay, plan_.lease)); break;
    case fault::script_flushes: engine.flush_scripts(); break;
    case fault::key_flushes:
        engine.lose_data();
        checker_->server_forgot();
        checker_->data_lost(true);
        break;
    case fault::deletions: {
        const auto lock = chance.below(plan_.locks.size());
        server_.erase(plan_.locks[lock].name);
        checker_->server_forgot(lock);
        break;
    }
    case fault::full_memory:
        for_a_while(
            chance, [&] { engine.refuse_writes(true); },
            [&engine] { engine.refuse_writes(false); });
        break;
    case fault::onlookers: server_.let_someone_look_on(); break;
    case fault::server_forward: return step_server_clock(chance.spread(1ms, 3 * plan_.lease));
    case fault::server_back: return step_server_clock(-chance.spread(1ms, 3 * plan_.lease));
    case fault::server_far_back: return go_far_back(chance);
    default: return false;
    }
    return true;
}

bool run::restart_server(dice& chance, bool keep_data, bool old_data)
{
    if (!server_.is_up()) return false;
    server_.go_down();
    for (const auto& each : participants_) {
        if (!each->process().is_dead()) each->transport().break_all(false);
    }
    server_.engine().restart(keep_data);
    if (old_data) server_.restore_snapshot();
    if (!keep_data || old_data) {
        checker_->server_forgot();
        checker_->data_lost(!old_data);
    }
    world_.after(chance.spread(plan_.delay, plan_.lease), [this] { server_.come_up(); });
    return true;
}

bool run::step_server_clock(nanoseconds by)
{
    // By this clock, a fence is remembered for a day.
    if (stepped_ + by > 10h || stepped_ + by < -10h) return false;
    stepped_ += by;
    server_.step_clock(by);
    if (by > 0ns) checker_->server_forgot();
    return true;
}

// By days. Only when nothing is held: a lease would last for days, and all would wait for it. The same is true of a
// member whose lease has ended, and which no script has removed.
// Afterwards there is a pause that is longer than a fence is remembered.
bool run::go_far_back(dice& chance)
{
    for (const auto& lock : plan_.locks) {
        if (server_.holder_of(lock.name) || !server_.members_of(lock.name).all.empty())
            return false;
    }
    server_.step_clock(-chance.spread(1h, 96h));
    const auto silence = chance.spread(1h, 60h);
    world_.after(chance.spread(plan_.delay, 5 * plan_.lease), [this, silence] {
        if (stage_.draining) return;
        for (const auto& each : participants_) each->process().stop_for(silence);
        quiet_until_ = world_.now() + silence;
        plan_.length += silence;
    });
    return true;
}

// ── The course of a run ─────────────────────────────────────────────────────────────────────────

report run::execute()
{
    for (unsigned i = 0; i < plan_.processes; ++i) add_participant();
    if (plan_.is_calm()) watch_waiting(0ns);
    for (std::size_t i = 0; i < fault_count; ++i) {
        if (plan_.faults.test(i)) plan_fault(static_cast<fault>(i));
    }
    while (world_.now() < plan_.length && world_.steps() < plan_.most_steps && step()) {
    }
    if (!checker_->found()) drain();
    if (!checker_->found()) finish();
    return {.found = checker_->found(),
            .steps = world_.steps(),
            .grants = checker_->grants(),
            .losses = checker_->losses(),
            .stale_writes = checker_->stale_writes(),
            .simulated = world_.now(),
            .fired = fired_,
            .trace = checker_->found() ? trace_.text(checker_->found()->lock, 60) : std::string{}};
}

bool run::step()
{
    const bool more = world_.step();
    checker_->after_step();
    if (world_.steps() > 50 * plan_.most_steps) checker_->too_late("it does not end");
    return more && !checker_->found();
}

void run::go_on_until(nanoseconds when)
{
    while (world_.next() <= when) {
        if (!step()) return;
    }
    world_.skip_to(when);
}

void run::heal()
{
    trace_.note(std::nullopt, [] { return std::string{"— the faults end"}; });
    stage_.draining = true;
    server_.come_up();
    server_.thaw();
    server_.load_for(0ns);
    server_.engine().refuse_writes(false);
    for (const auto& each : participants_) {
        if (each->process().is_dead()) continue;
        each->network() = {.delay = plan_.delay};
        each->process().go_on();
    }
    stage_.drain.request_stop();
}

// Every thread that still wants a lock gets it. docs/guarantees.md says how soon.
void run::drain()
{
    heal();
    const auto longest = checker_->longest_lease();
    nanoseconds bound = 4 * plan_.command_limit + 5s;
    for (const auto& lock : plan_.locks) {
        bound = std::max(bound, nanoseconds{server_.time_held(lock.name)} * 5 / 4 + bound);
    }
    // A request that is still on its way may be granted after its caller has given up.
    bound += 5 * longest;
    std::size_t wishes = 0;  // of each thread
    for (const auto& lock : plan_.locks) wishes += lock.ways().size();
    const auto turns = participants_.size() * plan_.threads * wishes;
    bound += static_cast<std::int64_t>(turns) * (plan_.poll_interval + 100 * plan_.delay + 100ms);
    const auto limit = world_.now() + bound;
    world_.after(checker_->time_to_clean_up(), [this] { checker_->check_orphans(); });
    // A late request may be granted after its caller has given up, or while it does not run.
    const bool late = plan_.has(fault::late_requests) || plan_.has(fault::spikes) ||
                      plan_.has(fault::slow_threads);
    if (!plan_.is_calm()) {
        watch_waiting(world_.now() + 2 * plan_.command_limit + (late ? 5 * longest : 0ms));
    }
    const auto all_have = [this] {
        return std::ranges::all_of(participants_, [](const auto& each) {
            return each->process().is_dead() || each->has_what_it_wanted();
        });
    };
    while (!all_have()) {
        if (world_.next() > limit) {
            checker_->too_late("a thread did not get a lock within " +
                               std::to_string(bound.count() / 1'000'000) + " ms");
            return;
        }
        if (!step()) return;
    }
}

// How long a lock may be free, or held without a hold, while there is a waiter: docs/guarantees.md.
void run::watch_waiting(nanoseconds from)
{
    const nanoseconds look = std::max<milliseconds>(2 * plan_.lease / 3, 500ms);
    const auto period = std::max<nanoseconds>({look, plan_.poll_interval, 100ms}) * 5 / 4 +
                        100 * plan_.delay + 200ms;
    world_.at(from, [this, period] {
        if (finishing_) return;
        checker_->watch_waiting();
        watch_waiting(world_.now() + period);
    });
}

void run::finish()
{
    finishing_ = true;
    go_on_until(world_.now() + checker_->time_to_clean_up());
    if (checker_->found()) return;
    checker_->check_orphans();
    for (const auto& each : participants_) {
        if (!each->process().is_dead()) each->leave();
    }
    go_on_until(world_.now() + 5s);
    if (checker_->found()) return;
    // Until the last late request has arrived, and until the last lease has ended.
    go_on_until(world_.now() + 5 * plan_.lease);
    nanoseconds left = std::max<milliseconds>(checker_->longest_lease(), 2s);
    for (const auto& lock : plan_.locks) {
        for (const auto& key :
             {lock.name, store::queue_key(lock.name), store::mark_key(lock.name)}) {
            left = std::max<nanoseconds>(left, server_.ttl_of(key));
        }
    }
    go_on_until(world_.now() + left * 5 / 4 + 1s);
    checker_->check_leftovers();
}

}  // namespace pawl::sim
