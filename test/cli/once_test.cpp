// pawl run --every, and pawl once.
#include "command.h"

#include <gmock/gmock.h>

#include <csignal>

namespace pawl::test {
namespace {

using testing::HasSubstr;

class run_every : public command_test {
protected:
    [[nodiscard]] process start_once(words arguments) const
    {
        arguments.insert(arguments.begin(), {"once", "--url", server_.unix_url()});
        return pawl(arguments);
    }
    [[nodiscard]] result once(const words& arguments) const
    {
        return finish(start_once(arguments));
    }

    [[nodiscard]] static words usage_of(words arguments)
    {
        const result got = run_pawl(arguments);
        EXPECT_EQ(got.end, exited(64)) << got.err;
        return {got.err};
    }
};

TEST_F(run_every, runs_the_command_once_in_a_period)
{
    EXPECT_EQ(run({"--every", "1h", "k", "echo", "ran"}).out, "ran\n");
    const result again = run({"--every", "1h", "k", "echo", "ran"});
    EXPECT_EQ(again.end, exited(75));
    EXPECT_EQ(again.out, "");
    EXPECT_EQ(again.err, "");
    EXPECT_EQ(run({"--every", "1h", "-E", "3", "k", "true"}).end, exited(3));
    EXPECT_EQ(run({"--every", "1h", "-n", "other", "true"}).end, exited(0));
    EXPECT_TRUE(locks().empty());
}

TEST_F(run_every, runs_it_again_in_the_next_period)
{
    EXPECT_EQ(run({"--every", "100ms", "k", "true"}).end, exited(0));
    EXPECT_TRUE(eventually([&] { return !probe_.exists("pawl:mark:{k}"); }));
    EXPECT_EQ(run({"--every", "100ms", "k", "true"}).end, exited(0));
}

TEST_F(run_every, says_with_verbose_why_it_did_not_run)
{
    process running = start({"--every", "1h", "--retry-failed", "k", "-c", "echo up; read line"});
    EXPECT_EQ(running.line_after("up"), "");
    const words same{"-v", "--every", "1h", "--retry-failed", "k", "true"};
    EXPECT_THAT(run(same).err, HasSubstr("it runs now, here or on another machine"));
    running.close_stdin();
    EXPECT_TRUE(running.wait(patience));
    EXPECT_EQ(run(same).end, exited(0)) << "read has failed";
    EXPECT_THAT(run(same).err, HasSubstr("not due for another "));
}

TEST_F(run_every, counts_a_failed_command)
{
    EXPECT_EQ(run({"--every", "1h", "k", "false"}).end, exited(1));
    EXPECT_EQ(run({"--every", "1h", "k", "true"}).end, exited(75));
    EXPECT_EQ(probe_.must({"GET", "pawl:mark:{k}"}).text, "done");
}

TEST_F(run_every, runs_a_failed_command_again_with_retry_failed)
{
    EXPECT_EQ(run({"--every", "1h", "--retry-failed", "k", "false"}).end, exited(1));
    EXPECT_EQ(run({"--every", "1h", "--retry-failed", "k", "/no/such/command"}).end, exited(127));
    EXPECT_EQ(run({"--every", "1h", "--retry-failed", "k", "-c", "kill $$"}).end,
              killed_by(SIGTERM));
    EXPECT_EQ(run({"--every", "1h", "--retry-failed", "k", "true"}).end, exited(0));
    EXPECT_EQ(run({"--every", "1h", "--retry-failed", "k", "true"}).end, exited(75));
}

TEST_F(run_every, runs_again_after_a_crash_with_retry_failed)
{
    const words crash{"--every", "1h", "--lease", "1s", "k", "-c", "echo up; read line"};
    for (const bool retries : {false, true}) {
        probe_.must({"DEL", "k", "pawl:mark:{k}"});
        auto arguments = crash;
        if (retries) arguments.insert(arguments.begin(), "--retry-failed");
        process killed = start(arguments);
        EXPECT_EQ(killed.line_after("up"), "");
        killed.signal(SIGKILL);
        EXPECT_TRUE(eventually([&] { return !probe_.exists("k"); }));
        EXPECT_EQ(run({"--every", "1h", "k", "true"}).end, exited(retries ? 0 : 75));
    }
}

TEST_F(run_every, aligned_periods_end_together)
{
    EXPECT_EQ(run({"--every", "24h", "--aligned", "k", "true"}).end, exited(0));
    const auto now = std::stoll(probe_.must({"TIME"}).items.front().text);
    const auto left = probe_.must({"PTTL", "pawl:mark:{k}"}).integer / 1000;
    EXPECT_NEAR(static_cast<double>((now + left) % 86'400), 86'400 - 1, 3);
}

TEST_F(run_every, counts_a_success_although_a_signal_ends_the_time_that_the_lock_is_kept)
{
    const words job{"--every", "1h", "--retry-failed", "--hold-at-least", "60s", "k", "true"};
    words verbose = job;
    verbose.insert(verbose.begin(), "-v");
    process running = start(verbose);
    EXPECT_TRUE(eventually([&] { return running.err().find("keeping") != std::string::npos; }));
    running.signal(SIGTERM);
    EXPECT_EQ(running.wait(patience), killed_by(SIGTERM));
    EXPECT_EQ(probe_.must({"GET", "pawl:mark:{k}"}).text, "done");
    EXPECT_EQ(run(job).end, exited(75));
}

TEST_F(run_every, has_the_environment_of_a_lock)
{
    const result got = run({"--every", "1h", "k", "-c", "echo $PAWL_KEY $PAWL_FENCE"});
    EXPECT_TRUE(got.out.starts_with("k 1")) << got.out;
}

TEST_F(run_every, does_not_wait_for_itself)
{
    const result got =
        run({"k", PAWL_COMMAND, "run", "--url", server_.unix_url(), "--every", "1h", "k", "true"});
    EXPECT_EQ(got.end, exited(75)) << got.err;
}

TEST_F(run_every, reports_a_lost_lock_as_a_failed_run)
{
    process running = start(
        {"--every", "1h", "--lease", "1s", "--retry-failed", "k", "-c", "echo up; read line"});
    EXPECT_EQ(running.line_after("up"), "");
    probe_.must({"DEL", "k"});
    EXPECT_EQ(running.wait(patience), exited(79));
    EXPECT_FALSE(probe_.exists("pawl:mark:{k}"));
}

TEST_F(run_every, once_ends_with_success_if_there_is_nothing_to_do)
{
    process running = start_once({"--every", "1h", "k", "-c", "echo up; read line; exit 5"});
    EXPECT_EQ(running.line_after("up"), "");
    EXPECT_EQ(once({"--every", "1h", "k", "echo", "ran"}).out, "");
    EXPECT_EQ(once({"--every", "1h", "k", "true"}).end, exited(0)) << "it runs already";
    running.close_stdin();
    EXPECT_EQ(running.wait(patience), exited(5)) << "the status of the command";
    EXPECT_EQ(once({"--every", "1h", "k", "false"}).end, exited(0)) << "not due";
    EXPECT_THAT(once({"-v", "--every", "1h", "k", "false"}).err, HasSubstr("not due for another"));
}

TEST_F(run_every, once_fails_if_the_server_cannot_be_reached)
{
    const result got =
        run_pawl({"once", "--url", "redis://127.0.0.1:1", "--every", "1h", "k", "x"});
    EXPECT_EQ(got.end, exited(69)) << got.err;
}

TEST_F(run_every, mistakes_are_named)
{
    EXPECT_THAT(usage_of({"run", "--aligned", "k", "x"}).front(),
                HasSubstr("--aligned needs --every"));
    EXPECT_THAT(usage_of({"run", "--retry-failed", "k", "x"}).front(),
                HasSubstr("--retry-failed needs --every"));
    EXPECT_THAT(usage_of({"run", "--every", "1h", "-w", "5", "k", "x"}).front(),
                HasSubstr("-w cannot be used with it"));
    EXPECT_THAT(usage_of({"run", "--every", "1h", "--capacity", "5", "k", "x"}).front(),
                HasSubstr("--every and --capacity"));
    EXPECT_THAT(usage_of({"run", "--every", "1x", "k", "x"}).front(), HasSubstr("1x"));
    EXPECT_THAT(usage_of({"run", "--url", server_.unix_url(), "--every", "1ms", "k", "x"}).front(),
                HasSubstr("period: 1 ms (allowed: 10 ms to 366 days)"));
    EXPECT_THAT(usage_of({"once", "k", "x"}).front(), HasSubstr("--every is missing"));
    EXPECT_THAT(usage_of({"once", "--every", "1h", "-w", "5", "k", "x"}).front(), HasSubstr("-w"));
}

}  // namespace
}  // namespace pawl::test
