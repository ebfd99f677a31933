// The nodes of a quorum, and machines that servers share.
#include "doctor/checks.h"
#include "doctor/writing.h"

#include <algorithm>
#include <map>

namespace pawl::doctor {
namespace {

std::string_view advice_for(node_state state)
{
    switch (state) {
    case node_state::quarantined:
        return "wait, or, if all nodes are new, use: pawl quorum init. Do not restart other nodes "
               "before";
    case node_state::clock_stepped: return "wait, and let NTP slew the clock of the node";
    case node_state::duplicate: return "name each server once";
    default: return "check that the node runs, and that its address is right";
    }
}

// The addresses that two servers have in common.
std::string common_address(const place& one, const place& other)
{
    for (const auto& each : one.addresses) {
        if (other.addresses.contains(each)) return each;
    }
    return {};
}

}  // namespace

findings check_votes(const std::vector<node_info>& nodes)
{
    if (nodes.empty()) return {};
    const auto voting =
        static_cast<std::size_t>(std::ranges::count(nodes, node_state::voting, &node_info::state));
    const auto needed = nodes.size() / 2 + 1;
    findings got;
    for (const auto& each : nodes) {
        if (each.state == node_state::voting) continue;
        std::string seen{to_string(each.state)};
        if (each.quarantine_left.count() > 0) seen += " for " + span(each.quarantine_left);
        got.push_back(found(severity::warning, {"votes", each.server}, std::move(seen),
                            "its vote does not count, so fewer other nodes may fail",
                            advice_for(each.state)));
    }
    const std::string seen = std::to_string(voting) + " of " + std::to_string(nodes.size()) +
                             " nodes can vote; " + std::to_string(needed) + " are needed";
    if (voting < needed) {
        got.push_back(found(severity::fault, {"votes"}, seen, "no lock can be taken or renewed",
                            "see the nodes that cannot vote"));
    } else if (got.empty()) {
        got.push_back(fine({"votes"}, seen));
    }
    return got;
}

findings check_same_server(const std::vector<server_facts>& nodes)
{
    std::map<std::string, std::string> seen;  // run id, address
    findings got;
    for (const auto& each : nodes) {
        const auto run = each.info.values.text("run_id");
        if (!run) continue;
        const auto [first, is_new] = seen.emplace(*run, each.server);
        if (is_new) continue;
        got.push_back(found(severity::fault, {"same-server", each.server},
                            "it is the same server as " + first->second,
                            "it has one vote, so the quorum is smaller than it looks",
                            "name each server once: two addresses lead to one"));
    }
    return got;
}

findings check_node_replicas(const std::vector<server_facts>& nodes)
{
    findings got;
    for (const auto& each : nodes) {
        const auto count = each.info.values.number("connected_slaves").value_or(0);
        if (count == 0) continue;
        got.push_back(found(severity::warning, {"node-replicas", each.server},
                            counted(static_cast<std::size_t>(count), "replica", "replicas"),
                            "if a replica takes the place of this node, it has forgotten the last "
                            "votes. It then does not vote for a while",
                            "use independent servers without replication"));
    }
    return got;
}

findings check_node_persistence(const std::vector<server_facts>& nodes)
{
    std::map<std::string, std::vector<std::string>> kinds;
    for (const auto& each : nodes) {
        if (const auto aof = each.info.values.text("aof_enabled")) {
            kinds[*aof == "1" ? "append-only file" : "no append-only file"].push_back(each.server);
        }
    }
    if (kinds.size() < 2) return {};
    std::string seen;
    for (const auto& [kind, servers] : kinds) {
        seen += (seen.empty() ? "" : "; ") + kind + ": " + listed(servers);
    }
    return {
        found(severity::note, {"node-persistence"}, std::move(seen),
              "nodes need no persistence, because a node that was restarted does not vote for a "
              "while; different settings are mostly a mistake",
              "give all nodes the same settings")};
}

findings check_machines(const std::vector<place>& all, const circumstances& at)
{
    const subject about{"shared-machine"};
    findings got;
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const auto address = common_address(all[i], all[j]);
            if (address.empty()) continue;
            got.push_back(
                found(severity::warning, {"shared-machine", all[i].server},
                      "it is on the same machine as " + all[j].server + " (" + address + ")",
                      at.kind == store_kind::quorum
                          ? "if this machine fails or restarts, several votes are gone at "
                            "once, and perhaps the majority"
                          : "if this machine fails, several sentinels are gone at once, "
                            "and perhaps the majority",
                      "put each of them on a machine of its own"));
            break;
        }
    }
    std::vector<std::string> unknown;
    for (const auto& each : all) {
        if (each.addresses.empty()) unknown.push_back(each.server);
    }
    if (!unknown.empty() && all.size() > 1) {
        got.push_back(not_checked(about, "no address was found for " + listed(unknown)));
    }
    if (got.empty() && all.size() > 1) got.push_back(fine(about, "all addresses are different"));
    return got;
}

}  // namespace pawl::doctor
