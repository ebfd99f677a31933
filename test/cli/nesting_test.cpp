// pawl run inside the command of another pawl run.
#include "command.h"

#include <csignal>

namespace pawl::test {
namespace {

class nested_run : public command_test {
protected:
    // A command line for a shell.
    [[nodiscard]] static std::string pawl_run(const std::string& url, const std::string& rest)
    {
        return std::string{PAWL_COMMAND} + " run --url " + url + " " + rest;
    }
};

TEST_F(nested_run, of_the_same_lock_fails_at_once)
{
    // The second URL is another address of the same server.
    for (const std::string& url : {server_.unix_url(), server_.url()}) {
        const result got = run({"k", "-c", pawl_run(url, "k -- echo ran") + "; echo inner=$?"});
        EXPECT_EQ(got.end, exited(0));
        EXPECT_EQ(got.out, "inner=64\n");
        EXPECT_EQ(got.err,
                  "pawl: this command already runs under the lock 'k': it would wait for itself\n");
    }
}

// The lock cannot become free within the limit, so this fails like a wait without a limit.
TEST_F(nested_run, of_the_same_lock_with_a_limit_fails_at_once_too)
{
    const result got =
        run({"k", "-c", pawl_run(server_.unix_url(), "-w 1h k -- echo ran") + "; echo inner=$?"});
    EXPECT_EQ(got.out, "inner=64\n");
    EXPECT_EQ(got.err,
              "pawl: this command already runs under the lock 'k': it would wait for itself\n");
}

// A shell loop around pawl ends only if the signal ends pawl.
TEST_F(nested_run, is_ended_by_a_signal_while_the_server_does_not_answer)
{
    server_.freeze();
    for (const int signal : {SIGINT, SIGTERM}) {
        process asking = pawl({"run", "--verbose", "--url", server_.unix_url(), "k", "--", "true"},
                              {"PAWL_HOLDER=someone"});
        EXPECT_TRUE(eventually([&] { return asking.err().find("asking") != std::string::npos; }));
        asking.signal(signal);
        EXPECT_EQ(asking.wait(patience), killed_by(signal)) << asking.err();
    }
}

TEST_F(nested_run, of_the_same_lock_fails_at_once_at_any_depth)
{
    const std::string url = server_.unix_url();
    const result got =
        run({"a", "--", PAWL_COMMAND, "run", "--url", url, "b", "--", PAWL_COMMAND, "run", "--url",
             url, "c", "-c", pawl_run(url, "a -- echo ran") + "; echo inner=$?"});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_EQ(got.out, "inner=64\n");
}

TEST_F(nested_run, that_does_not_wait_gets_the_status_for_a_busy_lock)
{
    const std::string inner = pawl_run(server_.unix_url(), "-n k -- echo ran");
    const result got = run({"k", "-c", inner + "; echo inner=$?"});
    EXPECT_EQ(got.out, "inner=75\n");
    EXPECT_EQ(got.err, "");
}

TEST_F(nested_run, of_another_lock_works)
{
    const result got = run({"k", "-c", pawl_run(server_.unix_url(), "other -- echo ran")});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_EQ(got.out, "ran\n");
}

TEST_F(nested_run, of_the_same_name_on_another_server_works)
{
    redis_server other;
    const result got = run({"k", "-c", pawl_run(other.unix_url(), "k -- echo ran")});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_EQ(got.out, "ran\n");
}

// A process that the command left running has the environment of a run that has ended.
TEST_F(nested_run, that_outlives_the_outer_run_gets_the_lock)
{
    const std::string holder = run({"k", "-c", "echo $PAWL_HOLDER"}).out;
    const words environment{"PAWL_KEY=k", "PAWL_HOLDER=" + holder.substr(0, holder.find('\n'))};
    const words again{"run", "--url", server_.unix_url(), "-w", "0.1", "k", "--", "true"};
    EXPECT_EQ(run_pawl(again, environment).end, exited(0));
    probe_.must({"SET", "k", "someone", "PX", "600000"});
    EXPECT_EQ(run_pawl(again, environment).end, exited(75));
}

}  // namespace
}  // namespace pawl::test
