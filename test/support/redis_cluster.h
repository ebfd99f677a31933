// A Redis Cluster on 127.0.0.1. Ready when the constructor returns: every node knows all the
// others, all slots are served, and every replica follows its primary.
//
// Nodes are numbered: first the primaries, then the replicas. Node primaries + i is at first a
// replica of node i % primaries. A failover changes the roles, never the numbers.
#pragma once

#include "support/redis_probe.h"
#include "support/redis_server.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::test {

struct cluster_options {
    std::size_t primaries = 3;
    std::size_t replicas = 1;  // of each primary
    std::chrono::milliseconds node_timeout{500};
    std::string password{};
    bool own_addresses = false;      // node i connects to others from 127.0.1.(i + 1); Redis 7.0+
    const tls_files* tls = nullptr;  // TLS for clients and between nodes; must outlive the Cluster
    std::vector<std::string> config{};  // further lines of redis.conf
    std::function<std::vector<std::string>(std::size_t)>
        program{};  // of each node; see server_options
};

class redis_cluster {
public:
    explicit redis_cluster(cluster_options options = {});

    // redis+cluster://127.0.0.1:…,… (or rediss+cluster://) with the nodes that there were in the beginning.
    [[nodiscard]] std::string url() const;

    [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }

    // For kill(), freeze(), thaw(), start_again(), port() … A node that was killed comes back with
    // its id and without its keys.
    [[nodiscard]] redis_server& node(std::size_t index) { return *nodes_.at(index); }

    [[nodiscard]] std::uint16_t bus_port(std::size_t index) const
    {
        return nodes_.at(index)->bus_port();
    }

    [[nodiscard]] redis_probe probe(std::size_t index) const;  // authenticated
    [[nodiscard]] std::string id_of(std::size_t index) const { return ids_.at(index); }

    [[nodiscard]] const std::string& password() const noexcept { return options_.password; }

    [[nodiscard]] static std::uint16_t slot_of(std::string_view key);

    // The primary of a slot, as the running nodes say it. Throws if they do not agree in time.
    [[nodiscard]] std::size_t owner_of(std::uint16_t slot) const;
    [[nodiscard]] std::size_t owner_of(std::string_view key) const
    {
        return owner_of(slot_of(key));
    }

    // A running replica of that node, as the node itself says it.
    [[nodiscard]] std::optional<std::size_t> replica_of(std::size_t primary) const;

    enum class failover_kind { agreed, force, takeover };

    // Makes a replica the primary of its slots. Returns when the running nodes know it.
    void failover(std::size_t replica, failover_kind kind = failover_kind::agreed);

    // Waits until another node than `old` is the primary of the slot, and serves it.
    std::size_t wait_for_new_owner(std::uint16_t slot, std::size_t old) const;

    // Waits until all running nodes say that the cluster is fine, and agree on the slots.
    void wait_until_whole() const;

    // A new primary without slots. Returns its number when all running nodes know it.
    std::size_t add_node();

    // Stops a node that has no slots, and makes all running nodes forget it. Its number stays
    // unused.
    void remove_node(std::size_t index);

    [[nodiscard]] std::vector<std::size_t> running() const;

private:
    std::size_t start_node();
    // The port that the nodes tell clients and each other.
    [[nodiscard]] std::uint16_t port_of(std::size_t index) const;
    void introduce(std::size_t index) const;
    [[nodiscard]] bool all_know(std::size_t count) const;
    [[nodiscard]] bool whole() const;
    [[nodiscard]] std::optional<std::size_t> owner_said_by(std::size_t index,
                                                           std::uint16_t slot) const;
    [[nodiscard]] std::optional<std::size_t> agreed_owner(std::uint16_t slot) const;

    cluster_options options_;
    std::vector<std::unique_ptr<redis_server>> nodes_;
    std::vector<std::string> ids_;
};

}  // namespace pawl::test
