// pawl quorum, and pawl run on a quorum.
#include "command.h"
#include "support/quorum_nodes.h"

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>

namespace pawl::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using steady = std::chrono::steady_clock;

class quorum_command : public testing::Test {
protected:
    [[nodiscard]] result pawl_there(words arguments) const
    {
        return run_pawl(arguments, {"PAWL_URL=" + nodes_.url()});
    }

    quorum_nodes nodes_;
};

TEST_F(quorum_command, new_nodes_are_in_quarantine_until_init)
{
    const auto before = pawl_there({"quorum", "show"});
    EXPECT_EQ(before.end, exited(69));
    EXPECT_THAT(before.out,
                AllOf(HasSubstr("in quarantine"), HasSubstr("0 of 3 nodes can vote; 2 are needed"),
                      HasSubstr("if this is a new installation, use: pawl quorum "
                                "init")));
    const auto refused = pawl_there({"run", "-n", "key", "--", "true"});
    EXPECT_EQ(refused.end, exited(69));
    EXPECT_THAT(refused.err, HasSubstr("pawl quorum init"));
    const auto init = pawl_there({"quorum", "init"});
    EXPECT_EQ(init.end, exited(0)) << init.err;
    EXPECT_THAT(init.out, HasSubstr("3 of 3 nodes can vote"));
    EXPECT_EQ(pawl_there({"quorum", "show"}).end, exited(0));
}

TEST_F(quorum_command, does_not_say_that_a_lock_is_free_if_the_nodes_do_not_tell)
{
    ASSERT_EQ(pawl_there({"quorum", "init"}).end, exited(0));
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        nodes_.node(i).probe().must({"RPUSH", "key", "x"});
    EXPECT_THAT(pawl_there({"quorum", "show", "key"}).out,
                AllOf(HasSubstr("no node names a holder of 'key'; see the problems above\n"),
                      Not(HasSubstr("has no holder"))));
}

TEST_F(quorum_command, shows_what_each_node_says_of_a_lock)
{
    ASSERT_EQ(pawl_there({"quorum", "init"}).end, exited(0));
    const words show{"quorum", "show", "key", "--url", nodes_.url()};
    EXPECT_THAT(pawl_there(show).out, HasSubstr("'key' has no holder at any node that answers\n"));
    words inside{"run", "key", "--", PAWL_COMMAND};
    inside.insert(inside.end(), show.begin(), show.end());
    const auto got = pawl_there(inside);
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_THAT(got.out,
                AllOf(HasSubstr("3 of 3 nodes can vote"),
                      ContainsRegex("node +holder +fence +lease +waiting +problem\n"),
                      ContainsRegex("[23] of 3 nodes have voted for 'p[0-9a-f]{31}'; 2 are "
                                    "needed to hold 'key'\n")));
    EXPECT_THAT(got.out, ContainsRegex(" 'p[0-9a-f]{31}' +[0-9]{16} +[23][0-9.]* s +0 *\n"));
}

TEST_F(quorum_command, shows_where_a_key_is_not_a_lock_and_which_node_is_silent)
{
    ASSERT_EQ(pawl_there({"quorum", "init"}).end, exited(0));
    nodes_.node(0).probe().must({"RPUSH", "key", "a"});
    nodes_.node(1).probe().must({"SET", "key", "of-another-library"});
    nodes_.node(2).kill();
    const auto got = pawl_there({"quorum", "show", "key"});
    EXPECT_EQ(got.end, exited(0)) << "two nodes can vote";
    const auto line = [&](std::size_t node, const std::string& rest) {
        return ContainsRegex(nodes_.node(node).url() + " +" + rest + "\n");
    };
    EXPECT_THAT(got.out,
                AllOf(line(0, "0 +not a lock: the key has another type"),
                      line(1, "'of-another-library' +no end +0 *"), line(2, "unreachable"),
                      HasSubstr("1 of 3 nodes have voted for 'of-another-library'; 2 are needed")));
}

TEST_F(quorum_command, refuses_an_empty_key)
{
    const auto got = pawl_there({"quorum", "show", ""});
    EXPECT_EQ(got.end, exited(64));
    EXPECT_EQ(got.out, "");
    EXPECT_EQ(got.err, "pawl: lock name is empty (allowed: 1 to 512 bytes, any but NUL)\n");
}

