// pawl run with a Redis Cluster.
#include "command.h"

#include "support/redis_cluster.h"

#include <gmock/gmock.h>

namespace pawl::test {
namespace {

using testing::HasSubstr;

// A key whose slot is at this node.
std::string key_at(const redis_cluster& cluster, std::size_t node)
{
    for (int i = 0;; ++i) {
        auto key = "k" + std::to_string(i);
        if (cluster.owner_of(key) == node) return key;
    }
}

TEST(run_in_cluster, takes_the_lock_at_the_node_that_has_its_slot)
{
    const redis_cluster cluster{{.replicas = 0}};
    for (std::size_t node = 0; node < cluster.size(); ++node) {
        const auto key = key_at(cluster, node);
        process running = pawl(
            {"run", "--url", cluster.url(), key, "-c", "echo fence=$PAWL_FENCE; read line; true"});
        EXPECT_NE(running.line_after("fence="), "");
        redis_probe probe = cluster.probe(node);
        EXPECT_TRUE(probe.exists(key));
        const result other = run_pawl({"run", "--url", cluster.url(), "-n", key, "true"});
        EXPECT_EQ(other.end, exited(75)) << other.err;
        process next = pawl({"run", "--url", cluster.url(), key, "echo", "next"});
        ASSERT_TRUE(eventually([&] { return probe.exists("pawl:queue:{" + key + "}"); }));
        running.close_stdin();
        EXPECT_EQ(running.wait(patience), exited(0));
        EXPECT_EQ(next.line_after("next"), "");
        EXPECT_EQ(next.wait(patience), exited(0));
        EXPECT_FALSE(probe.exists(key));
    }
}

TEST(run_in_cluster, holds_the_lock_through_a_failover)
{
    redis_cluster cluster;
    const auto key = key_at(cluster, 0);
    process running = pawl({"run", "--url", cluster.url(), key, "-c", "echo up; read line; true"});
    EXPECT_EQ(running.line_after("up"), "");
    redis_probe primary = cluster.probe(0);
    primary.must({"SET", "mark{" + key + "}", "1"});
    ASSERT_EQ(primary.must({"WAIT", "1", "5000"}).integer, 1);
    cluster.node(0).kill();
    const auto now = cluster.wait_for_new_owner(redis_cluster::slot_of(key), 0);
    EXPECT_TRUE(cluster.probe(now).exists(key));
    running.close_stdin();
    EXPECT_EQ(running.wait(patience), exited(0));
    EXPECT_TRUE(eventually([&] { return !cluster.probe(now).exists(key); })) << "released there";
}

TEST(run_in_cluster, finds_the_cluster_and_its_password_in_a_settings_file)
{
    const redis_cluster cluster{{.replicas = 0, .password = "hush"}};
    const temp_dir dir;
    write_file(dir.file("secret"), "hush\n");
    write_file(dir.file("pawl.conf"),
               "url = " + cluster.url() + "\npassword_file = " + dir.file("secret") + "\n");
    const result got =
        run_pawl({"run", "k", "echo", "ran"}, {"PAWL_CONFIG=" + dir.file("pawl.conf")});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_EQ(got.out, "ran\n");
}

TEST(run_in_cluster, says_what_to_do_about_locks_in_different_slots)
{
    const redis_cluster cluster{{.replicas = 0}};
    const result apart = run_pawl({"run", "--url", cluster.url(), "--also", "b", "a", "true"});
    EXPECT_NE(apart.end, exited(0));
    EXPECT_THAT(apart.err, HasSubstr("names with the same hash tag, such as {order}:a"));
    const result together =
        run_pawl({"run", "--url", cluster.url(), "--also", "{o}b", "{o}a", "echo", "ran"});
    EXPECT_EQ(together.end, exited(0)) << together.err;
    EXPECT_EQ(together.out, "ran\n");
}

TEST(run_in_cluster, refuses_a_database)
{
    const redis_cluster cluster{{.replicas = 0}};
    const result got = run_pawl({"run", "--url", cluster.url() + "/3", "k", "true"});
    EXPECT_EQ(got.end, exited(64));
    EXPECT_THAT(got.err, HasSubstr("database"));
}

TEST(run_in_cluster, names_the_right_url_for_a_node)
{
    redis_cluster cluster{{.replicas = 0}};
    const result got = run_pawl({"run", "--url", cluster.node(0).url(), "k", "true"});
    EXPECT_NE(got.end, exited(0));
    EXPECT_THAT(got.err, HasSubstr("use redis+cluster://"));
}

}  // namespace
}  // namespace pawl::test
