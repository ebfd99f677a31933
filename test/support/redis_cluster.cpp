#include "support/redis_cluster.h"

#include "support/server_info.h"
#include "support/tls_files.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace pawl::test {

namespace {

constexpr std::size_t slots = 16'384;
constexpr int most_failover_tries = 4;
constexpr std::chrono::milliseconds failover_limit{6'000};
// An election without a result is repeated every 4 s. On a busy machine several can fail in a row.
constexpr std::chrono::milliseconds election_patience{60'000};
// A node gives up on another one that is slow to answer at first, with TLS on a busy machine for example.
constexpr int most_introductions = 4;
constexpr std::chrono::milliseconds introduction_limit{5'000};

void must_happen(bool happened, const char* what)
{
    if (!happened) throw std::runtime_error{std::string{"cluster: "} + what};
}

// The words of a node's line in CLUSTER NODES: id, address, flags, primary … Empty if it has none.
[[nodiscard]] std::vector<std::string> line_words(const std::string& nodes, const std::string& id)
{
    std::istringstream lines{nodes};
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(id)) continue;
        std::istringstream words{line};
        return {std::istream_iterator<std::string>{words}, {}};
    }
    return {};
}

// The part of a key that decides its slot: between { and }, if there is something.
[[nodiscard]] std::string_view tag_of(std::string_view key)
{
    const std::size_t open = key.find('{');
    if (open == key.npos) return key;
    const std::size_t close = key.find('}', open + 1);
    if (close == key.npos || close == open + 1) return key;
    return key.substr(open + 1, close - open - 1);
}

}  // namespace

redis_cluster::redis_cluster(cluster_options options) : options_{std::move(options)}
{
    const std::size_t primaries = options_.primaries;
    const std::size_t all = primaries * (1 + options_.replicas);
    for (std::size_t i = 0; i < all; ++i) {
        start_node();
        // Before it knows others. Different epochs spare the nodes the vote about equal ones.
        probe(i).must({"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)});
    }
    for (std::size_t i = 0; i < primaries; ++i) {
        std::vector<std::string> words{"CLUSTER", "ADDSLOTS"};
        for (std::size_t slot = i * slots / primaries; slot < (i + 1) * slots / primaries; ++slot) {
            words.push_back(std::to_string(slot));
        }
        must_happen(!probe(i).command(words).is_error(), "a node refused its slots");
    }
    bool known = false;
    for (int round = 0; round < most_introductions && !known; ++round) {
        for (std::size_t i = 1; i < all; ++i) introduce(i);
        known = eventually_answers(introduction_limit, [&] { return all_know(all); });
    }
    must_happen(known, "the nodes do not find each other");
    for (std::size_t i = primaries; i < all; ++i) {
        const std::string primary = id_of(i % primaries);
        must_happen(eventually_answers([&] {
                        return !probe(i).command({"CLUSTER", "REPLICATE", primary}).is_error();
                    }),
                    "a node does not become a replica");
    }
    wait_until_whole();
}

std::size_t redis_cluster::start_node()
{
    std::vector<std::string> config{
        "cluster-node-timeout " + std::to_string(options_.node_timeout.count()),
        "cluster-replica-validity-factor 0",
        "cluster-allow-replica-migration no",
        "repl-diskless-sync-delay 0",
        "repl-ping-replica-period 1",
    };
    if (!options_.password.empty()) {
        config.push_back("requirepass " + options_.password);
        config.push_back("masterauth " + options_.password);
    }
    if (options_.own_addresses) {
        config.push_back("bind-source-addr 127.0.1." + std::to_string(nodes_.size() + 1));
        config.emplace_back("cluster-announce-ip 127.0.0.1");
        config.emplace_back("protected-mode no");  // it accepts 127.0.0.1 only
    }
    if (options_.tls != nullptr) {
        config.emplace_back("tls-cluster yes");
        config.emplace_back("tls-replication yes");
        config.push_back("tls-client-cert-file " + options_.tls->client_cert());
        config.push_back("tls-client-key-file " + options_.tls->client_key());
    }
    config.insert(config.end(), options_.config.begin(), options_.config.end());
    server_options made{.config = config, .tls = options_.tls, .cluster = true};
    if (options_.program) made.program = options_.program(nodes_.size());
    nodes_.push_back(std::make_unique<redis_server>(std::move(made)));
    ids_.push_back(probe(nodes_.size() - 1).must({"CLUSTER", "MYID"}).text);
    return nodes_.size() - 1;
}

std::uint16_t redis_cluster::port_of(std::size_t index) const
{
    const auto& node = *nodes_.at(index);
    return options_.tls == nullptr ? node.port() : node.tls_port();
}

// To every running node before it, so that none has to wait for gossip.
void redis_cluster::introduce(std::size_t index) const
{
    for (std::size_t other = 0; other < index; ++other) {
        if (nodes_[other]->state() != server_state::running) continue;
        probe(other).must({"CLUSTER", "MEET", "127.0.0.1", std::to_string(port_of(index)),
                           std::to_string(bus_port(index))});
    }
}

std::string redis_cluster::url() const
{
    std::string hosts;
    for (std::size_t i = 0; i < options_.primaries * (1 + options_.replicas); ++i) {
        hosts += (i == 0 ? "" : ",") + ("127.0.0.1:" + std::to_string(port_of(i)));
    }
    return (options_.tls != nullptr ? "rediss+cluster://" : "redis+cluster://") + hosts;
}

redis_probe redis_cluster::probe(std::size_t index) const
{
    return authenticated(nodes_.at(index)->probe(), options_.password);
}

// CRC16, as the specification of Redis Cluster says.
std::uint16_t redis_cluster::slot_of(std::string_view key)
{
    std::uint32_t crc = 0;
    for (const char c : tag_of(key)) {
        crc ^= static_cast<std::uint32_t>(static_cast<unsigned char>(c)) << 8U;
        for (int bit = 0; bit < 8; ++bit) {
            crc = ((crc & 0x8000U) != 0 ? (crc << 1U) ^ 0x1021U : crc << 1U) & 0xFFFFU;
        }
    }
    return static_cast<std::uint16_t>(crc % slots);
}

std::vector<std::size_t> redis_cluster::running() const
{
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i]->state() == server_state::running) found.push_back(i);
    }
    return found;
}

