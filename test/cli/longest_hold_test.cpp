// pawl run --longest-hold
#include "command.h"

namespace pawl::test {
namespace {

class run_longest_hold : public command_test {};

TEST_F(run_longest_hold, ends_a_command_that_takes_too_long_before_the_time_is_over)
{
    process running = start({"--longest-hold", "3s", "--grace", "500ms", "--on-lost", "echo told",
                             "k", "-c", "echo up; " + shell_with_child});
    const family group = family_of(running);
    const auto begin = std::chrono::steady_clock::now();  // later than the grant
    EXPECT_TRUE(eventually([&] { return !group.any_alive(); }));
    const auto lived = std::chrono::steady_clock::now() - begin;
    EXPECT_GT(lived, 1s) << running.err();
    EXPECT_LT(lived, 3s) << running.err();
    EXPECT_EQ(running.wait(patience), exited(79)) << running.err();
    EXPECT_NE(running.err().find("(held too long): ending the command"), std::string::npos)
        << running.err();
    EXPECT_EQ(running.line_after("told"), "");
    EXPECT_EQ(locks(), words{});
}

TEST_F(run_longest_hold, kills_a_command_that_ignores_sigterm)
{
    process running = start({"--longest-hold", "2s", "--grace", "300ms", "k", "-c",
                             "trap '' TERM; " + shell_with_child});
    const family group = family_of(running);
    EXPECT_EQ(running.wait(patience), exited(79)) << running.err();
    EXPECT_FALSE(group.any_alive());
}

TEST_F(run_longest_hold, does_not_affect_a_command_that_ends_in_time)
{
    EXPECT_EQ(run({"--longest-hold", "20s", "k", "--", "sh", "-c", "exit 4"}).end, exited(4));
    EXPECT_EQ(locks(), words{});
}

TEST_F(run_longest_hold, shorter_than_hold_at_least_is_refused)
{
    const result got = run({"--longest-hold", "10s", "--hold-at-least", "1m", "k", "--", "true"});
    EXPECT_EQ(got.end, exited(64));
    EXPECT_NE(got.err.find("--hold-at-least"), std::string::npos) << got.err;
}

TEST_F(run_longest_hold, is_described_in_the_help)
{
    EXPECT_NE(run_pawl({"run", "--help"}).out.find("--longest-hold DURATION"), std::string::npos);
}

}  // namespace
}  // namespace pawl::test
