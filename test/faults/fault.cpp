#include "faults/fault.h"

#include <algorithm>
#include <array>
#include <thread>

namespace pawl::faults {

namespace {

using std::chrono::milliseconds;

constexpr std::string_view replicas_lag = "a failover drops grants that were not replicated yet";
constexpr std::string_view data_gone = "the server that decides has forgotten who holds";
constexpr std::string_view clock_ahead = "leases end early by the clock of the server that decides";

// What a failover takes: Sentinel with down-after 500 ms needs up to 3.5 s, and the client 1 s.
constexpr milliseconds failover{4'500};

// A node of a quorum that came back stays away for the longest lease that was in use, and a second.
constexpr milliseconds quarantine{3'000};

// A lease lasts longer by the step of a clock, or by the difference of two.
constexpr milliseconds clock_step{5'000};
constexpr milliseconds clock_difference{10'000};

constexpr fault_needs network_needed{.network = true};
constexpr fault_needs proxies_needed{.proxies = true};
constexpr fault_needs stepping_needed{.stepping = true};
constexpr fault_needs clocks_apart_needed{.stepping = true, .clocks_apart = true};

// What may make another server the primary.
[[nodiscard]] constexpr fault with_failover(std::string_view name, void (*strike)(scene& here),
                                            fault_needs needs = {}, rows applies = every)
{
    return {.name = name,
            .strike = strike,
            .applies = applies,
            .fails_over = failing_over,
            .two_holders = lagging,
            .why = replicas_lag,
            .needs = needs};
}

// The same with a server that starts again, which as a node of a quorum is in quarantine then.
[[nodiscard]] constexpr fault with_restart(std::string_view name, void (*strike)(scene& here))
{
    fault made = with_failover(name, strike);
    made.recovery = quarantine;
    return made;
}

// What makes the only server that decides forget.
[[nodiscard]] constexpr fault with_data_gone(std::string_view name, void (*strike)(scene& here),
                                             rows fails_over)
{
    return {.name = name,
            .strike = strike,
            .fails_over = fails_over,
            .two_holders = one | failing_over,
            .why = data_gone,
            .recovery = quarantine};
}

constexpr std::array table{
    fault{.name = "nothing", .strike = nothing},
    // Servers.
    with_restart("kill-9", kill_9),
    with_failover("sigstop", freeze),
    with_restart("restart-with-data", restart_with_data),
    with_data_gone("restart-with-old-data", restart_with_old_data, failing_over),
    with_data_gone("restart-without-data", restart_without_data, failing_over),
    with_data_gone("flushall", flush_all, none),
    fault{.name = "script-flush", .strike = flush_scripts},
    fault{.name = "out-of-memory", .strike = out_of_memory},
    with_data_gone("eviction", evict, none),
    fault{.name = "acl-taken-away", .strike = take_rights_away},
    with_failover("tls-certificate", exchange_certificate, {.tls = true}),
    fault{.name = "output-buffer-limit", .strike = hit_output_limit},
    fault{.name = "clock-forward",
          .strike = step_clock_forward,
          .two_holders = one | failing_over,
          .why = clock_ahead,
          .recovery = quarantine,
          .needs = stepping_needed},
    fault{.name = "clock-back",
          .strike = step_clock_back,
          .recovery = clock_step,
          .needs = stepping_needed},
    fault{
        .name = "clocks-apart", .strike = freeze, .applies = quorums, .needs = clocks_apart_needed},
    // The network.
    with_failover("partition-both-ways", cut_off_both_ways, network_needed),
    with_failover("partition-requests", cut_off_requests, network_needed),
    with_failover("partition-replies", cut_off_replies, network_needed),
    with_failover("partition-between-servers", cut_off_from_servers, network_needed, failing_over),
    with_failover("half-open-lines", half_open_lines, network_needed),
    with_failover("packets-lost", lose_packets, network_needed),
    with_failover("connections-reset", reset_connections, network_needed),
    fault{.name = "slow-lines", .strike = slow_lines, .needs = proxies_needed},
    fault{.name = "cut-messages", .strike = cut_messages, .needs = proxies_needed},
    // Topologies.
    with_failover("failover-forced", forced_failover, {}, failing_over),
    fault{.name = "failover-clocks-apart",
          .strike = forced_failover,
          .applies = failing_over,
          .fails_over = failing_over,
          .two_holders = failing_over,
          .why = clock_ahead,
          .old_fences = lagging,
          .recovery = failover + clock_difference,
          .needs = clocks_apart_needed},
    with_failover("failover-by-timeout", failover_by_timeout, {}, failing_over),
    fault{.name = "two-nodes-emptied", .strike = empty_two_nodes, .applies = only(row::quorum_5)},
    fault{.name = "resharding",
          .strike = reshard,
          .applies = only(row::cluster),
          .recovery = failover},
    fault{.name = "node-added-and-removed",
          .strike = add_and_remove_node,
          .applies = only(row::cluster),
          .recovery = failover},
    // Clients.
    fault{.name = "client-killed", .strike = kill_client},
    fault{.name = "client-stopped", .strike = stop_client},
    fault{.name = "client-disk-full", .strike = fill_disk, .needs = {.scratch = true}},
    fault{.name = "client-descriptors", .strike = use_up_descriptors},
};

}  // namespace

std::span<const fault> all_faults()
{
    return table;
}

milliseconds recovery_of(const fault& what, row where)
{
    const bool fails_over = (what.fails_over & only(where)) != 0;
    return fails_over ? std::max(what.recovery, failover) : what.recovery;
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
