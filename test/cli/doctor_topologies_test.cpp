// pawl doctor, against several servers.
#include "doctor_output.h"
#include "support/acl_rule.h"
#include "support/quorum_nodes.h"
#include "support/redis_cluster.h"
#include "support/sentinel_group.h"

#include <gmock/gmock.h>

namespace pawl::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// The severities of the findings of a check.
words severities(const result& got, const std::string& check)
{
    words all;
    for (const auto& each : findings_of(got, check)) {
        all.push_back(each.at("severity").get<std::string>());
    }
    return all;
}

// Makes a user with this rule at the server.
void add_clerk(redis_probe probe, const words& rule)
{
    words command{"ACL", "SETUSER", "clerk", "reset", "on", ">street"};
    command.insert(command.end(), rule.begin(), rule.end());
    const auto reply = probe.command(command);
    EXPECT_FALSE(reply.is_error()) << reply.text;
}

std::string as_clerk(std::string url)
{
    const std::string scheme_end = "://";
    const std::string user = "clerk:street@";
    for (auto at = url.find(scheme_end); at != std::string::npos; at = url.find(scheme_end, at)) {
        at += scheme_end.size();
        url.insert(at, user);
        if (!url.starts_with("redlock:")) break;  // there each node has a user
    }
    return url;
}

TEST(doctor_at_sentinels, checks_the_primary_and_the_sentinels)
{
    const sentinel_group group;
    const auto got = doctor_at(group.url(), {"--json"});
    EXPECT_EQ(got.end, exited(1)) << got.out << got.err;
    EXPECT_EQ(severities(got, "sentinels"), words{"ok"}) << got.out;
    EXPECT_EQ(severities(got, "sentinel-agreement"), words{"ok"});
    EXPECT_EQ(severities(got, "sentinel-quorum"), words{"ok"});
    EXPECT_EQ(severities(got, "sentinel-replicas"), words{"ok"});
    EXPECT_EQ(severities(got, "min-replicas"), words{"warning"}) << "nothing is demanded";
    EXPECT_EQ(severities(got, "shared-machine"), (words{"warning", "warning"})) << "all on one";
    EXPECT_EQ(severities(got, "replication-lag"), words{"ok"});
}

TEST(doctor_at_sentinels, names_a_sentinel_that_is_down)
{
    sentinel_group group;
    group.sentinel(1).kill();
    const auto got = findings_of(doctor_at(group.url(), {"--json"}), "sentinels");
    ASSERT_THAT(got, SizeIs(1));
    EXPECT_THAT(got[0].at("server").get<std::string>(),
                HasSubstr(std::to_string(group.sentinel(1).port())));
    EXPECT_THAT(got[0].at("seen").get<std::string>(), HasSubstr("Connection refused"));
}

TEST(doctor_at_sentinels, says_that_none_can_be_reached)
{
    sentinel_group group{{.replicas = 0, .sentinels = 1, .quorum = 1}};
    group.sentinel(0).kill();
    const auto got = doctor_at(group.url());
    EXPECT_EQ(got.end, exited(69)) << got.out;
    EXPECT_THAT(got.out, HasSubstr("reachable: "));
}

TEST(doctor_at_cluster, checks_every_primary_and_the_whole)
{
    const redis_cluster cluster;
    const auto got = doctor_at(cluster.url(), {"--json"});
    EXPECT_THAT(findings_of(got, "cluster-state"), SizeIs(3)) << got.out << got.err;
    for (const auto& each : severities(got, "cluster-state")) EXPECT_EQ(each, "ok");
    EXPECT_EQ(severities(got, "cluster-replicas"), words{"ok"});
    EXPECT_EQ(severities(got, "cluster-moves"), words{"ok"});
    EXPECT_THAT(severities(got, "shared-machine"), Contains("warning"));
    EXPECT_THAT(severities(got, "rights"), words({"ok", "ok", "ok"}));
    EXPECT_THAT(findings_of(got, "round-trip"), SizeIs(3));
    EXPECT_EQ(severities(got, "clocks"), words{"ok"});
}

