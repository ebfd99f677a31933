#include "sim/plan.h"

#include "core/stripe.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace pawl::sim {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

fault_set draw_faults(dice& dice)
{
    fault_set drawn;
    if (dice.chance(0.1)) return drawn;  // a calm run, without faults
    const double density = dice.one_of({0.1, 0.3, 0.5});
    const auto onlookers = static_cast<std::size_t>(fault::onlookers);
    for (std::size_t i = 0; i < onlookers; ++i) drawn.set(i, dice.chance(density));
    // With separate dice, so that the other faults of a seed stay the same.
    drawn.set(onlookers, dice.stream(900).chance(density));
    drawn.set(static_cast<std::size_t>(fault::uncounted), dice.stream(902).chance(density));

    const auto has = [&](fault which) { return drawn.test(static_cast<std::size_t>(which)); };
    const auto drop = [&](fault which) { drawn.reset(static_cast<std::size_t>(which)); };
    // A fence cannot grow if the server loses it and its clock goes back: docs/guarantees.md.
    const bool forgets =
        has(fault::empty_restarts) || has(fault::old_restarts) || has(fault::key_flushes);
    if (forgets) {
        drop(fault::server_back);
        drop(fault::server_far_back);
    }
    // The same is true if the clock goes ahead until the fence expires, and then back.
    if (has(fault::server_far_back)) drop(fault::server_forward);
    // Most checks do not apply with this fault, so it must not be in too many runs.
    if (has(fault::wild_drift) && !dice.chance(0.2)) drop(fault::wild_drift);
    return drawn;
}

std::string_view name_of(lock_plan::kind what)
{
    switch (what) {
    case lock_plan::kind::recursive: return "recursive";
    case lock_plan::kind::fair: return "fair";
    case lock_plan::kind::polling: return "polling";
    case lock_plan::kind::striped: return "stripe";
    case lock_plan::kind::shared: return "shared";
    case lock_plan::kind::readers_first: return "readers-first";
    case lock_plan::kind::semaphore: return "semaphore";
    case lock_plan::kind::set: return "set";
    case lock_plan::kind::leader: return "leader";
    case lock_plan::kind::latch: return "latch";
    case lock_plan::kind::barrier: return "barrier";
    case lock_plan::kind::once: return "once";
    case lock_plan::kind::mutex: break;
    }
    return "mutex";
}

milliseconds at_least(milliseconds least, nanoseconds value)
{
    return std::max(least, std::chrono::duration_cast<milliseconds>(value));
}

}  // namespace

std::vector<way_in> lock_plan::ways() const
{
    switch (what) {
    case kind::shared:
    case kind::readers_first:
        // Mostly readers: otherwise several of them are rarely in.
        return {{.weight = writer_weight}, {.reads = true}, {.reads = true}};
    case kind::semaphore:
        return {{.weight = 1}, {.weight = (capacity + 1) / 2}, {.weight = capacity}};
    case kind::striped: return std::vector<way_in>(ids.size());
    case kind::mutex:
    case kind::recursive:
    case kind::fair:
    case kind::set:
    case kind::leader:
    case kind::polling:
    case kind::latch:
    case kind::barrier:
    case kind::once: break;
    }
    return {{}};
}

bool plan::server_may_be_silent() const
{
    // With any fault a majority may be missing for a while.
    if (nodes > 1) return !is_calm();
    // A grant whose message is lost counts on the server, and its lease may have ended when it is
    // found.
    constexpr std::array silencers{
        fault::lost_pushes,    fault::spikes,         fault::late_requests, fault::breaks,
        fault::silent_breaks,  fault::lost_requests,  fault::lost_replies,  fault::stops,
        fault::slow_threads,   fault::crashes,        fault::freezes,       fault::restarts,
        fault::empty_restarts, fault::old_restarts,   fault::loading,       fault::wild_drift,
        fault::server_forward, fault::server_far_back};
    return std::ranges::any_of(silencers, [this](fault each) { return has(each); });
}