TEST_F(quorum_command, runs_under_a_lock_of_a_quorum)
{
    ASSERT_EQ(pawl_there({"quorum", "init"}).end, exited(0));
    nodes_.node(1).kill();
    const auto got = pawl_there({"run", "key", "--", "echo", "ran"});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_EQ(got.out, "ran\n");
    const auto shown = pawl_there({"quorum", "show"});
    EXPECT_EQ(shown.end, exited(0));
    EXPECT_THAT(shown.out, AllOf(HasSubstr("unreachable"), HasSubstr("Connection refused"),
                                 HasSubstr("2 of 3 nodes can vote"),
                                 HasSubstr("check that the unreachable nodes run")));
}

TEST_F(quorum_command, run_on_a_new_installation_says_what_to_do_whether_it_waits_or_not)
{
    for (const auto& wait : {words{"run", "-n"}, words{"run", "--wait", "1s"}}) {
        auto arguments = wait;
        arguments.insert(arguments.end(), {"key", "--", "true"});
        const auto got = pawl_there(arguments);
        EXPECT_EQ(got.end, exited(69));
        for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_THAT(got.err, HasSubstr(nodes_.node(i).url() + ": in quarantine for 6"));
        }
        EXPECT_THAT(got.err, HasSubstr("pawl quorum init"));
    }
}

TEST_F(quorum_command, run_names_the_nodes_that_are_down)
{
    ASSERT_EQ(pawl_there({"quorum", "init"}).end, exited(0));
    nodes_.node(0).kill();
    nodes_.node(2).kill();
    for (const auto& wait : {words{"run", "-n"}, words{"run", "--wait", "1s"}}) {
        auto arguments = wait;
        arguments.insert(arguments.end(), {"key", "--", "true"});
        const auto got = pawl_there(arguments);
        EXPECT_EQ(got.end, exited(69));
        EXPECT_THAT(got.err,
                    AllOf(HasSubstr("1 of 3 nodes can vote, 2 are needed"),
                          HasSubstr(nodes_.node(0).url() + ": connect: Connection refused"),
                          HasSubstr(nodes_.node(2).url() + ": connect: Connection refused"),
                          HasSubstr("check that most of the nodes run")));
    }
}

TEST_F(quorum_command, finds_the_nodes_and_their_password_in_a_settings_file)
{
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        nodes_.node(i).probe().must({"CONFIG", "SET", "requirepass", "hush"});
    }
    const temp_dir dir;
    write_file(dir.file("secret"), "hush\n");
    write_file(dir.file("pawl.conf"),
               "url = " + nodes_.url() + "\npassword_file = " + dir.file("secret") + "\n");
    const words there{"PAWL_CONFIG=" + dir.file("pawl.conf")};
    const auto init = run_pawl({"quorum", "init"}, there);
    EXPECT_EQ(init.end, exited(0)) << init.err;
    EXPECT_THAT(init.out, HasSubstr("3 of 3 nodes can vote"));
    const auto got = run_pawl({"run", "key", "--", "echo", "ran"}, there);
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_EQ(got.out, "ran\n");
}

TEST_F(quorum_command, a_nested_run_of_another_lock_works)
{
    ASSERT_EQ(pawl_there({"quorum", "init"}).end, exited(0));
    const auto got = pawl_there({"run", "a", "--", PAWL_COMMAND, "run", "b", "--", PAWL_COMMAND,
                                 "run", "c", "--", "echo", "ran"});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_EQ(got.out, "ran\n");
    EXPECT_EQ(got.err, "");
}

TEST_F(quorum_command, a_nested_run_under_one_on_another_server_works)
{
    ASSERT_EQ(pawl_there({"quorum", "init"}).end, exited(0));
    const redis_server other;
    const auto got = pawl_there({"run", "--url", other.unix_url(), "key", "--", PAWL_COMMAND, "run",
                                 "key", "--", "echo", "ran"});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_EQ(got.out, "ran\n");
}

TEST_F(quorum_command, a_nested_run_of_the_same_lock_fails_at_once)
{
    ASSERT_EQ(pawl_there({"quorum", "init"}).end, exited(0));
    const std::string inner = std::string{PAWL_COMMAND} + " run -w 1h a -- echo ran; echo inner=$?";
    const words directly{"run", "a", "-c", inner};
    const words deeper{"run", "a", "--", PAWL_COMMAND, "run", "b", "-c", inner};
    for (const auto& line : {directly, deeper}) {
        const auto got = pawl_there(line);
        EXPECT_EQ(got.end, exited(0));
        EXPECT_EQ(got.out, "inner=64\n");
        EXPECT_EQ(got.err,
                  "pawl: this command already runs under the lock 'a': it would wait for itself\n");
    }
}

