// pawl latch and pawl barrier: what they wait for, and their exit statuses.
#include "command.h"

#include "support/free_port.h"

#include <csignal>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace pawl::test {
namespace {

class gate_command : public command_test {
protected:
    // `pawl COMMAND --url … ARGUMENTS`
    [[nodiscard]] process start_gate(const std::string& command, const words& arguments) const
    {
        words all{command, "--url", server_.unix_url()};
        all.insert(all.end(), arguments.begin(), arguments.end());
        return pawl(all);
    }
    [[nodiscard]] result latch(const words& arguments) const
    {
        return finish(start_gate("latch", arguments));
    }
    [[nodiscard]] result barrier(const words& arguments) const
    {
        return finish(start_gate("barrier", arguments));
    }
    [[nodiscard]] bool until_queued(std::int64_t count)
    {
        return eventually(
            [&] { return probe_.must({"LLEN", "pawl:queue:{k}"}).integer == 2 * count; });
    }
};

TEST_F(gate_command, a_latch_opens_when_it_was_counted_down)
{
    process first = start_gate("latch", {"--count", "3", "k"});
    process second = start_gate("latch", {"--count=3", "-w", "1h", "k"});
    ASSERT_TRUE(until_queued(2));
    EXPECT_EQ(latch({"--count", "3", "--down", "k"}).end, exited(0));
    EXPECT_TRUE(first.running());
    EXPECT_EQ(latch({"--count", "3", "k", "--down=2"}).end, exited(0));
    EXPECT_EQ(first.wait(patience), exited(0)) << first.err();
    EXPECT_EQ(second.wait(patience), exited(0)) << second.err();
    EXPECT_EQ(first.out() + first.err(), "");
}

TEST_F(gate_command, a_latch_that_is_not_open_in_time_ends_with_status_75)
{
    EXPECT_EQ(latch({"--count", "1", "-n", "k"}).end, exited(75));
    EXPECT_EQ(latch({"--count", "1", "-w", "50ms", "k"}).end, exited(75));
    EXPECT_EQ(latch({"--count", "1", "-n", "-E", "3", "k"}).end, exited(3));
    EXPECT_EQ(latch({"--count", "1", "--down", "k"}).end, exited(0));
    EXPECT_EQ(latch({"--count", "1", "-n", "k"}).end, exited(0));
    EXPECT_TRUE(until_queued(0));
}

TEST_F(gate_command, a_latch_refuses_another_number_and_too_many_counts)
{
    EXPECT_EQ(latch({"--count", "2", "--down", "k"}).end, exited(0));
    const result other = latch({"--count", "3", "--down", "k"});
    EXPECT_EQ(other.end, exited(77));
    EXPECT_NE(other.err.find("expects 2 arrivals, and not 3"), std::string::npos) << other.err;
    EXPECT_EQ(latch({"--count", "2", "--down=2", "k"}).end, exited(77));
    EXPECT_EQ(barrier({"--count", "2", "k"}).end, exited(65));
}

TEST_F(gate_command, a_barrier_waits_for_all_participants_phase_after_phase)
{
    for (int phase = 0; phase < 2; ++phase) {
        std::vector<process> early;
        for (int i = 0; i < 2; ++i) early.push_back(start_gate("barrier", {"--count", "3", "k"}));
        ASSERT_TRUE(until_queued(2));
        const result last = barrier({"--count", "3", "-v", "k"});
        EXPECT_EQ(last.end, exited(0));
        EXPECT_NE(last.err.find("arrived at the barrier 'k'"), std::string::npos) << last.err;
        for (process& each : early) EXPECT_EQ(each.wait(patience), exited(0)) << each.err();
    }
}

TEST_F(gate_command, a_barrier_counts_an_arrival_whose_wait_ended_early)
{
    EXPECT_EQ(barrier({"--count", "2", "-w", "50ms", "k"}).end, exited(75));
    EXPECT_EQ(barrier({"--count", "2", "k"}).end, exited(0));
}

TEST_F(gate_command, a_signal_ends_the_wait_and_leaves_nothing_in_the_queue)
{
    for (const std::string command : {"latch", "barrier"}) {
        probe_.must({"FLUSHALL"});
        process waiting = start_gate(command, {"--count", "2", "k"});
        ASSERT_TRUE(until_queued(1));
        waiting.signal(SIGTERM);
        EXPECT_EQ(waiting.wait(patience), killed_by(SIGTERM));
        EXPECT_TRUE(until_queued(0));
    }
}

TEST_F(gate_command, a_server_that_is_not_there_is_unreachable)
{
    const std::string nowhere = "redis://127.0.0.1:" + std::to_string(free_port());
    for (const words& arguments :
         {words{"latch", "--count", "1", "k"}, words{"latch", "--count", "1", "--down", "k"},
          words{"barrier", "--count", "1", "k"}}) {
        words all = arguments;
        all.insert(all.end(), {"--url", nowhere});
        EXPECT_EQ(run_pawl(all).end, exited(69));
    }
}

TEST_F(gate_command, a_key_may_begin_with_a_dash)
{
    EXPECT_EQ(latch({"--count", "1", "--down", "--", "-k"}).end, exited(0));
    EXPECT_TRUE(probe_.exists("-k"));
}

TEST_F(gate_command, mistakes_are_wrong_usage)
{
    const std::vector<std::pair<words, std::string>> mistakes{
        {{"latch", "k"}, "--count"},
        {{"latch", "--count", "2"}, "KEY"},
        {{"latch", "--count", "0", "k"}, "--count"},
        {{"latch", "--count", "1000001", "k"}, "--count"},
        {{"latch", "--count", "2", "--down", "-w", "1s", "k"}, "--down does not wait"},
        {{"latch", "--count", "2", "--down=0", "k"}, "--down"},
        {{"latch", "--count", "2", "-n", "-w", "1s", "k"}, "-n and -w"},
        {{"latch", "--count", "2", "--url", "memory:", "k"}, "use local:"},
        {{"barrier", "k"}, "--count"},
        {{"barrier", "--count", "2", "--down", "k"}, "--down"},
        {{"barrier", "--count", "2", "--require-remote", "k"}, "--require-remote requires"},
    };
    for (const auto& [arguments, said] : mistakes) {
        const result got = run_pawl(arguments);
        EXPECT_EQ(got.end, exited(64)) << said;
        EXPECT_NE(got.err.find(said), std::string::npos) << got.err;
    }
}

}  // namespace
}  // namespace pawl::test
