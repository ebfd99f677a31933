// pawl run with --also: several locks, all or none.
#include "command.h"

#include <csignal>
#include <string>

namespace pawl::test {
namespace {

using several_locks = command_test;

TEST_F(several_locks, are_taken_together)
{
    process both = start({"a", "--also", "b", "--also=c", "--", "sh", "-c", "echo up; read line"});
    EXPECT_EQ(both.line_after("up"), "");
    for (const auto* key : {"a", "b", "c"}) {
        EXPECT_EQ(run({"-n", key, "true"}).end, exited(75)) << key;
    }
    EXPECT_EQ(run({"-n", "b", "--also", "d", "true"}).end, exited(75));
    EXPECT_EQ(run({"-n", "d", "true"}).end, exited(0)) << "none of them was taken";
    both.close_stdin();
    EXPECT_EQ(both.wait(patience), exited(1));
    EXPECT_EQ(run({"-n", "c", "--also", "a", "-c", "echo $PAWL_KEY"}).out, "c\n");
}

TEST_F(several_locks, are_waited_for_in_any_order)
{
    process holder = start({"b", "-c", "echo up; read line"});
    EXPECT_EQ(holder.line_after("up"), "");
    process one = start({"a", "--also", "b", "echo", "ran"});
    process two = start({"b", "--also", "a", "echo", "ran"});
    EXPECT_TRUE(eventually([&] { return probe_.exists("pawl:queue:{b}"); }));
    EXPECT_EQ(run({"-n", "a", "true"}).end, exited(0)) << "nobody waits with it in hand";
    holder.close_stdin();
    EXPECT_EQ(one.wait(patience), exited(0));
    EXPECT_EQ(two.wait(patience), exited(0));
    EXPECT_FALSE(probe_.exists("a"));
    EXPECT_FALSE(probe_.exists("b"));
    EXPECT_FALSE(probe_.exists("pawl:queue:{a}"));
    EXPECT_FALSE(probe_.exists("pawl:queue:{b}"));
}

TEST_F(several_locks, of_which_an_outer_run_has_one_are_not_waited_for)
{
    const result got = run({"b", PAWL_COMMAND, "run", "--url", server_.unix_url(), "a", "--also",
                            "b", "echo", "inside"});
    EXPECT_EQ(got.end, exited(64));
    EXPECT_NE(got.err.find("already runs under the set of locks 'a', 'b'"), std::string::npos)
        << got.err;
}

TEST_F(several_locks, of_an_outer_run_are_recognised)
{
    const result got = run({"a", "--also", "b", PAWL_COMMAND, "run", "--url", server_.unix_url(),
                            "b", "echo", "inside"});
    EXPECT_EQ(got.end, exited(64)) << got.out << got.err;
}

TEST_F(several_locks, are_lost_as_a_whole)
{
    process both = start({"--lease", "2s", "a", "--also", "b", "-c", "echo up; sleep 60"});
    EXPECT_EQ(both.line_after("up"), "");
    probe_.must({"DEL", "b"});
    EXPECT_EQ(both.wait(patience), exited(79));
    EXPECT_FALSE(probe_.exists("a")) << "the rest is given back";
}

TEST_F(several_locks, do_not_go_with_other_kinds)
{
    const auto refused = [this](const words& line, const std::string& why) {
        const result got = run(line);
        EXPECT_EQ(got.end, exited(64));
        EXPECT_NE(got.err.find(why), std::string::npos) << got.err;
    };
    refused({"--capacity", "2", "a", "--also", "b", "true"},
            "--capacity and --also cannot be used together");
    refused({"--shared", "a", "--also", "b", "true"},
            "--shared and --also cannot be used together");
    refused({"a", "--also", "redis://host", "true"}, "'redis://host' is a server");
    refused({"a", "--also", "", "true"}, "lock name is empty");
}

}  // namespace
}  // namespace pawl::test