// Each stripe has two ids: so two ids share a mutex, and threads that use them must exclude each other.
void draw_stripes(plan& drawn, dice dice)
{
    if (!dice.chance(0.2)) return;
    const auto whole = drawn.locks.front().name;
    const auto stripes = static_cast<std::size_t>(dice.between(2, 3));
    const auto stored = dice.chance(0.8) ? layout::plain : layout::hash;
    const auto longest_linger = std::min<nanoseconds>(drawn.lease, 1min);
    const auto linger = dice.chance(0.3) ? at_least(1ms, dice.spread(1ms, longest_linger)) : 0ms;
    std::vector<lock_plan> made;
    for (std::size_t i = 0; i < stripes; ++i) {
        made.push_back({.name = whole + ':' + std::to_string(i),
                        .what = lock_plan::kind::striped,
                        .how_stored = stored,
                        .linger = linger,
                        .whole = whole,
                        .stripes = stripes});
    }
    const auto is_short = [](const lock_plan& each) { return each.ids.size() < 2; };
    for (auto id = dice.between(-1000, 1000); std::ranges::any_of(made, is_short); ++id) {
        auto& where = made[core::stripe_of(std::to_string(id), stripes)];
        if (is_short(where)) where.ids.push_back(id);
    }
    drawn.locks.erase(drawn.locks.begin());
    drawn.locks.insert(drawn.locks.end(), made.begin(), made.end());
}

void draw_members(plan& drawn, dice dice)
{
    using kind = lock_plan::kind;
    drawn.locks.clear();
    const auto count = dice.one_of({1, 1, 2});
    for (int i = 0; i < count; ++i) {
        const auto what = dice.one_of(
            {kind::shared, kind::shared, kind::readers_first, kind::semaphore, kind::semaphore});
        const bool counts = what == kind::semaphore;
        drawn.locks.push_back(
            {.name = "lock:" + std::to_string(i),
             .what = what,
             .capacity = counts ? static_cast<std::uint64_t>(dice.between(1, 6)) : writer_weight});
    }
}

void draw_leaders(plan& drawn, dice dice)
{
    drawn.locks.clear();
    const auto count = dice.one_of({1, 1, 2});
    for (int i = 0; i < count; ++i) {
        drawn.locks.push_back(
            {.name = "lock:" + std::to_string(i), .what = lock_plan::kind::leader});
    }
}

// Each lock by itself, and one or two sets of them. All have the same layout, because they share locks.
void draw_many(plan& drawn, dice dice)
{
    using kind = lock_plan::kind;
    drawn.locks.clear();
    const auto stored = dice.chance(0.7) ? layout::plain : layout::hash;
    const auto count = dice.between(2, 3);
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) {
        names.push_back("lock:" + std::to_string(i));
        drawn.locks.push_back({.name = names.back(), .what = kind::fair, .how_stored = stored});
    }
    const auto add_set = [&](std::vector<std::string> parts) {
        std::string name;
        for (const auto& each : parts) name += (name.empty() ? "" : ", ") + each;
        drawn.locks.push_back({.name = std::move(name),
                               .what = kind::set,
                               .how_stored = stored,
                               .parts = std::move(parts)});
    };
    add_set(names);
    if (count == 3 && dice.chance(0.7)) add_set({names[dice.below(2)], names[2]});
}

