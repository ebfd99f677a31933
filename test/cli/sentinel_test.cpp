// pawl run with a primary that sentinels name.
#include "command.h"

#include "support/sentinel_group.h"

namespace pawl::test {
namespace {

TEST(run_with_sentinels, takes_the_lock_at_the_primary)
{
    const sentinel_group group{{.replicas = 0, .sentinels = 2, .quorum = 1}};
    process running =
        pawl({"run", "--url", group.url(), "k", "-c", "echo fence=$PAWL_FENCE; read line; true"});
    EXPECT_NE(running.line_after("fence="), "");
    EXPECT_TRUE(group.probe(group.primary()).exists("k"));
    const result other = run_pawl({"run", "--url", group.url(), "-n", "k", "true"});
    EXPECT_EQ(other.end, exited(75)) << other.err;
    running.close_stdin();
    EXPECT_EQ(running.wait(patience), exited(0));
}

TEST(run_with_sentinels, holds_the_lock_through_a_failover)
{
    sentinel_group group{{.sentinels = 1, .quorum = 1}};
    process running =
        pawl({"run", "--url", group.url(), "k", "-c", "echo up; read line; echo $PAWL_FENCE"});
    EXPECT_EQ(running.line_after("up"), "");
    ASSERT_TRUE(
        eventually([&] { return group.probe(1).exists("k") && group.probe(2).exists("k"); }));
    const auto old = group.kill_primary();
    const auto now = group.wait_for_new_primary(old);
    redis_probe probe = group.probe(now);
    ASSERT_TRUE(eventually([&] { return probe.calls("evalsha") + probe.calls("eval") > 0; }))
        << "renewed at the new primary";
    running.close_stdin();
    EXPECT_EQ(running.wait(patience), exited(0));
    EXPECT_TRUE(eventually([&] { return !probe.exists("k"); })) << "released there";
}

TEST(run_with_sentinels, names_a_service_that_they_do_not_know)
{
    const sentinel_group group{{.replicas = 0, .sentinels = 1, .quorum = 1}};
    const std::string url = group.url();
    const result got =
        run_pawl({"run", "--url", url.substr(0, url.rfind('/')) + "/other", "k", "true"});
    EXPECT_NE(got.err.find("the sentinels know no service 'other'"), std::string::npos) << got.err;
    EXPECT_NE(got.end, exited(0));
}

}  // namespace
}  // namespace pawl::test
