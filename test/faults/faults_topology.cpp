// Faults of several servers: another one takes over, slots move, or nodes of a quorum forget.
#include "faults/fault.h"

#include "support/eventually.h"
#include "support/server_data.h"
#include "support/slot_migration.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace pawl::faults {

namespace {

[[nodiscard]] std::size_t replica_of(test::redis_cluster& cluster, std::size_t primary)
{
    std::optional<std::size_t> found;
    if (!test::eventually([&] { return (found = cluster.replica_of(primary)).has_value(); })) {
        throw std::runtime_error{"the primary has no replica"};
    }
    return *found;
}

void wait_until_all_vote(scene& here)
{
    client_options options;
    options.url = here.servers.url();
    options.longest_lease = here.lease;  // as the workers have it
    const client asking{options};
    const auto votes = [](const node_info& node) { return node.state == node_state::voting; };
    if (!test::eventually([&] { return std::ranges::all_of(asking.nodes(), votes); })) {
        throw std::runtime_error{"a node of the quorum does not vote again"};
    }
}

// All slots of the workers' locks: to that node, and back.
void move_there_and_back(test::redis_cluster& cluster, std::size_t to)
{
    for (const kind which : all_kinds) {
        const std::uint16_t slot = test::redis_cluster::slot_of(name_of(which));
        const std::size_t from = cluster.owner_of(slot);
        if (from == to) continue;
        test::slot_migration{cluster, slot, from, to}.run();
        test::slot_migration{cluster, slot, to, from}.run();
    }
}

}  // namespace

void forced_failover(scene& here)
{
    if (test::sentinel_group* group = here.servers.sentinels(); group != nullptr) {
        group->wait_for_new_primary(group->failover());
        return;
    }
    using kind_of = test::redis_cluster::failover_kind;
    test::redis_cluster& cluster = *here.servers.cluster();
    const bool takeover = here.random() % 2 == 0;
    cluster.failover(replica_of(cluster, here.target()),
                     takeover ? kind_of::takeover : kind_of::agreed);
}

void failover_by_timeout(scene& here)
{
    const std::size_t old = here.target();
    here.servers.server(old).freeze();
    if (test::sentinel_group* group = here.servers.sentinels(); group != nullptr) {
        group->wait_for_new_primary(old);
    } else {
        for (const kind which : all_kinds) {
            const std::uint16_t slot = test::redis_cluster::slot_of(name_of(which));
            here.servers.cluster()->wait_for_new_owner(slot, old);
        }
    }
    here.servers.server(old).thaw();
}

void empty_two_nodes(scene& here)
{
    const std::size_t first = here.target();
    const std::size_t second =
        (first + 1 + here.random() % (here.servers.size() - 1)) % here.servers.size();
    for (const std::size_t index : {first, second}) restart_without_data_at(here, index);
    wait_until_all_vote(here);
}

void reshard(scene& here)
{
    test::redis_cluster& cluster = *here.servers.cluster();
    // A primary that owns none of the locks to be moved is not always there: take any primary.
    move_there_and_back(cluster,
                        cluster.owner_of(static_cast<std::uint16_t>(here.random() % 16'384)));
}

void add_and_remove_node(scene& here)
{
    test::redis_cluster& cluster = *here.servers.cluster();
    const std::size_t added = cluster.add_node();
    move_there_and_back(cluster, added);
    cluster.remove_node(added);
}

}  // namespace pawl::faults
