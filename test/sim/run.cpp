#include "sim/run.h"

#include "sim/mutants.h"
#include "store/redis/keys.h"

#include <algorithm>
#include <utility>

namespace pawl::sim {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {

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
      nodes_{make_nodes()},
      server_{*nodes_.front()},
      cast_{parts_of(plan_.kinds).make_cast(plan_, world_, nodes_, trace_)},
      checker_{&cast_->checker()},
      stage_{plan_, world_, nodes_, *checker_, fired_},
      pasts_(nodes_.size())
{
    const auto& how = script_mutation();
    for (const auto& each : nodes_) {
        if (how) each->rewrite_scripts(how);
    }
}

// The clocks of the nodes of a quorum need not agree.
node_list run::make_nodes()
{
    node_list made;
    for (unsigned i = 0; i < plan_.nodes; ++i) {
        const auto apart = i == 0 ? 0ns : nanoseconds{dice_.between(-5'000, 5'000)} * 1'000'000;
        made.push_back(std::make_unique<server>(world_, draw_clock(epoch + apart, dice_), i));
        if (plan_.nodes > 1) made.back()->establish();
    }
    return made;
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
    auto fresh = cast_->make_participant(stage_, number, clock, dice);
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
    if (world_.steps() > 50 * plan_.most_steps) checker_->does_not_end();
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
    for (const auto& each : nodes_) {
        each->come_up();
        each->thaw();
        each->load_for(0ns);
        each->engine().refuse_writes(false);
        each->engine().make_primary(true);
        each->engine().listeners_elsewhere(false);
    }
    for (const auto& each : participants_) {
        if (each->process().is_dead()) continue;
        for (std::size_t i = 0; i < nodes_.size(); ++i) each->network(i) = {.delay = plan_.delay};
        each->process().go_on();
    }
    stage_.drain.request_stop();
}

// Every thread that still wants a lock gets it. docs/guarantees.md says how soon.
void run::drain()
{
    heal();
    const auto longest = checker_->longest_lease();
    nanoseconds bound = 4 * plan_.command_limit + 5s + checker_->longest_sleep();
    for (const auto& lock : plan_.locks) {
        nanoseconds held{0};
        for (const auto& each : nodes_) {
            held = std::max<nanoseconds>(held, each->time_held(lock.name));
        }
        bound += held * 5 / 4;
    }
    // Of a quorum, some nodes may vote only after that time.
    const nanoseconds quarantine = plan_.quarantine * 5 / 4;
    bound += quarantine;
    // A request that is still on its way may be granted after its caller has given up.
    bound += 5 * longest;
    // A slow thread may still sleep.
    if (plan_.has(fault::slow_threads)) bound += 2 * plan_.lease;
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
        watch_waiting(world_.now() + 2 * plan_.command_limit + (late ? 5 * longest : 0ms) +
                      quarantine);
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

void run::watch_waiting(nanoseconds from)
{
    world_.at(from, [this] {
        if (finishing_) return;
        checker_->watch_waiting();
        watch_waiting(world_.now() + checker_->watch_period());
    });
}

void run::check_metrics()
{
    for (const auto& each : participants_) {
        if (each->process().is_dead()) continue;
        const auto wrong = each->wrong_metrics();
        if (!wrong.empty()) checker_->wrong_metrics(each->process(), wrong);
    }
}

void run::finish()
{
    finishing_ = true;
    go_on_until(world_.now() + checker_->time_to_clean_up());
    if (checker_->found()) return;
    checker_->check_orphans();
    check_metrics();
    for (const auto& each : participants_) {
        if (!each->process().is_dead()) each->leave();
    }
    go_on_until(world_.now() + 5s);
    if (checker_->found()) return;
    // Until the last late request has arrived, and until the last lease has ended.
    go_on_until(world_.now() + 5 * plan_.lease);
    nanoseconds left = std::max<milliseconds>(checker_->longest_lease(), 2s);
    for (const auto& used : checker_->keys_used()) {
        for (const auto& key : {used, store::queue_key(used), store::tickets_key(used)}) {
            for (const auto& each : nodes_) {
                left = std::max<nanoseconds>(left, each->ttl_of(key));
            }
        }
    }
    go_on_until(world_.now() + left * 5 / 4 + 1s);
    checker_->check_leftovers();
}

}  // namespace pawl::sim
