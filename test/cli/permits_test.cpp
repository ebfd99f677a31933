// pawl run with --capacity: permits of a semaphore.
#include "command.h"

#include <csignal>

namespace pawl::test {
namespace {

using run_permits = command_test;

TEST_F(run_permits, let_as_many_commands_run_as_the_capacity_says)
{
    process first = start({"--capacity", "2", "k", "-c", "echo up; read line"});
    process second = start({"--capacity=2", "k", "-c", "echo up; read line"});
    EXPECT_EQ(first.line_after("up"), "");
    EXPECT_EQ(second.line_after("up"), "");
    EXPECT_EQ(run({"--capacity", "2", "-n", "k", "true"}).end, exited(75));
    EXPECT_EQ(run({"--capacity", "2", "-n", "-E", "3", "k", "true"}).end, exited(3));
    first.close_stdin();
    EXPECT_EQ(first.wait(patience), exited(1)) << "the status of the command";
    EXPECT_EQ(run({"--capacity", "2", "-n", "k", "true"}).end, exited(0));
    second.close_stdin();
    EXPECT_TRUE(second.wait(patience));
    EXPECT_EQ(std::stoi(probe_.must({"ZSCORE", "k", "out"}).text), 0);
}

TEST_F(run_permits, are_taken_together)
{
    process most = start({"--capacity", "3", "--permits", "2", "k", "-c", "echo up; read line"});
    EXPECT_EQ(most.line_after("up"), "");
    EXPECT_EQ(run({"--capacity", "3", "--permits", "2", "-n", "k", "true"}).end, exited(75));
    EXPECT_EQ(run({"--capacity", "3", "-n", "k", "true"}).end, exited(0));
}

TEST_F(run_permits, are_waited_for)
{
    process all = start({"--capacity", "2", "--permits", "2", "k", "-c", "echo up; read line"});
    EXPECT_EQ(all.line_after("up"), "");
    process waiting = start({"--capacity", "2", "k", "echo", "ran"});
    EXPECT_TRUE(eventually([&] { return probe_.exists("pawl:queue:{k}"); }));
    all.close_stdin();
    EXPECT_EQ(waiting.wait(patience), exited(0));
    EXPECT_EQ(waiting.line_after("ran"), "");
}

TEST_F(run_permits, are_in_the_environment_like_a_lock)
{
    const result got = run({"--capacity", "2", "k", "-c", "echo $PAWL_KEY $PAWL_FENCE"});
    EXPECT_EQ(got.end, exited(0));
    EXPECT_TRUE(got.out.starts_with("k 1")) << got.out;
}

TEST_F(run_permits, of_another_capacity_are_refused_with_both_numbers)
{
    EXPECT_EQ(run({"--capacity", "2", "k", "true"}).end, exited(0));
    const result got = run({"--capacity", "3", "k", "true"});
    EXPECT_EQ(got.end, exited(77));
    EXPECT_NE(got.err.find("the capacity at the server is 2, and this caller gave 3"),
              std::string::npos)
        << got.err;
}

TEST_F(run_permits, and_a_lock_cannot_have_the_same_key)
{
    process lock = start({"k", "-c", "echo up; read line"});
    EXPECT_EQ(lock.line_after("up"), "");
    EXPECT_EQ(run({"--capacity", "2", "-n", "k", "true"}).end, exited(65));
}

TEST_F(run_permits, can_be_taken_inside_a_command_that_has_others)
{
    const result got = run({"--capacity", "2", "k", PAWL_COMMAND, "run", "--url",
                            server_.unix_url(), "--capacity", "2", "k", "echo", "inside"});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_EQ(got.out, "inside\n");
}

TEST_F(run_permits, come_back_when_pawl_is_killed)
{
    process killed = start({"--capacity", "1", "--lease", "1s", "k", "-c", "echo up; read line"});
    EXPECT_EQ(killed.line_after("up"), "");
    killed.signal(SIGKILL);
    EXPECT_EQ(run({"--capacity", "1", "-w", "10s", "k", "true"}).end, exited(0));
}

}  // namespace
}  // namespace pawl::test
