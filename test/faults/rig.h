// The servers of one cell, whatever their topology. A fault sees them only through this.
#pragma once

#include "faults/network.h"
#include "support/fault_proxy.h"
#include "support/redis_cluster.h"
#include "support/redis_probe.h"
#include "support/redis_server.h"
#include "support/sentinel_group.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::faults {

enum class row {
    one_server,
    sentinel,
    acknowledged,         // sentinels, and grants that one of two replicas has acknowledged
    acknowledged_by_all,  // … that both replicas have acknowledged
    cluster,
    quorum_3,
    quorum_5
};

inline constexpr std::array all_rows{
    row::one_server, row::sentinel, row::acknowledged, row::acknowledged_by_all,
    row::cluster,    row::quorum_3, row::quorum_5};

[[nodiscard]] std::string_view to_string(row which);

// A server program that libfaketime can deceive: one with libc's malloc.
struct clock_tools {
    std::string server;
    std::string library;
};

// What a fault needs of the servers.
struct rig_needs {
    bool proxies = false;                   // between clients and servers
    bool tls = false;                       // clients use TLS
    const clock_tools* stepping = nullptr;  // servers with a clock that can be stepped
    bool clocks_apart = false;              // from the start: 5 s behind, right, 5 s ahead
    bool own_addresses = false;             // of each server, for the network
    network* net = nullptr;                 // leads clients to proxies that they do not know
};

class rig {
public:
    virtual ~rig() = default;
    rig(const rig&) = delete;
    rig& operator=(const rig&) = delete;

    [[nodiscard]] virtual std::string url() = 0;
    [[nodiscard]] virtual std::string ca_file() const { return {}; }

    [[nodiscard]] virtual std::size_t size() const = 0;
    [[nodiscard]] virtual test::redis_server& server(std::size_t index) = 0;
    [[nodiscard]] virtual endpoint endpoint_of(std::size_t index);

    // A server whose fault matters: the primary, the owner of a lock, or any node of a quorum.
    [[nodiscard]] virtual std::size_t target(std::uint64_t random) = 0;

    // Starts a stopped server again, after its place was taken over if the topology does that.
    virtual void take_over_and_return(std::size_t index) { server(index).start_again(); }

    // How often a primary was elected, as each server or sentinel that took part counts it. Empty without elections.
    [[nodiscard]] virtual std::vector<std::uint64_t> elections() { return {}; }

    // Waits until all is as in the beginning: replicas follow, and everyone agrees.
    virtual void settle() {}

    [[nodiscard]] virtual test::sentinel_group* sentinels() { return nullptr; }
    [[nodiscard]] virtual test::redis_cluster* cluster() { return nullptr; }

    // An administrator's connection. The rights of the workers' user do not matter to it.
    [[nodiscard]] test::redis_probe probe(std::size_t index);

    // If there are proxies: those in front of each server.
    [[nodiscard]] test::fault_proxy& proxy(std::size_t index) { return *proxies_.at(index); }

    // Sets a server's clock this far from the real one, in seconds.
    void step_clock(std::size_t index, double seconds) const;

protected:
    rig() = default;

    // Lines of redis.conf for every server.
    [[nodiscard]] static std::vector<std::string> usual_config();
    // The words that start server `index`, for clock steps. With clocks apart, `place` says which clock
    // it has.
    [[nodiscard]] std::vector<std::string> program(const rig_needs& needs, std::size_t index,
                                                   std::size_t place);

    // In front of servers whose addresses the clients learn from others: the network leads the clients'
    // connections to the proxies. The servers must have own addresses.
    void put_proxies(network& net);

    std::vector<std::unique_ptr<test::fault_proxy>> proxies_;

private:
    [[nodiscard]] std::string clock_file(std::size_t index) const;

    test::temp_dir dir_;
};

[[nodiscard]] std::unique_ptr<rig> make_rig(row which, const rig_needs& needs);

}  // namespace pawl::faults
