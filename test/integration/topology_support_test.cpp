// The fixtures for more than one server do what they say. The client of these tests is not pawl.
#include "support/eventually.h"
#include "support/quorum_nodes.h"
#include "support/redis_cluster.h"
#include "support/sentinel_group.h"
#include "support/server_info.h"
#include "support/slot_migration.h"

#include <gtest/gtest.h>

#include <string>

namespace pawl::test {
namespace {

using namespace std::chrono_literals;

TEST(a_sentinel_group, names_its_sentinels_and_its_service_in_the_url)
{
    sentinel_group group{{.replicas = 1, .sentinels = 2}};
    EXPECT_EQ(group.url(),
              "redis+sentinel://127.0.0.1:" + std::to_string(group.sentinel(0).port()) +
                  ",127.0.0.1:" + std::to_string(group.sentinel(1).port()) + "/pawl");
    EXPECT_EQ(group.primary(), 0U);
    EXPECT_EQ(info_of(group.probe(0), "replication", "connected_slaves"), "1");
}

TEST(a_sentinel_group, replaces_a_killed_primary_and_takes_it_back_as_a_replica)
{
    // On a busy machine the new primary can be silent for half a second, and be replaced in its turn.
    sentinel_group group{{.down_after = 2s}};
    group.probe(0).must({"SET", "a", "1"});
    ASSERT_EQ(group.probe(0).must({"WAIT", "2", "5000"}).integer, 2);
    const std::size_t old = group.kill_primary();
    EXPECT_EQ(old, 0U);
    const std::size_t now = group.wait_for_new_primary(old);
    EXPECT_EQ(group.probe(now).get("a"), "1");
    group.server(old).start_again();
    group.wait_until_whole();
    EXPECT_EQ(info_of(group.probe(old), "replication", "role"), "slave");
}

TEST(a_sentinel_group, replaces_a_frozen_primary)
{
    sentinel_group group;
    const std::size_t old = group.freeze_primary();
    const std::size_t now = group.wait_for_new_primary(old);
    EXPECT_NE(now, old);
    group.server(old).thaw();
    group.wait_until_whole();
}

TEST(a_sentinel_group, replaces_a_running_primary_when_told_so)
{
    sentinel_group group;
    const std::size_t old = group.failover();
    EXPECT_NE(group.wait_for_new_primary(old), old);
    group.wait_until_whole();
}

TEST(a_sentinel_group, has_passwords_of_its_own_for_servers_and_sentinels)
{
    sentinel_group group{{.replicas = 1,
                          .sentinels = 1,
                          .quorum = 1,
                          .password = "one",
                          .sentinel_password = "two",
                          .server_config = {"min-replicas-to-write 1"}}};
    EXPECT_TRUE(group.server(0).probe().command({"GET", "a"}).is_error());
    EXPECT_TRUE(group.sentinel(0).probe().command({"SENTINEL", "MASTERS"}).is_error());
    const std::size_t old = group.failover();
    EXPECT_NE(group.wait_for_new_primary(old), old);
}

TEST(a_cluster, serves_all_slots_with_three_primaries_and_three_replicas)
{
    redis_cluster cluster;
    EXPECT_EQ(cluster.size(), 6U);
    EXPECT_EQ(cluster.owner_of(0), 0U);
    EXPECT_EQ(cluster.owner_of(16'383), 2U);
    EXPECT_EQ(cluster.replica_of(1), 4U);
    const auto keyslot = cluster.probe(0).must({"CLUSTER", "KEYSLOT", "a{tag}b"}).integer;
    EXPECT_EQ(redis_cluster::slot_of("a{tag}b"), keyslot);
    cluster.probe(cluster.owner_of("a{tag}b")).must({"SET", "a{tag}b", "1"});
}

TEST(a_cluster, replaces_a_killed_primary_and_takes_it_back_as_a_replica)
{
    redis_cluster cluster;
    cluster.node(0).kill();
    EXPECT_EQ(cluster.wait_for_new_owner(0, 0), 3U);
    cluster.node(0).start_again();
    cluster.wait_until_whole();
    EXPECT_EQ(info_of(cluster.probe(0), "replication", "role"), "slave");
}

TEST(a_cluster, replaces_a_running_primary_when_told_so)
{
    redis_cluster cluster;
    cluster.failover(3);
    EXPECT_EQ(cluster.owner_of(0), 3U);
    cluster.wait_until_whole();
    cluster.failover(0, redis_cluster::failover_kind::takeover);
    EXPECT_EQ(cluster.owner_of(0), 0U);
}

TEST(a_cluster, moves_a_slot_step_by_step)
{
    redis_cluster cluster{{.replicas = 0, .password = "secret"}};
    const std::string one = "one{tag}";
    const std::string two = "two{tag}";
    const std::uint16_t slot = redis_cluster::slot_of(one);
    const std::size_t from = cluster.owner_of(slot);
    const std::size_t to = (from + 1) % 3;
    cluster.probe(from).must({"SET", one, "1"});
    slot_migration moving{cluster, slot, from, to};
    moving.begin();
    EXPECT_EQ(cluster.probe(from).get(one), "1");
    EXPECT_TRUE(cluster.probe(from).command({"GET", two}).text.starts_with("ASK "));
    EXPECT_EQ(moving.move_keys(10), 1U);
    EXPECT_EQ(moving.move_keys(10), 0U);
    EXPECT_TRUE(cluster.probe(from).command({"GET", one}).text.starts_with("ASK "));
    moving.finish();
    EXPECT_EQ(cluster.owner_of(slot), to);
    EXPECT_EQ(cluster.probe(to).get(one), "1");
    EXPECT_TRUE(cluster.probe(from).command({"GET", one}).text.starts_with("MOVED "));
}

TEST(a_cluster, takes_a_new_node_gives_it_a_slot_and_removes_it_again)
{
    redis_cluster cluster{{.replicas = 0}};
    const std::size_t added = cluster.add_node();
    slot_migration{cluster, 7, 0, added}.run();
    EXPECT_EQ(cluster.owner_of(7), added);
    slot_migration{cluster, 7, added, 0}.run();
    cluster.remove_node(added);
    cluster.wait_until_whole();
    EXPECT_EQ(cluster.owner_of(7), 0U);
    const std::string nodes = cluster.probe(1).must({"CLUSTER", "NODES"}).text;
    EXPECT_EQ(nodes.find(cluster.id_of(added)), nodes.npos);
}

TEST(quorum_nodes, come_back_with_their_data_without_it_or_with_an_old_copy)
{
    quorum_nodes nodes{{.nodes = 3}};
    EXPECT_EQ(nodes.url(), "redlock:" + nodes.node(0).url() + "," + nodes.node(1).url() + "," +
                               nodes.node(2).url());
    nodes.node(0).probe().must({"SET", "a", "old"});
    const data_copy old = nodes.copy_of(0);
    nodes.node(0).probe().must({"SET", "a", "new"});
    EXPECT_FALSE(nodes.node(1).probe().exists("a"));

    nodes.restart_with_data(0);
    EXPECT_EQ(nodes.node(0).probe().get("a"), "new");
    nodes.node(0).freeze();
    nodes.restart_with(old, 0);
    EXPECT_EQ(nodes.node(0).probe().get("a"), "old");
    nodes.restart_without_data(0);
    EXPECT_FALSE(nodes.node(0).probe().exists("a"));
}

}  // namespace
}  // namespace pawl::test
