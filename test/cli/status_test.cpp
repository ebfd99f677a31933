// The exit status of `pawl run`: that of the command, and pawl's own.
#include "command.h"

#include "support/free_port.h"

#include <csignal>

namespace pawl::test {
namespace {

using run_status = command_test;

TEST_F(run_status, is_zero_after_a_command_that_succeeds)
{
    EXPECT_EQ(run({"k", "--", "true"}).end, exited(0));
}

TEST_F(run_status, is_the_status_of_the_command)
{
    EXPECT_EQ(run({"k", "--", "sh", "-c", "exit 3"}).end, exited(3));
    EXPECT_EQ(run({"k", "--", "sh", "-c", "exit 255"}).end, exited(255));
}

TEST_F(run_status, is_the_status_of_a_shell_command)
{
    const result got = run({"k", "-c", "echo one; exit 5"});
    EXPECT_EQ(got.end, exited(5));
    EXPECT_EQ(got.out, "one\n");
}

TEST_F(run_status, is_the_signal_that_ended_the_command)
{
    for (const int signal : {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGSEGV, SIGUSR1}) {
        const std::string text = "kill -" + std::to_string(signal) + " $$";
        EXPECT_EQ(run({"k", "-c", text}).end, killed_by(signal));
        EXPECT_EQ(locks(), words{});
    }
}

TEST_F(run_status, is_128_plus_the_signal_in_a_shell)
{
    const std::string pawl = std::string{PAWL_COMMAND} + " run --url " + server_.unix_url();
    const result got = finish(process{{"sh", "-c", pawl + " k -c 'kill -TERM $$'; echo $?"}});
    EXPECT_EQ(got.out, std::to_string(128 + SIGTERM) + "\n");
}

TEST_F(run_status, of_a_command_that_returns_130_is_not_a_signal)
{
    EXPECT_EQ(run({"k", "--", "sh", "-c", "exit 130"}).end, exited(130));
}

TEST_F(run_status, is_127_when_the_command_does_not_exist)
{
    const result got = run({"k", "--", "no-such-command-anywhere"});
    EXPECT_EQ(got.end, exited(127));
    EXPECT_EQ(got.err, "pawl: cannot run 'no-such-command-anywhere': No such file or directory\n");
    EXPECT_EQ(run({"k", "--", "/no/such/command"}).end, exited(127));
}

TEST_F(run_status, is_126_when_the_command_cannot_be_run)
{
    const temp_dir files;
    write_file(files.file("script"), "#!/bin/sh\n");
    const result got = run({"k", "--", files.file("script")});
    EXPECT_EQ(got.end, exited(126));
    EXPECT_NE(got.err.find("Permission denied"), std::string::npos) << got.err;
    EXPECT_EQ(run({"k", "--", files.path().string()}).end, exited(126));
}

TEST_F(run_status, leaves_no_lock_behind_in_any_case)
{
    EXPECT_EQ(run({"k", "--", "false"}).end, exited(1));
    EXPECT_EQ(run({"k", "--", "no-such-command-anywhere"}).end, exited(127));
    EXPECT_EQ(locks(), words{});
}

TEST_F(run_status, is_75_when_the_lock_is_busy)
{
    probe_.must({"SET", "k", "someone", "PX", "600000"});
    const result got = run({"-n", "k", "--", "echo", "ran"});
    EXPECT_EQ(got.end, exited(75));
    EXPECT_EQ(got.out, "");
    EXPECT_EQ(got.err, "");
}

TEST_F(run_status, is_the_one_of_option_e_when_the_lock_is_busy)
{
    probe_.must({"SET", "k", "someone", "PX", "600000"});
    EXPECT_EQ(run({"-n", "-E", "9", "k", "--", "true"}).end, exited(9));
    EXPECT_EQ(run({"-n", "-E", "0", "k", "--", "false"}).end, exited(0));
}

TEST_F(run_status, is_65_when_the_key_is_not_a_lock)
{
    probe_.must({"RPUSH", "k", "item"});
    const result got = run({"-n", "k", "--", "true"});
    EXPECT_EQ(got.end, exited(65));
    EXPECT_NE(got.err.find("k"), std::string::npos);
}

TEST_F(run_status, is_69_when_no_server_answers)
{
    const std::string url = "redis://127.0.0.1:" + std::to_string(free_port());
    const result got = run_pawl({"run", "--url", url, "k", "--", "true"});
    EXPECT_EQ(got.end, exited(69));
    EXPECT_NE(got.err.find(url), std::string::npos) << got.err;
}

TEST_F(run_status, is_77_when_the_server_refuses)
{
    probe_.must({"CONFIG", "SET", "requirepass", "secret-one"});
    const std::string url = "redis://:secret-two@127.0.0.1:" + std::to_string(server_.port());
    const result got = run_pawl({"run", "--url", url, "k", "--", "true"});
    EXPECT_EQ(got.end, exited(77));
    EXPECT_EQ(got.err.find("secret"), std::string::npos) << got.err;
    EXPECT_EQ(run({"k", "--", "true"}).end, exited(77));
}

TEST_F(run_status, is_the_status_of_the_command_even_if_the_lock_cannot_be_released)
{
    process running = start({"k", "-c", "echo up; read line; exit 4"});
    EXPECT_EQ(running.line_after("up"), "");
    server_.kill();
    running.write("go\n");
    EXPECT_EQ(running.wait(patience), exited(4));
    EXPECT_NE(running.err().find("could not release the lock"), std::string::npos) << running.err();
}

TEST_F(run_status, is_79_when_the_lock_turns_out_to_be_lost_at_the_end)
{
    process running = start({"--on-lost", "echo told", "k", "-c", "echo up; read line"});
    EXPECT_EQ(running.line_after("up"), "");
    probe_.must({"DEL", "k"});
    running.write("go\n");
    EXPECT_EQ(running.wait(patience), exited(79));
    EXPECT_EQ(running.line_after("told"), "");
}

}  // namespace
}  // namespace pawl::test