std::optional<std::size_t> redis_cluster::owner_said_by(std::size_t index, std::uint16_t slot) const
{
    // Each item: first slot, last slot, primary (address, port, id, …), replicas …
    for (const redis_value& range : probe(index).must({"CLUSTER", "SLOTS"}).items) {
        if (slot < range.items.at(0).integer || slot > range.items.at(1).integer) continue;
        const auto at = std::find(ids_.begin(), ids_.end(), range.items.at(2).items.at(2).text);
        if (at != ids_.end()) return static_cast<std::size_t>(at - ids_.begin());
    }
    return {};
}

std::optional<std::size_t> redis_cluster::agreed_owner(std::uint16_t slot) const
{
    std::optional<std::size_t> owner;
    for (const std::size_t index : running()) {
        const std::optional<std::size_t> said = owner_said_by(index, slot);
        if (!said || (owner && *owner != *said)) return {};
        owner = said;
    }
    return owner;
}

std::size_t redis_cluster::owner_of(std::uint16_t slot) const
{
    std::optional<std::size_t> owner;
    must_happen(eventually_answers([&] { return (owner = agreed_owner(slot)).has_value(); }),
                "the nodes do not agree who owns the slot");
    return *owner;
}

std::optional<std::size_t> redis_cluster::replica_of(std::size_t primary) const
{
    for (const std::size_t index : running()) {
        redis_probe one = probe(index);
        const std::vector<std::string> words =
            line_words(one.must({"CLUSTER", "NODES"}).text, id_of(index));
        if (words.size() > 3 && words[3] == id_of(primary)) return index;
    }
    return {};
}

void redis_cluster::failover(std::size_t replica, failover_kind kind)
{
    const auto promoted = [&] {
        return std::ranges::all_of(running(), [&](std::size_t index) {
            const std::vector<std::string> words =
                line_words(probe(index).must({"CLUSTER", "NODES"}).text, id_of(replica));
            return words.size() > 3 && words[2].find("master") != words[2].npos;
        });
    };
    // It says OK and gives up later, without a word, if it cannot agree with its primary in time.
    for (int i = 0; i < most_failover_tries; ++i) {
        switch (kind) {
        case failover_kind::agreed: probe(replica).command({"CLUSTER", "FAILOVER"}); break;
        case failover_kind::force: probe(replica).command({"CLUSTER", "FAILOVER", "FORCE"}); break;
        case failover_kind::takeover:
            probe(replica).command({"CLUSTER", "FAILOVER", "TAKEOVER"});
            break;
        }
        if (eventually_answers(failover_limit, promoted)) return;
    }
    must_happen(false, "the replica did not become a primary");
}

std::size_t redis_cluster::wait_for_new_owner(std::uint16_t slot, std::size_t old) const
{
    std::optional<std::size_t> owner;
    const bool found = eventually_answers(election_patience, [&] {
        owner = agreed_owner(slot);
        return owner && *owner != old &&
               line_of(probe(*owner).must({"CLUSTER", "INFO"}).text, "cluster_state") == "ok";
    });
    must_happen(found, "no other node took the slot over");
    return *owner;
}

bool redis_cluster::all_know(std::size_t count) const
{
    return std::ranges::all_of(running(), [&](std::size_t index) {
        const std::string nodes = probe(index).must({"CLUSTER", "NODES"}).text;
        return nodes.find("handshake") == nodes.npos &&
               static_cast<std::size_t>(std::count(nodes.begin(), nodes.end(), '\n')) >= count;
    });
}

bool redis_cluster::whole() const
{
    std::optional<std::vector<std::optional<std::size_t>>> owners;
    for (const std::size_t index : running()) {
        redis_probe one = probe(index);
        const std::string info = one.must({"CLUSTER", "INFO"}).text;
        if (line_of(info, "cluster_state") != "ok" || line_of(info, "cluster_slots_pfail") != "0" ||
            line_of(info, "cluster_slots_fail") != "0") {
            return false;
        }
        const std::string replication = one.must({"INFO", "replication"}).text;
        if (line_of(replication, "role") == "slave" &&
            line_of(replication, "master_link_status") != "up") {
            return false;
        }
        std::vector<std::optional<std::size_t>> said;
        for (std::size_t i = 0; i < options_.primaries; ++i) {
            const auto slot = static_cast<std::uint16_t>(i * slots / options_.primaries);
            said.push_back(owner_said_by(index, slot));
        }
        if (owners && *owners != said) return false;
        owners = said;
    }
    return true;
}

void redis_cluster::wait_until_whole() const
{
    must_happen(eventually_answers(election_patience, [this] { return whole(); }),
                "it does not become whole");
}

std::size_t redis_cluster::add_node()
{
    const std::size_t index = start_node();
    introduce(index);
    must_happen(eventually_answers([&] { return all_know(running().size()); }),
                "the nodes do not find the new one");
    return index;
}

void redis_cluster::remove_node(std::size_t index)
{
    node(index).kill();
    for (const std::size_t other : running()) {
        probe(other).must({"CLUSTER", "FORGET", id_of(index)});
    }
}

}  // namespace pawl::test
