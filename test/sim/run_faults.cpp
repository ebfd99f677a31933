// The faults of a run: when each of them strikes, and what it does.
#include "sim/run.h"

#include <algorithm>
#include <utility>

namespace pawl::sim {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t most_participants = 8;

std::size_t index_of(fault which)
{
    return static_cast<std::size_t>(which);
}

}  // namespace

participant* run::any_participant(dice& chance)
{
    std::vector<participant*> alive;
    for (const auto& each : participants_) {
        if (!each->process().is_dead()) alive.push_back(each.get());
    }
    return alive.empty() ? nullptr : alive[chance.below(alive.size())];
}

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
    // A quorum: the way to one node, and sometimes to all of them.
    const bool one = nodes_.size() > 1 && chance.chance(0.85);
    const auto node = one ? chance.below(nodes_.size()) : 0;
    const auto end = one ? node + 1 : nodes_.size();
    bool done = false;
    for (auto i = node; i < end; ++i) done = strike_way(harm, *who, i);
    return done;
}

bool run::strike_way(kind_of_harm& harm, participant& who, std::size_t node)
{
    auto& [which, chance, often] = harm;
    auto& net = who.network(node);
    switch (which) {
    case fault::spikes:
        net.longest_spike = 2 * plan_.lease;
        for_a_while(chance, [&] { net.spike = 0.3; }, [&net] { net.spike = 0; });
        break;
    case fault::late_requests:
        net.latest = 3 * plan_.lease;
        for_a_while(chance, [&] { net.late = 0.2; }, [&net] { net.late = 0; });
        if (nodes_.size() > 1) {
            for_a_while(chance, [&] { net.stray = 0.5; }, [&net] { net.stray = 0; });
        }
        break;
    case fault::breaks: who.transport(node).break_all(false); break;
    case fault::silent_breaks: who.transport(node).break_all(true); break;
    case fault::lost_requests:
        for_a_while(
            chance, [&] { net.requests_lost = true; }, [&net] { net.requests_lost = false; });
        break;
    case fault::lost_replies:
        for_a_while(chance, [&] { net.replies_lost = true; }, [&net] { net.replies_lost = false; });
        break;
    case fault::lost_pushes:
        for_a_while(chance, [&] { net.push_loss = 0.3; }, [&net] { net.push_loss = 0; });
        if (nodes_.size() > 1) {
            net.latest = 3 * plan_.lease;
            for_a_while(chance, [&] { net.push_late = 0.3; }, [&net] { net.push_late = 0; });
        }
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
    const auto node = nodes_.size() > 1 ? chance.below(nodes_.size()) : 0;
    auto& server = *nodes_[node];
    auto& engine = server.engine();
    switch (which) {
    case fault::freezes:
        for_a_while(chance, [&server] { server.freeze(); }, [&server] { server.thaw(); });
        break;
    case fault::restarts: return restart_server(node, chance, true, false);
    case fault::empty_restarts: return restart_server(node, chance, false, false);
    case fault::old_restarts:
        // Every other time it only takes a snapshot.
        if (!server.has_snapshot() || chance.chance(0.5)) {
            server.take_snapshot();
            return false;
        }
        // A node of a quorum has no replicas.
        if (nodes_.size() == 1 && chance.chance(0.5)) return demote_server(node, chance);
        return restart_server(node, chance, true, true);
    case fault::loading: server.load_for(chance.spread(plan_.delay, plan_.lease)); break;
    case fault::script_flushes: engine.flush_scripts(); break;
    case fault::key_flushes:
        if (!may_begin_anew(node, true)) return false;
        engine.lose_data();
        note_loss(node, true);
        break;
    case fault::deletions: {
        const auto lock = chance.below(plan_.locks.size());
        server.erase(checker_->key_of(lock));
        checker_->node_forgot(static_cast<unsigned>(node), lock);
        break;
    }
    case fault::full_memory:
        for_a_while(
            chance, [&] { engine.refuse_writes(true); },
            [&engine] { engine.refuse_writes(false); });
        break;
    case fault::uncounted:
        // A node of a quorum has no replicas at which a client could listen.
        if (nodes_.size() > 1) return false;
        for_a_while(
            chance, [&] { engine.listeners_elsewhere(true); },
            [&engine] { engine.listeners_elsewhere(false); });
        break;
    case fault::onlookers: server.let_someone_look_on(); break;
    case fault::server_forward: return step_server_clock(node, chance.spread(1ms, 3 * plan_.lease));
    case fault::server_back: return step_server_clock(node, -chance.spread(1ms, 3 * plan_.lease));
    case fault::server_far_back: return go_far_back(chance);
    default: return false;
    }
    return true;
}

// A quorum survives if a minority of its nodes loses data within the time of a quarantine. And if a majority is in
// quarantine for most of the time, a run shows nothing.
bool run::may_begin_anew(std::size_t node, bool loses_data) const
{
    if (nodes_.size() == 1) return true;
    const nanoseconds lately = world_.now() - plan_.quarantine * 5 / 4;
    std::size_t others = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const auto& each = pasts_[i];
        const auto since = loses_data ? std::max(each.lost, each.began) : each.began;
        if (i != node && since >= 0ns && since > lately) ++others;
    }
    return others < nodes_.size() / 2;
}

void run::note_loss(std::size_t node, bool known)
{
    if (nodes_.size() == 1) {
        checker_->server_forgot(std::nullopt);
        checker_->data_lost(known);
        return;
    }
    pasts_[node].lost = pasts_[node].began = world_.now();
    checker_->node_lost(static_cast<unsigned>(node));
    checker_->node_began(static_cast<unsigned>(node));
}

bool run::restart_server(std::size_t node, dice& chance, bool keep_data, bool old_data)
{
    auto& server = *nodes_[node];
    const bool loses = !keep_data || old_data;
    // A restart with data puts a majority into quarantine only rarely.
    if (!server.is_up() || (!may_begin_anew(node, loses) && (loses || !chance.chance(0.1)))) {
        return false;
    }
    server.go_down();
    for (const auto& each : participants_) {
        if (!each->process().is_dead()) each->transport(node).break_all(false);
    }
    server.engine().restart(keep_data);
    if (old_data) server.restore_snapshot();
    if (loses) {
        note_loss(node, !old_data);
    } else if (nodes_.size() > 1) {
        pasts_[node].began = world_.now();
        checker_->node_began(static_cast<unsigned>(node));
    }
    world_.after(chance.spread(plan_.delay, plan_.lease), [&server] { server.come_up(); });
    return true;
}

// The server is a replica for a while, and then a primary again, with the data of another server. Its connections stay
// open. It is a replica for longer than a client relies on what it knows about a server: docs/decisions/0010.
bool run::demote_server(std::size_t node, dice& chance)
{
    auto& server = *nodes_[node];
    if (!server.is_up() || !server.engine().is_primary()) return false;
    server.engine().make_primary(false);
    world_.after(chance.spread(2500ms, 2500ms + plan_.lease), [this, &server] {
        if (stage_.draining) return;
        server.restore_snapshot();
        server.engine().make_primary(true);
        checker_->server_forgot(std::nullopt);
        checker_->data_lost(false);
    });
    return true;
}

bool run::step_server_clock(std::size_t node, nanoseconds by)
{
    // By this clock, a fence is remembered for a day.
    auto& stepped = pasts_[node].stepped;
    if (stepped + by > 10h || stepped + by < -10h) return false;
    stepped += by;
    nodes_[node]->step_clock(by);
    if (by > 0ns) checker_->node_forgot(static_cast<unsigned>(node), std::nullopt);
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

}  // namespace pawl::sim
