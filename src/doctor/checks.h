// All checks. Each is a pure function of facts, and returns what it has found: one finding with the severity `ok` if
// there is nothing to do, none if the check does not apply. docs/doctor.md describes them.
#pragma once

#include "doctor/facts.h"

#include <pawl/doctor.h>

#include <string_view>
#include <vector>

namespace pawl::doctor {

using findings = std::vector<finding>;

// Of one server that answers.
findings check_version(const server_facts& of, const circumstances& at);
findings check_resp3(const server_facts& of, const circumstances& at);
findings check_eviction(const server_facts& of, const circumstances& at);
findings check_memory(const server_facts& of, const circumstances& at);
findings check_persistence(const server_facts& of, const circumstances& at);
findings check_disk(const server_facts& of, const circumstances& at);
findings check_pauses(const server_facts& of, const circumstances& at);
findings check_client_timeout(const server_facts& of, const circumstances& at);
findings check_output_limit(const server_facts& of, const circumstances& at);
findings check_tcp_keepalive(const server_facts& of, const circumstances& at);
findings check_max_clients(const server_facts& of, const circumstances& at);
findings check_script_limit(const server_facts& of, const circumstances& at);
findings check_notifications(const server_facts& of, const circumstances& at);
findings check_replication_lag(const server_facts& of, const circumstances& at);
findings check_min_replicas(const server_facts& of, const circumstances& at);
findings check_replica_settings(const server_facts& of, const circumstances& at);
findings check_rights(const server_facts& of, const circumstances& at);
findings check_writes(const server_facts& of, const circumstances& at);
findings check_lock_keys(const server_facts& of, const circumstances& at);
findings check_round_trip(const server_facts& of, const circumstances& at);
findings check_clock(const server_facts& of, const circumstances& at);
findings check_drift(const server_facts& of, const circumstances& at);
findings check_cluster_state(const server_facts& of, const circumstances& at);
findings check_cluster_timeout(const server_facts& of, const circumstances& at);
findings check_cluster_coverage(const server_facts& of, const circumstances& at);

// All of these, in this order; for a server that does not answer, only why.
findings check_server(const server_facts& of, const circumstances& at);

// Why a server cannot be examined: `reachable` or `login`.
finding unreachable(std::string_view server, const core::failure& why);

// Of several servers together.
findings check_clocks(const std::vector<server_facts>& all, const circumstances& at);
findings check_machines(const std::vector<place>& all, const circumstances& at);

// As one node of the Cluster sees all nodes.
findings check_cluster_replicas(const std::vector<cluster_node>& all);
findings check_cluster_primaries(const std::vector<cluster_node>& all);
findings check_cluster_nodes(const std::vector<cluster_node>& all);
findings check_cluster_machines(const std::vector<cluster_node>& all);
// A node shows only its own slots that are being moved, so this needs what all of them say.
findings check_cluster_moves(const std::vector<server_facts>& all);
// If no node tells which nodes there are.
findings check_unknown_nodes(const std::string& problem);

// Of the sentinels in the URL.
findings check_sentinels(const std::vector<sentinel_facts>& all);
findings check_sentinel_agreement(const std::vector<sentinel_facts>& all);
findings check_sentinel_quorum(const std::vector<sentinel_facts>& all);
findings check_sentinel_timeout(const std::vector<sentinel_facts>& all, const circumstances& at);
findings check_sentinel_replicas(const std::vector<sentinel_facts>& all);
findings check_sentinel_primary(const std::vector<sentinel_facts>& all);

// Of a quorum.
findings check_votes(const std::vector<node_info>& nodes);
findings check_same_server(const std::vector<server_facts>& nodes);
findings check_node_replicas(const std::vector<server_facts>& nodes);
findings check_node_persistence(const std::vector<server_facts>& nodes);

}  // namespace pawl::doctor
