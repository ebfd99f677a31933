// The faults, as a table of named functions. A function causes the fault, lets it last, and ends
// it; when it returns, everyone must be able to go on.
//
// To add a fault: write one function (faults_server.cpp, faults_network.cpp, faults_client.cpp,
// faults_topology.cpp) and one line in fault.cpp, which says where it applies and what is not
// promised there.
#pragma once

#include "faults/crew.h"
#include "faults/network.h"
#include "faults/rig.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <string>
#include <string_view>

namespace pawl::faults {

// Rows as a set.
using rows = unsigned;
[[nodiscard]] constexpr rows only(row which) noexcept
{
    return 1U << static_cast<unsigned>(which);
}
inline constexpr rows none = 0;
inline constexpr rows one = only(row::one_server);
inline constexpr rows quorums = only(row::quorum_3) | only(row::quorum_5);

// Where another server can take the place of the primary.
inline constexpr rows failing_over = only(row::sentinel) | only(row::acknowledged) |
                                     only(row::acknowledged_by_all) | only(row::cluster);

// Where the new primary may lack grants of the old one.
inline constexpr rows lagging = failing_over & ~only(row::acknowledged_by_all);

inline constexpr rows every = one | failing_over | quorums;

// The place of a fault.
struct scene {
    rig& servers;
    crew& workers;
    network* net;         // null if the fault needs none
    std::string scratch;  // a small disk of the workers, if the fault needs one
    std::chrono::milliseconds lease;
    std::mt19937_64& random;
    std::map<std::size_t, double> clocks{};  // of the stepped servers, in seconds from the real one

    [[nodiscard]] std::size_t target() { return servers.target(random()); }
    [[nodiscard]] std::size_t some_worker() { return random() % workers.size(); }
};

// Lets a fault, or a calm period, last. The only sleep of the campaign.
void pause(std::chrono::milliseconds span);

struct fault_needs {
    bool network = false;
    bool proxies = false;
    bool tls = false;
    bool stepping = false;
    bool clocks_apart = false;  // with stepping
    bool scratch = false;
};

struct fault {
    std::string_view name;
    void (*strike)(scene& here);
    rows applies = every;

    // Where another server may become the primary. Elsewhere that is counted, and shown.
    rows fails_over = none;

    // Where more holders than allowed are not excluded, and why. Everywhere else it is a violation.
    rows two_holders = none;
    std::string_view why{};

    // Where not even greater fences are promised: the clock of the new primary may be behind.
    rows old_fences = none;

    // How much longer than usual it may take until everyone goes on. A failover has a time of its own.
    std::chrono::milliseconds recovery{0};
    fault_needs needs{};
};

[[nodiscard]] std::span<const fault> all_faults();

// What it may add to the bound in a row.
[[nodiscard]] std::chrono::milliseconds recovery_of(const fault& what, row where);

// Null if there is none with this name.
[[nodiscard]] const fault* find_fault(std::string_view name);

// Of servers.
void nothing(scene& here);
void kill_9(scene& here);
void freeze(scene& here);
void restart_with_data(scene& here);
void restart_with_old_data(scene& here);
void restart_without_data(scene& here);
void restart_without_data_at(scene& here, std::size_t index);
void flush_all(scene& here);
void flush_scripts(scene& here);
void out_of_memory(scene& here);
void evict(scene& here);
void take_rights_away(scene& here);
void exchange_certificate(scene& here);
void hit_output_limit(scene& here);
void step_clock_forward(scene& here);
void step_clock_back(scene& here);

// Of the network.
void cut_off_both_ways(scene& here);
void cut_off_requests(scene& here);
void cut_off_replies(scene& here);
void cut_off_from_servers(scene& here);
void half_open_lines(scene& here);
void lose_packets(scene& here);
void reset_connections(scene& here);
void slow_lines(scene& here);
void cut_messages(scene& here);

// Of topologies.
void forced_failover(scene& here);
void failover_by_timeout(scene& here);
void empty_two_nodes(scene& here);
void reshard(scene& here);
void add_and_remove_node(scene& here);

// Of clients.
void kill_client(scene& here);
void stop_client(scene& here);
void fill_disk(scene& here);
void use_up_descriptors(scene& here);

}  // namespace pawl::faults