plan draw_plan(std::uint64_t seed, family kinds)
{
    dice dice{seed};
    plan drawn;
    drawn.seed = seed;
    drawn.kinds = kinds;
    drawn.faults = draw_faults(dice);
    drawn.drift = dice.one_of({0.0, 0.002, 0.01, 0.05});
    if (drawn.drift == 0) drawn.faults.reset(static_cast<std::size_t>(fault::drift));
    drawn.processes = static_cast<unsigned>(dice.between(1, 4));
    drawn.threads = static_cast<unsigned>(dice.between(1, 3));
    const auto lock_count = dice.one_of({1, 1, 1, 2, 3});
    for (int i = 0; i < lock_count; ++i) {
        using kind = lock_plan::kind;
        const auto what = dice.one_of({kind::mutex, kind::mutex, kind::mutex, kind::recursive,
                                       kind::recursive, kind::fair, kind::fair, kind::polling});
        const bool usual = dice.chance(0.8);
        const bool recursive = what == kind::recursive;
        drawn.locks.push_back({.name = "lock:" + std::to_string(i),
                               .what = what,
                               .how_stored = recursive == usual ? layout::hash : layout::plain});
    }
    drawn.lease = at_least(20ms, dice.spread(20ms, 1h));
    // A calm network is fast enough for the shortest attempt, and for renewals with a new
    // connection.
    const nanoseconds lease = drawn.lease;
    const auto slowest = drawn.server_may_be_silent() ? std::min<nanoseconds>(lease / 40, 200ms)
                                                      : std::min<nanoseconds>(lease / 200, 10ms);
    drawn.delay = dice.spread(20us, slowest);
    drawn.poll_interval =
        std::min<milliseconds>(at_least(1ms, drawn.lease / dice.between(2, 300)), 1min);
    // Making a connection and two requests must fit into it: docs/guarantees.md.
    drawn.command_limit =
        at_least(300ms, dice.spread(std::max<nanoseconds>(300ms, 30 * drawn.delay), 20s));
    for (auto& lock : drawn.locks) {
        const bool can_linger =
            lock.what == lock_plan::kind::mutex || lock.what == lock_plan::kind::recursive;
        if (!can_linger || !dice.chance(0.3)) continue;
        lock.linger = at_least(1ms, dice.spread(1ms, std::min<nanoseconds>(lease, 1min)));
    }
    drawn.think = dice.spread(drawn.delay, 2 * drawn.lease);
    drawn.work = dice.spread(drawn.delay, 3 * drawn.lease);
    const auto cycle = drawn.think + drawn.work;
    drawn.length = cycle * dice.between(20, 300);
    drawn.most_steps = 60'000;
    // With separate dice, so that the rest of a seed's run is the same for all families.
    parts_of(kinds).draw(drawn, sim::dice{seed}.stream(901));
    return drawn;
}

std::string describe(const plan& what)
{
    std::ostringstream out;
    out << "  " << what.processes << " processes × " << what.threads << " threads, "
        << what.locks.size() << " locks (";
    for (const auto& lock : what.locks) {
        out << ' ' << name_of(lock.what);
        if (what.kinds == family::exclusive) {
            out << (lock.how_stored == layout::hash ? "/hash" : "/plain");
        } else if (lock.what == lock_plan::kind::semaphore) {
            out << " of " << lock.capacity;
        } else if (what.kinds == family::gates) {
            out << " for " << lock.expected;
        } else if (what.kinds == family::once) {
            out << (lock.aligned ? "/aligned" : "") << (lock.retries ? "/retried" : "") << " per "
                << lock.period.count() << " ms";
        }
        if (lock.linger > 0ms) out << "/lingers " << lock.linger.count() << " ms";
    }
    out << " ), lease " << what.lease.count() << " ms, poll " << what.poll_interval.count()
        << " ms, delay " << what.delay.count() / 1000 << " µs, drift " << what.drift
        << ", command limit " << what.command_limit.count() << " ms";
    if (what.nodes > 1) {
        out << ", " << what.nodes << " nodes, quarantine " << what.quarantine.count() << " ms";
    }
    out << "\n  faults:";
    for (std::size_t i = 0; i < fault_count; ++i) {
        if (what.faults.test(i)) out << ' ' << fault_names[i];
    }
    if (what.is_calm()) out << " none";
    out << '\n';
    return out.str();
}

}  // namespace pawl::sim
