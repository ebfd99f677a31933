// What happens to the command when the lock is lost or pawl is killed.
#include "command.h"

#include <csignal>
#include <sstream>

namespace pawl::test {
namespace {

using steady = std::chrono::steady_clock;

// A command with a child. It prints that it got SIGTERM, and goes on.
const std::string stubborn =
    "trap 'echo term' TERM; " + shell_with_child + "; while :; do sleep 0.01; done";

class run_loss : public command_test {
protected:
    // Until when the lock is certainly on the server, as seen from here. To be called when the next
    // renewal is not near.
    [[nodiscard]] steady::time_point expiry(std::string_view key)
    {
        const auto now = steady::now();
        return now + probe_.ttl(key);
    }

    [[nodiscard]] static steady::time_point death_of(const family& group)
    {
        EXPECT_TRUE(eventually([&] { return !group.any_alive(); }));
        return steady::now();
    }
};

// Waits until the guardian has set its process name.
[[nodiscard]] pid_t guardian_of(pid_t wrapper)
{
    const std::string number = std::to_string(wrapper);
    pid_t found = -1;
    EXPECT_TRUE(eventually([&] {
        std::istringstream children{read_file("/proc/" + number + "/task/" + number + "/children")};
        for (pid_t pid = 0; children >> pid;) {
            const std::string name = read_file("/proc/" + std::to_string(pid) + "/comm");
            if (name == "pawl-guardian\n") found = pid;
        }
        return found > 0;
    }));
    return found;
}

TEST_F(run_loss, a_killed_pawl_run_ends_the_whole_group)
{
    process running = start({"k", "-c", shell_with_child});
    const family group = family_of(running);
    running.signal(SIGKILL);
    EXPECT_TRUE(eventually([&] { return !group.any_alive(); }));
}

TEST_F(run_loss, a_killed_pawl_run_ends_a_group_that_ignores_signals)
{
    process running = start({"k", "-c", "trap '' HUP INT TERM; " + shell_with_child});
    const family group = family_of(running);
    running.signal(SIGKILL);
    EXPECT_TRUE(eventually([&] { return !group.any_alive(); }));
}

TEST_F(run_loss, a_pawl_run_killed_while_it_waits_leaves_nothing)
{
    probe_.must({"SET", "k", "someone", "PX", "600000"});
    process waiting = start({"--verbose", "k", "--", "true"});
    EXPECT_TRUE(eventually([&] { return waiting.err().find("asking") != std::string::npos; }));
    const pid_t guardian = guardian_of(waiting.pid());
    ASSERT_GT(guardian, 0);
    waiting.signal(SIGKILL);
    EXPECT_TRUE(eventually(1s, [&] { return !is_alive(guardian); }));
}

TEST_F(run_loss, a_pawl_run_killed_with_its_guardian_ends_the_command)
{
    process running =
        start({"k", "--", "sh", "-c", "echo shell=$$; echo sleeper=$$; exec sleep 1000"});
    const family group = family_of(running);
    const pid_t guardian = guardian_of(running.pid());
    ASSERT_GT(guardian, 0);
    ::kill(guardian, SIGKILL);
    running.signal(SIGKILL);
    EXPECT_TRUE(eventually([&] { return !group.any_alive(); }));
}

// Waits until the guardian has been replaced.
[[nodiscard]] pid_t next_guardian_of(pid_t wrapper, pid_t former)
{
    pid_t found = former;
    EXPECT_TRUE(eventually([&] {
        found = guardian_of(wrapper);
        return found != former;
    }));
    return found;
}

TEST_F(run_loss, a_killed_guardian_does_not_end_the_command)
{
    process running =
        start({"--lease", "3s", "--on-lost", "echo told", "k", "-c", "echo up; read line; exit 4"});
    EXPECT_EQ(running.line_after("up"), "");
    ::kill(guardian_of(running.pid()), SIGKILL);
    EXPECT_TRUE(eventually([&] {
        return running.err().find("the guardian process was killed") != std::string::npos;
    }));
    // At the fourth renewal, the deadline that the killed guardian knew has passed.
    for (int i = 0; i < 4; ++i) wait_for_renewal("k", 3s);
    running.write("go\n");
    EXPECT_EQ(running.wait(patience), exited(4)) << running.err();
    EXPECT_EQ(running.out(), "up\n");
    EXPECT_EQ(locks(), words{});
}

TEST_F(run_loss, a_killed_guardian_is_replaced_by_another)
{
    process running = start({"k", "-c", "trap '' HUP INT TERM; " + shell_with_child});
    const family group = family_of(running);
    const pid_t first = guardian_of(running.pid());
    ::kill(first, SIGKILL);
    const pid_t second = next_guardian_of(running.pid(), first);
    ASSERT_GT(second, 0);
    EXPECT_TRUE(group.any_alive());
    running.signal(SIGKILL);
    EXPECT_TRUE(eventually([&] { return !group.any_alive() && !is_alive(second); }));
}

TEST_F(run_loss, a_guardian_killed_during_the_wait_is_replaced_before_the_command_runs)
{
    probe_.must({"SET", "k", "someone", "PX", "600000"});
    process running = start({"--verbose", "--lease", "1s", "k", "-c", shell_with_child});
    EXPECT_TRUE(eventually([&] { return running.err().find("asking") != std::string::npos; }));
    const pid_t first = guardian_of(running.pid());
    ::kill(first, SIGKILL);
    EXPECT_TRUE(eventually([&] { return !is_alive(first); }));
    probe_.must({"DEL", "k"});
    const family group = family_of(running);
    EXPECT_NE(next_guardian_of(running.pid(), first), first);
    running.signal(SIGKILL);
    EXPECT_TRUE(eventually([&] { return !group.any_alive(); }));
}

TEST_F(run_loss, the_group_of_a_stopped_pawl_run_is_killed_before_the_lock_is_lost)
{
    process running = start({"--lease", "1500ms", "k", "-c", stubborn});
    const family group = family_of(running);
    wait_for_renewal("k", 1500ms);
    const auto expiry = this->expiry("k");
    running.signal(SIGSTOP);
    EXPECT_LT(death_of(group), expiry);
    std::this_thread::sleep_until(expiry);  // before that, it could still be renewed
    running.signal(SIGCONT);
    EXPECT_EQ(running.wait(patience), exited(79));
    EXPECT_NE(running.err().find("was lost"), std::string::npos) << running.err();
}

TEST_F(run_loss, a_pawl_run_stopped_for_a_moment_goes_on)
{
    process running = start({"--lease", "3s", "--grace", "300ms", "k", "-c", shell_with_child});
    const family group = family_of(running);
    wait_for_renewal("k", 3s);
    running.signal(SIGSTOP);
    // The next renewal was due at two seconds.
    EXPECT_TRUE(eventually([&] { return probe_.ttl("k") < 1900ms; }));
    running.signal(SIGCONT);
    wait_for_renewal("k", 3s);
    EXPECT_TRUE(is_alive(group.shell));
    running.signal(SIGTERM);
    EXPECT_EQ(running.wait(patience), killed_by(SIGTERM)) << running.err();
}

TEST_F(run_loss, a_frozen_server_ends_the_group_before_the_deadline)
{
    process running = start({"--lease", "5s", "--grace", "2s", "--on-lost",
                             "echo lost $PAWL_KEY $PAWL_FENCE $PAWL_HOLDER", "k", "-c",
                             "echo fence=$PAWL_FENCE; " + stubborn});
    const family group = family_of(running);
    wait_for_renewal("k", 5s);
    const std::string holder = probe_.get("k");
    const auto expiry = this->expiry("k");
    server_.freeze();
    EXPECT_TRUE(eventually([&] { return running.out().find("term\n") != std::string::npos; }));
    const auto asked = steady::now();
    const auto died = death_of(group);
    EXPECT_LT(died, expiry);
    EXPECT_GT(died - asked, 300ms);  // a part of the grace period; the rest is for a slow machine
    EXPECT_EQ(running.line_after("lost "), "k " + running.line_after("fence=") + " " + holder);
    EXPECT_EQ(running.wait(patience), exited(79)) << running.err();
    server_.thaw();
}

TEST_F(run_loss, a_command_that_obeys_sigterm_is_not_killed)
{
    process running =
        start({"--lease", "1500ms", "--grace", "500ms", "k", "-c",
               "trap 'echo cleaned up; exit 0' TERM; echo up; while :; do sleep 0.01; done"});
    EXPECT_EQ(running.line_after("up"), "");
    server_.freeze();
    EXPECT_EQ(running.line_after("cleaned up"), "");
    EXPECT_EQ(running.wait(patience), exited(79)) << running.err();
    server_.thaw();
}

TEST_F(run_loss, a_server_that_comes_back_in_time_saves_the_command)
{
    process running = start({"--lease", "3s", "--grace", "300ms", "k", "-c", shell_with_child});
    const family group = family_of(running);
    wait_for_renewal("k", 3s);
    const auto start = steady::now();
    server_.freeze();
    EXPECT_TRUE(always(1200ms, [&] { return is_alive(group.shell); }));
    server_.thaw();
    EXPECT_TRUE(eventually([&] { return probe_.ttl("k") > 2s; }));
    EXPECT_TRUE(always(
        3500ms - std::chrono::duration_cast<std::chrono::milliseconds>(steady::now() - start),
        [&] { return is_alive(group.shell); }));
    running.signal(SIGTERM);
    EXPECT_EQ(running.wait(patience), killed_by(SIGTERM)) << running.err();
}

TEST_F(run_loss, a_deleted_key_ends_the_command)
{
    process running =
        start({"--lease", "1s", "--on-lost", "echo told", "k", "-c", shell_with_child});
    const family group = family_of(running);
    probe_.must({"DEL", "k"});
    EXPECT_EQ(running.wait(patience), exited(79));
    EXPECT_FALSE(group.any_alive());
    EXPECT_EQ(running.line_after("told"), "");
    EXPECT_NE(running.err().find("the lock 'k' is lost (vanished)"), std::string::npos)
        << running.err();
}

TEST_F(run_loss, a_taken_key_ends_a_command_that_ignores_sigterm_and_stays_with_its_new_holder)
{
    process running = start({"--lease", "1s", "--grace", "200ms", "k", "-c", stubborn});
    const family group = family_of(running);
    probe_.must({"SET", "k", "someone", "PX", "600000"});
    EXPECT_EQ(running.wait(patience), exited(79));
    EXPECT_TRUE(eventually([&] { return !group.any_alive(); }));
    EXPECT_EQ(probe_.get("k"), "someone");
    EXPECT_NE(running.out().find("term\n"), std::string::npos);
}

TEST_F(run_loss, a_process_that_outlives_the_command_does_not_outlive_the_lock)
{
    // The shell ends at SIGTERM, its child does not.
    process running =
        start({"--lease", "1s", "--grace", "300ms", "k", "-c",
               "(trap '' TERM; exec sleep 1000) & echo sleeper=$!; echo shell=$$; wait"});
    const family group = family_of(running);
    probe_.must({"DEL", "k"});
    EXPECT_EQ(running.wait(patience), exited(79));
    EXPECT_TRUE(eventually([&] { return !group.any_alive(); }));
}

TEST_F(run_loss, a_killed_pawl_run_ends_the_on_lost_command)
{
    process running =
        start({"--lease", "500ms", "--on-lost", "echo sleeper=$$; echo shell=$$; exec sleep 1000",
               "k", "--", "sleep", "1000"});
    EXPECT_TRUE(eventually([&] { return probe_.exists("k"); }));
    probe_.must({"DEL", "k"});
    const family group = family_of(running);
    EXPECT_TRUE(is_alive(group.shell));
    running.signal(SIGKILL);
    EXPECT_TRUE(eventually([&] { return !group.any_alive(); }));
}

}  // namespace
}  // namespace pawl::test
