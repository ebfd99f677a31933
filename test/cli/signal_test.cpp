// Signals to pawl, while it waits and while the command runs.
#include "command.h"

#include <csignal>
#include <filesystem>
#include <sstream>

namespace pawl::test {
namespace {

using run_signals = command_test;

TEST_F(run_signals, end_the_wait)
{
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        probe_.must({"SET", "k", "someone", "PX", "600000"});
        process waiting = start({"--verbose", "k", "--", "echo", "ran"});
        EXPECT_TRUE(eventually([&] { return waiting.err().find("asking") != std::string::npos; }));
        waiting.signal(signal);
        EXPECT_EQ(waiting.wait(patience), killed_by(signal)) << waiting.err();
        EXPECT_EQ(waiting.out(), "");

        // No waiter is left that would take the lock when it becomes free.
        EXPECT_EQ(probe_.get("k"), "someone");
        probe_.must({"DEL", "k"});
        EXPECT_EQ(locks(), words{});
    }
}

TEST_F(run_signals, end_a_wait_for_a_server_that_does_not_answer)
{
    server_.freeze();
    process waiting = start({"--verbose", "k", "--", "true"});
    EXPECT_TRUE(eventually([&] { return waiting.err().find("asking") != std::string::npos; }));
    waiting.signal(SIGINT);
    EXPECT_EQ(waiting.wait(patience), killed_by(SIGINT));
}

TEST_F(run_signals, reach_all_processes_of_the_commands_group)
{
    process running = start({"k", "-c", shell_with_child});
    const family group = family_of(running);
    running.signal(SIGTERM);
    EXPECT_EQ(running.wait(patience), killed_by(SIGTERM));
    EXPECT_TRUE(eventually([&] { return !group.any_alive(); }));
    EXPECT_EQ(locks(), words{});
}

TEST_F(run_signals, can_be_handled_by_the_command)
{
    process running = start({"k", "-c",
                             "trap 'echo usr1' USR1; trap 'echo int; exit 8' INT; echo up; while "
                             ":; do sleep 0.01; done"});
    EXPECT_EQ(running.line_after("up"), "");
    running.signal(SIGUSR1);
    EXPECT_EQ(running.line_after("usr1"), "");
    running.signal(SIGINT);
    EXPECT_EQ(running.wait(patience), exited(8));
    EXPECT_EQ(running.line_after("int"), "");
}

TEST_F(run_signals, that_were_ignored_stay_ignored)
{
    process running{{"nohup", PAWL_COMMAND, "run", "--url", server_.unix_url(), "k", "-c",
                     "echo up; read line; exit 5"}};
    EXPECT_EQ(running.line_after("up"), "");
    running.signal(SIGHUP);
    running.write("go\n");
    EXPECT_EQ(running.wait(patience), exited(5));
}

TEST_F(run_signals, have_the_same_mask_and_actions_in_the_command_as_without_pawl)
{
    const auto masks_of = [](const std::string& status) {
        return status.substr(status.find("SigBlk"), status.find("SigCgt") - status.find("SigBlk"));
    };
    process bare{{"cat", "/proc/self/status"}};
    const result without = finish(std::move(bare));
    const result with = run({"k", "--", "cat", "/proc/self/status"});
    EXPECT_EQ(masks_of(with.out), masks_of(without.out));
}

TEST_F(run_signals, no_process_is_left_behind)
{
    process running = start({"k", "-c", "echo up; read line"});
    EXPECT_EQ(running.line_after("up"), "");
    const std::string children = "/proc/" + std::to_string(running.pid()) + "/task/" +
                                 std::to_string(running.pid()) + "/children";
    std::vector<pid_t> all;
    std::istringstream list{read_file(children)};
    for (pid_t pid = 0; list >> pid;) all.push_back(pid);
    EXPECT_EQ(all.size(), 2U);  // the guardian and the command
    running.close_stdin();
    EXPECT_TRUE(running.wait(patience));
    for (const pid_t pid : all) {
        EXPECT_FALSE(std::filesystem::exists("/proc/" + std::to_string(pid)));
    }
}

}  // namespace
}  // namespace pawl::test
