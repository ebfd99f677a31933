// Asks the servers, and has the answers checked.
#include "doctor/checks.h"
#include "doctor/machines.h"
#include "doctor/patient.h"
#include "sync/client_access.h"
#include "sync/message.h"

#include <pawl/doctor.h>
#include <pawl/error.h>

#include <string>
#include <utility>

namespace pawl {
namespace {

using namespace doctor;

void add(findings& to, findings what)
{
    for (auto& each : what) to.push_back(std::move(each));
}

void check_all(const doctor_options& options)
{
    using std::chrono::milliseconds;
    const auto length = options.duration;
    if (length < milliseconds{100} || length > std::chrono::minutes{10}) {
        throw error{errc::bad_argument, "duration " + std::to_string(length.count()) +
                                            " ms is out of range (allowed: 100 ms to 10 min)"};
    }
    if (!options.lock.empty()) core::check_name("lock name", options.lock);
}

// The view of the first node that tells one. Of moving slots each node tells only its own.
void add_cluster(findings& to, const std::vector<server_facts>& servers)
{
    for (const auto& each : servers) {
        if (each.nodes.empty()) continue;
        add(to, check_cluster_nodes(each.nodes));
        add(to, check_cluster_primaries(each.nodes));
        add(to, check_cluster_replicas(each.nodes));
        add(to, check_cluster_moves(servers));
        add(to, check_cluster_machines(each.nodes));
        return;
    }
    for (const auto& each : servers) {
        if (!each.nodes_problem.empty()) add(to, check_unknown_nodes(each.nodes_problem));
        if (!each.nodes_problem.empty()) return;
    }
}

void add_sentinels(findings& to, const std::vector<sentinel_facts>& all, const circumstances& at)
{
    add(to, check_sentinels(all));
    add(to, check_sentinel_agreement(all));
    add(to, check_sentinel_quorum(all));
    add(to, check_sentinel_timeout(all, at));
    add(to, check_sentinel_replicas(all));
    add(to, check_sentinel_primary(all));
}

void add_quorum(findings& to, client& of, const std::vector<server_facts>& nodes)
{
    add(to, check_votes(of.nodes()));
    add(to, check_same_server(nodes));
    add(to, check_node_replicas(nodes));
    add(to, check_node_persistence(nodes));
}

}  // namespace

std::vector<finding> examine(client& of, const doctor_options& options)
{
    check_all(options);
    auto& state = client_access::state(of);
    if (state.inherited()) {
        const auto code = errc::wrong_process;
        throw error{code, sync::describe("examine", {}, state.server(), code, {})};
    }
    patient who{state, options};
    const auto servers = who.examine_servers();
    const auto& at = who.at();
    findings all;
    for (const auto& each : servers) add(all, check_server(each, at));
    add(all, check_clocks(servers, at));
    switch (at.kind) {
    case store_kind::one_server: break;
    case store_kind::cluster: add_cluster(all, servers); break;
    case store_kind::sentinel: add_sentinels(all, who.ask_sentinels(), at); break;
    case store_kind::quorum: add_quorum(all, of, servers); break;
    }
    if (at.kind == store_kind::sentinel || at.kind == store_kind::quorum) {
        add(all, check_machines(places_of(who.where(), at.command_limit), at));
    }
    return all;
}

std::string_view to_string(severity of) noexcept
{
    switch (of) {
    case severity::ok: return "ok";
    case severity::note: return "note";
    case severity::warning: return "warning";
    case severity::fault: break;
    }
    return "fault";
}

}  // namespace pawl
