#include "faults/fault.h"

#include <algorithm>
#include <array>
#include <thread>

namespace pawl::faults {

namespace {

using std::chrono::milliseconds;

constexpr std::string_view promised = "";
constexpr std::string_view replicas_lag = "a failover drops grants that were not replicated yet";
constexpr std::string_view data_gone = "the server that decides has forgotten who holds";
constexpr std::string_view clock_ahead = "leases end early by the clock of the only server";

// What a failover takes: Sentinel with down-after 500 ms needs up to 3.5 s, and the client 1 s.
constexpr milliseconds failover{4'500};

// A node of a quorum that came back stays away for the longest lease that was in use, and a second.
constexpr milliseconds quarantine{3'000};

constexpr fault_needs network_needed{.network = true};
constexpr fault_needs proxies_needed{.proxies = true};
constexpr fault_needs stepping_needed{.stepping = true};
constexpr fault_needs clocks_apart_needed{.stepping = true, .clocks_apart = true};

constexpr auto server_rows = one | quorums;

constexpr std::array table{
    fault{"nothing", nothing, every, none, promised},
    // Servers.
    fault{"kill-9", kill_9, every, failing_over, replicas_lag, failover},
    fault{"sigstop", freeze, every, failing_over, replicas_lag, failover},
    fault{"restart-with-data", restart_with_data, every, failing_over, replicas_lag, failover},
    fault{"restart-with-old-data", restart_with_old_data, every, one | failing_over, data_gone,
          quarantine},
    fault{"restart-without-data", restart_without_data, every, one | failing_over, data_gone,
          quarantine},
    fault{"flushall", flush_all, every, one | failing_over, data_gone, quarantine},
    fault{"script-flush", flush_scripts, every, none, promised},
    fault{"out-of-memory", out_of_memory, every, none, promised},
    fault{"eviction", evict, every, one | failing_over, data_gone, quarantine},
    fault{"acl-taken-away", take_rights_away, every, none, promised},
    fault{"tls-certificate", exchange_certificate, one, none, promised, {}, {.tls = true}},
    fault{"output-buffer-limit", hit_output_limit, every, none, promised},
    fault{"clock-forward", step_clock_forward, server_rows, one, clock_ahead, quarantine,
          stepping_needed},
    fault{"clock-back", step_clock_back, server_rows, none, promised, milliseconds{5'000},
          stepping_needed},
    fault{"clocks-apart", freeze, quorums, none, promised, {}, clocks_apart_needed},
    // The network.
    fault{"partition-both-ways", cut_off_both_ways, every, failing_over, replicas_lag, failover,
          network_needed},
    fault{"partition-requests", cut_off_requests, every, failing_over, replicas_lag, failover,
          network_needed},
    fault{"partition-replies", cut_off_replies, every, failing_over, replicas_lag, failover,
          network_needed},
    fault{"partition-between-servers", cut_off_from_servers, failing_over, failing_over,
          replicas_lag, failover, network_needed},
    fault{"half-open-lines", half_open_lines, every, failing_over, replicas_lag, failover,
          network_needed},
    fault{"packets-lost", lose_packets, every, failing_over, replicas_lag, failover,
          network_needed},
    fault{"connections-reset", reset_connections, every, failing_over, replicas_lag, failover,
          network_needed},
    fault{"slow-lines", slow_lines, server_rows, none, promised, {}, proxies_needed},
    fault{"cut-messages", cut_messages, server_rows, none, promised, {}, proxies_needed},
    // Topologies.
    fault{"failover-forced", forced_failover, failing_over, failing_over, replicas_lag, failover},
    fault{"failover-by-timeout", failover_by_timeout, failing_over, failing_over, replicas_lag,
          failover},
    fault{"two-nodes-emptied", empty_two_nodes, only(row::quorum_5), none, promised},
    fault{"resharding", reshard, only(row::cluster), none, promised, failover},
    fault{"node-added-and-removed", add_and_remove_node, only(row::cluster), none, promised,
          failover},
    // Clients.
    fault{"client-killed", kill_client, every, none, promised},
    fault{"client-stopped", stop_client, every, none, promised},
    fault{"client-disk-full", fill_disk, every, none, promised, {}, {.scratch = true}},
    fault{"client-descriptors", use_up_descriptors, every, none, promised},
};

}  // namespace

std::span<const fault> all_faults()
{
    return table;
}

const fault* find_fault(std::string_view name)
{
    const auto at = std::ranges::find(table, name, &fault::name);
    return at == table.end() ? nullptr : &*at;
}

void pause(milliseconds span)
{
    std::this_thread::sleep_for(span);
}

}  // namespace pawl::faults
