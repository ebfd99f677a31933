// The state of a Redis Cluster.
#include "doctor/checks.h"
#include "doctor/writing.h"

#include <algorithm>
#include <map>
#include <set>

namespace pawl::doctor {
namespace {

using nodes = std::vector<cluster_node>;

std::vector<std::string> addresses_of(const nodes& all, auto wanted)
{
    std::vector<std::string> got;
    for (const auto& each : all) {
        if (wanted(each)) got.push_back(each.address);
    }
    return got;
}

bool serves(const cluster_node& of)
{
    return of.is_primary() && of.slots > 0;
}

std::size_t replicas_of(const cluster_node& primary, const nodes& all)
{
    return static_cast<std::size_t>(std::ranges::count_if(
        all, [&](const auto& each) { return each.primary == primary.id && !each.is_failing(); }));
}

constexpr std::size_t all_slots = 16'384;

}  // namespace

findings check_cluster_state(const server_facts& of, const circumstances& at)
{
    if (at.kind != store_kind::cluster) return {};
    const subject about{"cluster-state", of.server};
    const auto state = of.cluster.values.text("cluster_state");
    if (!state) {
        return {not_checked(about, of.cluster.problem.empty()
                                       ? std::string_view{"CLUSTER INFO does not have it"}
                                       : std::string_view{of.cluster.problem})};
    }
    const auto& values = of.cluster.values;
    const auto assigned = values.number("cluster_slots_assigned").value_or(all_slots);
    const auto failing = bounded(values.number("cluster_slots_fail").value_or(0)) +
                         bounded(values.number("cluster_slots_pfail").value_or(0));
    const std::string slots = std::to_string(assigned) + " of " + std::to_string(all_slots) +
                              " slots have a primary" +
                              (failing > 0 ? ", " + std::to_string(failing) + " are failing" : "");
    const std::string seen = "cluster_state:" + *state + ", " + slots;
    const bool is_whole = assigned == std::int64_t{all_slots} && failing == 0;
    if (*state == "ok" && is_whole) return {fine(about, seen)};
    return {found(severity::fault, about, seen,
                  *state == "ok" ? "locks of the slots without a primary cannot be taken or renewed"
                                 : "the node refuses all locks (CLUSTERDOWN)",
                  "look at redis-cli --cluster check, start the missing nodes, and assign all "
                  "slots")};
}

findings check_cluster_timeout(const server_facts& of, const circumstances& at)
{
    if (at.kind != store_kind::cluster) return {};
    const subject about{"cluster-timeout", of.server};
    const auto ms = of.config.number("cluster-node-timeout");
    if (!ms) {
        return {not_checked(about, missing_setting(of))};
    }
    const std::chrono::milliseconds timeout{bounded(*ms)};
    const std::string seen =
        "cluster-node-timeout " + std::to_string(*ms) + " (" + span(timeout) + ")";
    if (timeout < at.command_limit) return {fine(about, seen)};
    return {
        found(severity::note, about, seen,
              "a failover takes this long and a second or two. Calls give up earlier, after "
              "command_limit (" +
                  span(at.command_limit) +
                  "). A primary that is cut off grants "
                  "locks for as long",
              "lower cluster-node-timeout, or raise client_options::command_limit; let leases be "
              "longer than a failover")};
}

findings check_cluster_coverage(const server_facts& of, const circumstances& at)
{
    if (at.kind != store_kind::cluster) return {};
    const subject about{"cluster-coverage", of.server};
    const auto full = of.config.text("cluster-require-full-coverage");
    if (!full) {
        return {not_checked(about, missing_setting(of))};
    }
    if (*full == "no") return {fine(about, "cluster-require-full-coverage no")};
    return {found(severity::note, about, "cluster-require-full-coverage yes",
                  "when one primary and its replicas fail, all nodes refuse all locks",
                  "set cluster-require-full-coverage no if locks of other slots should go on")};
}

findings check_cluster_replicas(const nodes& all)
{
    const subject about{"cluster-replicas"};
    const auto alone = addresses_of(
        all, [&](const auto& each) { return serves(each) && replicas_of(each, all) == 0; });
    if (alone.empty()) return {fine(about, "every primary has a replica")};
    return {found(severity::warning, about, "without a replica that works: " + listed(alone),
                  "if this primary fails, its locks cannot be taken, renewed or released until it "
                  "is back",
                  "give every primary a replica")};
}

findings check_cluster_primaries(const nodes& all)
{
    const subject about{"cluster-primaries"};
    const auto count = static_cast<std::size_t>(std::ranges::count_if(all, serves));
    const std::string seen = counted(count, "primary with slots", "primaries with slots");
    if (count >= 3) return {fine(about, seen)};
    return {found(severity::warning, about, seen,
                  "a failover needs a majority of the primaries, and with one or two none is left "
                  "when one fails",
                  "use three primaries or more")};
}

findings check_cluster_nodes(const nodes& all)
{
    const subject about{"cluster-nodes"};
    const auto failing = addresses_of(all, [](const auto& each) {
        return !each.has("noaddr") && (each.is_failing() || !each.linked);
    });
    if (failing.empty()) {
        return {fine(about, counted(all.size(), "node", "nodes") + ", all of them connected")};
    }
    return {found(severity::warning, about, "failing or not connected: " + listed(failing),
                  "the next node that fails may have no replica, or no majority",
                  "start these nodes, or remove them with CLUSTER FORGET")};
}

findings check_cluster_moves(const std::vector<server_facts>& all)
{
    const subject about{"cluster-moves"};
    // Both nodes of a move may show it.
    std::set<std::int64_t> moving;
    for (const auto& server : all) {
        for (const auto& each : server.nodes) {
            moving.insert(each.moving.begin(), each.moving.end());
        }
    }
    if (moving.empty()) {
        const auto silent =
            std::ranges::count_if(all, [](const auto& server) { return server.nodes.empty(); });
        if (silent == 0) return {fine(about, "no slot is being moved")};
        return {fine(about,
                     "no slot is being moved, as far as is known: " +
                         counted(static_cast<std::size_t>(silent), "primary does", "primaries do") +
                         " not tell")};
    }
    return {found(severity::warning, about,
                  counted(moving.size(), "slot is", "slots are") + " being moved",
                  "locks of these slots cannot be taken or released until the move is done; an "
                  "abandoned move never ends",
                  "wait for the end; if no move is under way, use: redis-cli --cluster fix")};
}

findings check_cluster_machines(const nodes& all)
{
    const subject about{"shared-machine"};
    findings got;
    std::map<std::string, std::size_t> primaries;
    for (const auto& primary : all) {
        if (!serves(primary)) continue;
        ++primaries[primary.host];
        const auto elsewhere = std::ranges::any_of(all, [&](const auto& each) {
            return each.primary == primary.id && each.host != primary.host;
        });
        if (elsewhere || replicas_of(primary, all) == 0) continue;
        got.push_back(found(severity::warning, about,
                            primary.address + " and its replicas are on one machine",
                            "if this machine fails, its locks cannot be used until it is back",
                            "move a replica to another machine"));
    }
    const auto total = static_cast<std::size_t>(std::ranges::count_if(all, serves));
    for (const auto& [host, count] : primaries) {
        if (count * 2 <= total || total < 2) continue;
        got.push_back(found(
            severity::warning, about,
            std::to_string(count) + " of " + std::to_string(total) + " primaries are on " + host,
            "if this machine fails, no majority is left for a failover",
            "spread the primaries over three machines or more"));
    }
    if (got.empty())
        got.push_back(fine(about, "no primary shares its machine with all of its replicas"));
    return got;
}

findings check_unknown_nodes(const std::string& problem)
{
    findings got;
    for (const auto* each : {"cluster-nodes", "cluster-primaries", "cluster-replicas",
                             "cluster-moves", "shared-machine"}) {
        got.push_back(not_checked({each}, problem));
    }
    return got;
}

}  // namespace pawl::doctor