TEST(doctor_at_cluster, tries_the_smallest_rule_and_names_what_is_missing)
{
    redis_cluster cluster;
    for (std::size_t i = 0; i < cluster.size(); ++i) {
        add_clerk(cluster.probe(i), smallest_cluster_rule());
    }
    const auto url = as_clerk(cluster.url());
    const auto got = doctor_at(url, {"--json", "--lock", "stock:1"});
    EXPECT_EQ(severities(got, "rights"), (words{"ok", "ok", "ok"})) << got.out << got.err;
    EXPECT_EQ(severities(got, "lock-keys"), (words{"ok", "ok", "ok"})) << got.out;
    for (const std::string right : {"+ssubscribe", "+spublish", "+hset", "+asking"}) {
        auto rule = smallest_cluster_rule();
        std::erase(rule, right);
        for (std::size_t i = 0; i < cluster.size(); ++i) add_clerk(cluster.probe(i), rule);
        EXPECT_THAT(doctor_at(url).out, HasSubstr("user clerk lacks " + right + " (tried)"));
    }
}

TEST(doctor_at_cluster, shows_what_servers_share_once)
{
    const redis_cluster cluster;
    const auto got = doctor_at(cluster.url());
    const auto first = got.out.find("persistence: ");
    ASSERT_NE(first, std::string::npos) << got.out;
    EXPECT_EQ(got.out.find("persistence: ", first + 1), std::string::npos);
    EXPECT_THAT(got.out, HasSubstr("at    127.0.0.1:"));
}

TEST(doctor_at_quorum, finds_nodes_that_share_a_machine)
{
    quorum_nodes nodes;
    ASSERT_EQ(run_pawl({"quorum", "init", "--url", nodes.url()}).end, exited(0));
    const auto got = doctor_at(nodes.url(), {"--json"});
    EXPECT_EQ(got.end, exited(1)) << got.out << got.err;
    EXPECT_EQ(severities(got, "shared-machine"), (words{"warning", "warning"}));
    EXPECT_EQ(severities(got, "votes"), words{"ok"});
    EXPECT_EQ(severities(got, "rights"), (words{"ok", "ok", "ok"}));
    EXPECT_EQ(severities(got, "persistence"), (words{"ok", "ok", "ok"}));
    EXPECT_THAT(findings_of(got, "same-server"), IsEmpty());
}

TEST(doctor_at_quorum, tries_the_smallest_rule_and_names_what_is_missing)
{
    quorum_nodes nodes;
    const auto give = [&](const words& rule) {
        for (std::size_t i = 0; i < nodes.size(); ++i) add_clerk(nodes.node(i).probe(), rule);
    };
    give(smallest_quorum_rule());
    const auto url = as_clerk(nodes.url());
    const auto got = doctor_at(url, {"--json", "--lock", "stock:1"});
    EXPECT_EQ(severities(got, "rights"), (words{"ok", "ok", "ok"})) << got.out << got.err;
    EXPECT_EQ(severities(got, "lock-keys"), (words{"ok", "ok", "ok"})) << got.out;
    for (const std::string right : {"+subscribe", "+hset", "+scan"}) {
        auto rule = smallest_quorum_rule();
        std::erase(rule, right);
        give(rule);
        EXPECT_THAT(doctor_at(url).out, HasSubstr("user clerk lacks " + right + " (tried)"));
    }
}

TEST(doctor_at_quorum, names_the_nodes_that_do_not_vote)
{
    quorum_nodes nodes;
    nodes.node(1).kill();
    const auto got = doctor_at(nodes.url());
    EXPECT_EQ(got.end, exited(2)) << got.out;
    EXPECT_THAT(got.out, AllOf(HasSubstr("reachable: connect: Connection refused"),
                               HasSubstr("0 of 3 nodes can vote; 2 are needed"),
                               HasSubstr("pawl quorum init")));
}

}  // namespace
}  // namespace pawl::test
