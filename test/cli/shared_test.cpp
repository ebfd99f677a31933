// pawl run with --shared and --writer: the two sides of a shared lock.
#include "command.h"

#include <string>

namespace pawl::test {
namespace {

using run_shared = command_test;

TEST_F(run_shared, readers_run_together_and_exclude_a_writer)
{
    process one = start({"--shared", "k", "-c", "echo up; read line"});
    process two = start({"-s", "k", "-c", "echo up; read line"});
    EXPECT_EQ(one.line_after("up"), "");
    EXPECT_EQ(two.line_after("up"), "");
    EXPECT_EQ(run({"--writer", "-n", "k", "true"}).end, exited(75));
    one.close_stdin();
    two.close_stdin();
    EXPECT_TRUE(one.wait(patience));
    EXPECT_TRUE(two.wait(patience));
    EXPECT_EQ(run({"--writer", "-n", "k", "true"}).end, exited(0));
}

TEST_F(run_shared, a_writer_excludes_readers_and_writers)
{
    process writer = start({"--writer", "k", "-c", "echo up; read line"});
    EXPECT_EQ(writer.line_after("up"), "");
    EXPECT_EQ(run({"--shared", "-n", "k", "true"}).end, exited(75));
    EXPECT_EQ(run({"--writer", "-n", "k", "true"}).end, exited(75));
    process reader = start({"--shared", "k", "echo", "ran"});
    EXPECT_TRUE(eventually([&] { return probe_.exists("pawl:queue:{k}"); }));
    writer.close_stdin();
    EXPECT_EQ(reader.wait(patience), exited(0));
}

TEST_F(run_shared, another_kind_of_lock_with_the_same_key_is_refused)
{
    process reader = start({"--shared", "k", "-c", "echo up; read line"});
    EXPECT_EQ(reader.line_after("up"), "");
    EXPECT_EQ(run({"-n", "k", "true"}).end, exited(65));
    EXPECT_EQ(run({"-n", "-x", "k", "true"}).end, exited(65));
}

TEST_F(run_shared, readers_may_be_nested)
{
    const result got = run({"--shared", "k", PAWL_COMMAND, "run", "--url", server_.unix_url(),
                            "--shared", "k", "echo", "inside"});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_EQ(got.out, "inside\n");
}

TEST_F(run_shared, options_that_contradict_each_other_are_refused)
{
    for (const words& line : {words{"-s", "-x", "k", "true"}, words{"-s", "--writer", "k", "true"},
                              words{"--writer", "--capacity", "2", "k", "true"}}) {
        const result got = run(line);
        EXPECT_EQ(got.end, exited(64));
        EXPECT_NE(got.err.find("cannot be used together"), std::string::npos) << got.err;
    }
}

}  // namespace
}  // namespace pawl::test