TEST_F(quorum_command, a_nested_run_of_the_same_lock_fails_too_while_a_node_is_down)
{
    ASSERT_EQ(pawl_there({"quorum", "init"}).end, exited(0));
    nodes_.node(0).kill();
    const auto got = pawl_there(
        {"run", "a", "-c", std::string{PAWL_COMMAND} + " run -w 1h a -- echo ran; echo inner=$?"});
    EXPECT_EQ(got.out, "inner=64\n");
    EXPECT_THAT(got.err, HasSubstr("this command already runs under the lock 'a'"));
}

// docs/guide.md promises a second for each of them. The limits of a client are two and three.
TEST(quorum_of_five_command, a_nested_run_waits_for_a_second_for_each_node_that_does_not_answer)
{
    quorum_nodes nodes{{.nodes = 5}};
    for (const std::size_t node : {2U, 3U, 4U}) {
        nodes.node(node).probe().must({"SET", "a", "someone", "PX", "600000"});
    }
    for (const std::size_t node : {0U, 1U}) nodes.node(node).freeze();
    const auto begin = steady::now();
    const auto got = run_pawl({"run", "-w", "1h", "a", "--", "echo", "ran"},
                              {"PAWL_URL=" + nodes.url(), "PAWL_HOLDER=someone"});
    const auto took = steady::now() - begin;
    EXPECT_EQ(got.end, exited(64)) << got.err;
    EXPECT_THAT(got.err, HasSubstr("this command already runs under the lock 'a'"));
    EXPECT_GE(took, 2s);
    EXPECT_LT(took, 4s);
}

// Without the signal, it would ask for three seconds.
TEST(quorum_of_five_command, ctrl_c_ends_a_nested_run_at_once_while_nodes_do_not_answer)
{
    quorum_nodes nodes{{.nodes = 5}};
    for (const std::size_t node : {0U, 1U, 2U}) nodes.node(node).freeze();
    process asking = pawl({"run", "--verbose", "a", "--", "true"},
                          {"PAWL_URL=" + nodes.url(), "PAWL_HOLDER=someone"});
    EXPECT_TRUE(eventually([&] { return asking.err().find("asking") != std::string::npos; }));
    const auto begin = steady::now();
    asking.signal(SIGINT);
    EXPECT_EQ(asking.wait(patience), killed_by(SIGINT)) << asking.err();
    EXPECT_LT(steady::now() - begin, 1s);
}

// A process that the command left running has the environment of a run that has ended. One node
// may not have heard of the release.
TEST_F(quorum_command, a_nested_run_that_outlives_the_outer_run_gets_the_lock)
{
    ASSERT_EQ(pawl_there({"quorum", "init"}).end, exited(0));
    const std::string holder = pawl_there({"run", "a", "-c", "printf $PAWL_HOLDER"}).out;
    ASSERT_NE(holder, "");
    nodes_.node(0).probe().must({"SET", "a", holder, "PX", "600000"});
    const auto got = run_pawl({"run", "-w", "1m", "a", "--", "echo", "ran"},
                              {"PAWL_URL=" + nodes_.url(), "PAWL_HOLDER=" + holder});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_EQ(got.out, "ran\n");
}

TEST_F(quorum_command, init_refuses_nodes_with_locks)
{
    ASSERT_EQ(pawl_there({"quorum", "init"}).end, exited(0));
    ASSERT_EQ(pawl_there({"run", "key", "--", "true"}).end, exited(0));
    const auto again = pawl_there({"quorum", "init"});
    EXPECT_EQ(again.end, exited(77));
    EXPECT_THAT(again.err, HasSubstr("has or had locks"));
    EXPECT_EQ(pawl_there({"quorum", "init", "--force"}).end, exited(0));
}

TEST_F(quorum_command, init_needs_all_nodes)
{
    nodes_.node(1).kill();
    const auto got = pawl_there({"quorum", "init"});
    EXPECT_EQ(got.end, exited(69));
    EXPECT_THAT(got.err, AllOf(HasSubstr("all nodes are needed; " + nodes_.node(1).url() +
                                         ": connect: Connection refused"),
                               HasSubstr("check that all nodes run")));
}

TEST_F(quorum_command, refuses_a_url_of_one_server)
{
    const auto got = run_pawl({"quorum", "show", "--url", nodes_.node(0).url()});
    EXPECT_EQ(got.end, exited(64));
    EXPECT_THAT(got.err, HasSubstr("the URL names no quorum (allowed: redlock:URL,URL,URL)"));
}

}  // namespace
}  // namespace pawl::test
