// What the doctor says about Clusters, sentinels, quorums and servers that do not answer.
#include "doctor/cluster_nodes.h"
#include "unit/doctor_fixture.h"

namespace pawl::test {
namespace {

using namespace doctor;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// As 7.0 and later say it, with host names, and one line as before.
constexpr std::string_view three_primaries =
    "aaa 10.0.0.1:6379@16379,host-1 myself,master - 0 0 1 connected 0-5460\n"
    "bbb 10.0.0.2:6379@16379 master - 0 1700000000000 2 connected 5461-10922\n"
    "ccc 10.0.0.3:6379@16379,,tls-port=0 master - 0 1700000000000 3 connected 10923-16383\n"
    "ddd 10.0.0.2:6380@16380 slave aaa 0 1700000000000 1 connected\n"
    "eee 10.0.0.3:6380@16380 slave bbb 0 1700000000000 2 connected\n"
    "fff 10.0.0.1:6380@16380 slave ccc 0 1700000000000 3 connected\n";

std::vector<cluster_node> nodes_with(std::string_view from, std::string_view to)
{
    std::string text{three_primaries};
    text.replace(text.find(from), from.size(), to);
    return cluster_nodes_in(text);
}

class doctor_on_cluster : public doctor_checks {
protected:
    doctor_on_cluster() { at_.kind = store_kind::cluster; }
    void cluster(std::string_view text) { server_.cluster.values = fields::of_lines(text); }
};

TEST_F(doctor_on_cluster, reads_the_nodes)
{
    const auto nodes = cluster_nodes_in(three_primaries);
    ASSERT_THAT(nodes, SizeIs(6));
    EXPECT_EQ(nodes[0].address, "10.0.0.1:6379");
    EXPECT_EQ(nodes[0].host, "10.0.0.1");
    EXPECT_EQ(nodes[0].slots, 5461U);
    EXPECT_EQ(nodes[3].primary, "aaa");
    EXPECT_THAT(cluster_nodes_in("not a node\n\n"), IsEmpty());
    EXPECT_EQ(nodes_with("0-5460", "0-9223372036854775807")[0].slots, 0U);
}

TEST_F(doctor_on_cluster, is_content_with_a_good_one)
{
    const auto nodes = cluster_nodes_in(three_primaries);
    for (const auto check : {check_cluster_nodes, check_cluster_primaries, check_cluster_replicas,
                             check_cluster_machines}) {
        EXPECT_THAT(check(nodes), ElementsAre(Field(&finding::severity, severity::ok)));
    }
}

TEST_F(doctor_on_cluster, finds_what_is_wrong_with_nodes)
{
    const auto failed = nodes_with("slave bbb", "slave,fail bbb");
    EXPECT_EQ(only(check_cluster_nodes(failed)).seen, "failing or not connected: 10.0.0.3:6380");
    EXPECT_THAT(only(check_cluster_replicas(failed)).seen, HasSubstr("10.0.0.2:6379"));
    const auto together = nodes_with("10.0.0.2:6380", "10.0.0.1:6381");
    EXPECT_EQ(only(check_cluster_machines(together)).seen,
              "10.0.0.1:6379 and its replicas are on one machine");
    const auto two = nodes_with("10.0.0.2:6379", "10.0.0.1:6390");
    EXPECT_THAT(only(check_cluster_machines(two)).seen,
                HasSubstr("2 of 3 primaries are on 10.0.0.1"));
    EXPECT_EQ(only(check_cluster_primaries(
                       cluster_nodes_in("a h:1@2 master - 0 0 1 connected 0-16383\n")))
                  .severity,
              severity::warning);
}

TEST_F(doctor_on_cluster, gathers_the_moving_slots_of_all_nodes)
{
    std::vector<server_facts> servers(2);
    for (auto& each : servers) each.nodes = cluster_nodes_in(three_primaries);
    EXPECT_EQ(only(check_cluster_moves(servers)).severity, severity::ok);
    servers[1].nodes = nodes_with("0-5460", "0-5460 [93->-bbb]");
    EXPECT_EQ(only(check_cluster_moves(servers)).seen, "1 slot is being moved");
    servers[0].nodes = nodes_with("5461-10922", "5461-10922 [93-<-aaa] [94-<-aaa]");
    EXPECT_EQ(only(check_cluster_moves(servers)).seen, "2 slots are being moved");
    servers[0].nodes.clear();
    servers[1].nodes = cluster_nodes_in(three_primaries);
    EXPECT_EQ(only(check_cluster_moves(servers)).seen,
              "no slot is being moved, as far as is known: 1 primary does not tell");
}

TEST_F(doctor_on_cluster, wants_all_slots_to_be_served)
{
    cluster("cluster_state:ok\r\ncluster_slots_assigned:16384\r\ncluster_slots_fail:0\r\n");
    EXPECT_EQ(severity_of(check_cluster_state), severity::ok);
    cluster("cluster_state:ok\r\ncluster_slots_assigned:16380\r\n");
    EXPECT_EQ(severity_of(check_cluster_state), severity::fault);
    cluster("cluster_state:fail\r\ncluster_slots_assigned:16384\r\ncluster_slots_fail:5461\r\n");
    EXPECT_EQ(of(check_cluster_state).seen,
              "cluster_state:fail, 16384 of 16384 slots have a primary, 5461 are failing");
    at_.kind = store_kind::one_server;
    EXPECT_THAT(check_cluster_state(server_, at_), IsEmpty());
}

TEST_F(doctor_on_cluster, notes_slow_failovers_and_full_coverage)
{
    config("cluster-node-timeout", "1000");
    EXPECT_EQ(severity_of(check_cluster_timeout), severity::ok);
    config("cluster-node-timeout", "15000");
    EXPECT_EQ(severity_of(check_cluster_timeout), severity::note);
    config("cluster-node-timeout", "9223372036854775807");
    EXPECT_EQ(severity_of(check_cluster_timeout), severity::note) << "no overflow";
    config("cluster-require-full-coverage", "yes");
    EXPECT_EQ(severity_of(check_cluster_coverage), severity::note);
    config("cluster-require-full-coverage", "no");
    EXPECT_EQ(severity_of(check_cluster_coverage), severity::ok);
}

class doctor_on_sentinels : public testing::Test {
protected:
    static sentinel_facts sentinel(const std::string& name, const std::string& primary = "10.0.0.1",
                                   const std::string& others = "2", const std::string& quorum = "2")
    {
        return {.server = name,
                .problem = {},
                .primary = fields::of_pairs({"ip", primary, "port", "6379", "flags", "master",
                                             "num-slaves", "2", "num-other-sentinels", others,
                                             "quorum", quorum, "down-after-milliseconds", "1000"})};
    }
    static severity only(const findings& all)
    {
        EXPECT_THAT(all, SizeIs(1));
        return all.empty() ? severity::ok : all.front().severity;
    }
    const std::vector<sentinel_facts> good_{sentinel("a"), sentinel("b"), sentinel("c")};
};

TEST_F(doctor_on_sentinels, is_content_with_three_that_agree)
{
    EXPECT_EQ(only(check_sentinels(good_)), severity::ok);
    EXPECT_EQ(only(check_sentinel_agreement(good_)), severity::ok);
    EXPECT_EQ(only(check_sentinel_quorum(good_)), severity::ok);
    EXPECT_EQ(only(check_sentinel_timeout(good_, {})), severity::ok);
    EXPECT_EQ(only(check_sentinel_replicas(good_)), severity::ok);
    EXPECT_EQ(only(check_sentinel_primary(good_)), severity::ok);
}

TEST_F(doctor_on_sentinels, finds_too_few_and_unnamed_ones)
{
    EXPECT_EQ(
        only(check_sentinels({sentinel("a", "10.0.0.1", "1"), sentinel("b", "10.0.0.1", "1")})),
        severity::warning);
    EXPECT_EQ(only(check_sentinels({sentinel("a")})), severity::note) << "the URL names one of 3";
    auto with_dead = good_;
    with_dead[1] = {.server = "b", .problem = "connect: Connection refused"};
    const auto got = check_sentinels(with_dead);
    EXPECT_EQ(only(got), severity::warning);
    EXPECT_EQ(got[0].server, "b");
}

TEST_F(doctor_on_sentinels, finds_disagreement)
{
    EXPECT_EQ(only(check_sentinel_agreement({sentinel("a"), sentinel("b", "10.0.0.2")})),
              severity::fault);
    EXPECT_EQ(only(check_sentinel_agreement({sentinel("a"), sentinel("b", "10.0.0.1", "2", "1")})),
              severity::warning);
}

TEST_F(doctor_on_sentinels, checks_the_quorum_and_the_timeout)
{
    EXPECT_EQ(only(check_sentinel_quorum({sentinel("a", "10.0.0.1", "2", "4")})), severity::fault);
    EXPECT_EQ(only(check_sentinel_quorum({sentinel("a", "10.0.0.1", "2", "1")})), severity::note);
    EXPECT_EQ(only(check_sentinel_timeout(good_, {.command_limit = 500ms})), severity::warning);
}

TEST_F(doctor_on_sentinels, survives_numbers_that_make_no_sense)
{
    auto one = sentinel("a", "10.0.0.1", "9223372036854775807", "9223372036854775807");
    EXPECT_EQ(only(check_sentinels({one})), severity::note);
    EXPECT_EQ(only(check_sentinel_quorum({one})), severity::ok);
    one.primary = fields::of_pairs({"down-after-milliseconds", "9223372036854775807"});
    EXPECT_EQ(only(check_sentinel_timeout({one}, {})), severity::warning);
}

TEST_F(doctor_on_sentinels, checks_the_primary)
{
    auto one = sentinel("a");
    one.primary = fields::of_pairs({"flags", "s_down,o_down,master", "num-slaves", "0"});
    EXPECT_EQ(only(check_sentinel_primary({one})), severity::fault);
    EXPECT_EQ(only(check_sentinel_replicas({one})), severity::fault);
    one.primary = fields::of_pairs({"flags", "master", "num-slaves", "1"});
    EXPECT_EQ(only(check_sentinel_replicas({one})), severity::note);
}

node_info node(const std::string& name, node_state state)
{
    node_info got;
    got.server = name;
    got.state = state;
    return got;
}

TEST(doctor_on_quorum, counts_the_nodes_that_can_vote)
{
    using enum node_state;
    const auto good = check_votes({node("a", voting), node("b", voting), node("c", voting)});
    ASSERT_THAT(good, SizeIs(1));
    EXPECT_EQ(good[0].severity, severity::ok);
    auto waiting = node("c", quarantined);
    waiting.quarantine_left = 9s;
    const auto two = check_votes({node("a", voting), node("b", voting), waiting});
    ASSERT_THAT(two, SizeIs(1));
    EXPECT_EQ(two[0].severity, severity::warning);
    EXPECT_EQ(two[0].seen, "in quarantine for 9 s");
    const auto one = check_votes({node("a", voting), node("b", unreachable), waiting});
    ASSERT_THAT(one, SizeIs(3));
    EXPECT_EQ(one[2].severity, severity::fault);
}

TEST(doctor_on_quorum, sees_nodes_that_are_one_server_or_on_one_machine)
{
    std::vector<server_facts> nodes(3);
    for (auto& each : nodes) each.info.values = fields::of_lines("run_id:x\r\n");
    EXPECT_THAT(check_same_server(nodes), SizeIs(2));
    const circumstances at{.kind = store_kind::quorum};
    const auto shared = check_machines(
        {{"a", {"10.0.0.1"}}, {"b", {"10.0.0.2", "10.0.0.1"}}, {"c", {"10.0.0.3"}}}, at);
    ASSERT_THAT(shared, SizeIs(1));
    EXPECT_EQ(shared[0].severity, severity::warning);
    EXPECT_EQ(shared[0].seen, "it is on the same machine as a (10.0.0.1)");
    const auto unknown = check_machines({{"a", {"10.0.0.1"}}, {"b", {}}}, at);
    ASSERT_THAT(unknown, SizeIs(1));
    EXPECT_FALSE(unknown[0].checked);
    EXPECT_EQ(unknown[0].seen, "not checked: no address was found for b");
    const auto apart = check_machines({{"a", {"10.0.0.1"}}, {"b", {"10.0.0.2"}}}, at);
    ASSERT_THAT(apart, SizeIs(1));
    EXPECT_EQ(apart[0].severity, severity::ok);
}

TEST(doctor_on_quorum, wants_nodes_alike_and_without_replicas)
{
    std::vector<server_facts> nodes(2);
    nodes[0].info.values = fields::of_lines("aof_enabled:1\r\nconnected_slaves:1\r\n");
    nodes[1].info.values = fields::of_lines("aof_enabled:0\r\nconnected_slaves:0\r\n");
    EXPECT_THAT(check_node_persistence(nodes),
                ElementsAre(Field(&finding::severity, severity::note)));
    EXPECT_THAT(check_node_replicas(nodes),
                ElementsAre(Field(&finding::severity, severity::warning)));
    nodes[0] = nodes[1];
    EXPECT_THAT(check_node_persistence(nodes), IsEmpty());
    EXPECT_THAT(check_node_replicas(nodes), IsEmpty());
}

TEST(doctor_without_a_server, says_why_and_what_to_do)
{
    const auto of = [](core::failure_kind what, const std::string& detail) {
        return unreachable("redis://a:6379", {.what = what, .detail = detail});
    };
    using kind = core::failure_kind;
    const auto refused = of(kind::unreachable, "connect: Connection refused");
    EXPECT_EQ(refused.check, "reachable");
    EXPECT_EQ(refused.severity, severity::fault);
    EXPECT_THAT(refused.advice, HasSubstr("start the server"));
    EXPECT_THAT(of(kind::unreachable, "host 'nowhere': Name or service not known").advice,
                HasSubstr("DNS"));
    EXPECT_THAT(of(kind::no_reply, "").advice, HasSubstr("firewall"));
    for (const auto* detail :
         {"WRONGPASS invalid username-password pair or user is disabled.",
          "NOAUTH HELLO must be called with the client already authenticated",
          "DENIED Redis is running in protected mode because", "TLS: certificate has expired",
          "the server is a Sentinel; use redis+sentinel://", "something else"}) {
        EXPECT_EQ(of(kind::refused, detail).check, "login") << detail;
    }
    EXPECT_THAT(of(kind::refused, "DENIED Redis is running in protected mode").advice,
                HasSubstr("protected-mode no"));
}

TEST_F(doctor_checks, of_a_server_that_does_not_answer_are_left_out)
{
    server_.problem = core::failure{.what = core::failure_kind::unreachable,
                                    .detail = "connect: Connection refused"};
    EXPECT_THAT(check_server(server_, at_),
                ElementsAre(AllOf(Field(&finding::check, "reachable"),
                                  Field(&finding::severity, severity::fault))));
    at_.kind = store_kind::quorum;
    EXPECT_THAT(check_server(server_, at_),
                ElementsAre(Field(&finding::severity, severity::warning)))
        << "the other nodes can vote";
}

TEST_F(doctor_checks, all_say_why_and_what_to_do_unless_it_is_fine)
{
    for (const auto text : {redis_6, redis_7, valkey_9}) {
        info(text);
        for (const auto& each : check_server(server_, at_)) {
            EXPECT_NE(each.seen, "") << each.check;
            EXPECT_EQ(each.server, "redis://a:6379");
            EXPECT_EQ(each.why.empty(), each.severity == severity::ok) << each.check;
        }
    }
}

}  // namespace
}  // namespace pawl::test
