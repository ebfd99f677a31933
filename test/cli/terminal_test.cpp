// pawl run at a terminal: input, Ctrl-C, Ctrl-Z, and pipelines.
#include "command.h"
#include "pseudo_terminal.h"

namespace pawl::test {
namespace {

class run_terminal : public command_test {
protected:
    [[nodiscard]] std::string pawl_run(const std::string& rest) const
    {
        return std::string{PAWL_COMMAND} + " run --url " + server_.unix_url() + " " + rest;
    }

    // What pawl returned, be it alone or at the head of a pipeline.
    void expect_status(int status)
    {
        terminal_.type("echo status=${PIPESTATUS[0]}.\n");
        terminal_.expect("status=" + std::to_string(status) + ".");
    }

    // The shell says so and shows the command; then it takes commands itself.
    void suspend()
    {
        terminal_.type(ctrl_z);
        terminal_.expect("Stopped");
        terminal_.type("echo shell=$((40+2))\n");
        terminal_.expect("shell=42");
    }

    pseudo_terminal terminal_;
};

TEST_F(run_terminal, a_command_reads_from_it)
{
    terminal_.type(pawl_run("k -c 'echo up; read line; echo got=$line'") + "\n");
    terminal_.expect("up");
    terminal_.type("hello\n");
    terminal_.expect("got=hello");
    expect_status(0);
}

TEST_F(run_terminal, a_command_in_a_pipeline_reads_from_it)
{
    terminal_.type(pawl_run("k -c 'echo up; read line; echo got=$line'") + " | cat\n");
    terminal_.expect("up");
    terminal_.type("hello\n");
    terminal_.expect("got=hello");
    expect_status(0);
}

TEST_F(run_terminal, a_pager_behind_the_command_reads_from_it)
{
    // As `less` does, while the command runs.
    terminal_.type(pawl_run("k -c 'echo up; while :; do sleep 0.01; done'") +
                   " | (read line; echo $line; read line < /dev/tty; echo got=$line)\n");
    terminal_.expect("up");
    terminal_.type("hello\n");
    terminal_.expect("got=hello");
    terminal_.type(ctrl_c);
    expect_status(130);
    EXPECT_EQ(locks(), words{});
}

TEST_F(run_terminal, ctrl_c_ends_the_command)
{
    terminal_.type(pawl_run("k -c 'echo up; while :; do sleep 0.01; done'") + "\n");
    terminal_.expect("up");
    terminal_.type(ctrl_c);
    expect_status(130);
    EXPECT_EQ(locks(), words{});
}

TEST_F(run_terminal, ctrl_c_ends_the_wait)
{
    probe_.must({"SET", "k", "someone"});
    terminal_.type(pawl_run("--verbose k -- true") + "\n");
    terminal_.expect("asking");
    terminal_.type(ctrl_c);
    expect_status(130);
}

TEST_F(run_terminal, ctrl_z_suspends_and_fg_continues_the_command)
{
    terminal_.type(pawl_run("k -c 'echo up; read line; echo got=$line'") + "\n");
    terminal_.expect("up");
    suspend();
    terminal_.type("fg\n");
    terminal_.expect("pawl run");  // the shell shows what it continues
    terminal_.type("hello\n");
    terminal_.expect("got=hello");
    expect_status(0);
}

TEST_F(run_terminal, ctrl_z_suspends_a_command_that_does_not_have_the_terminal)
{
    terminal_.type(
        pawl_run("k -c 'trap \"echo woke\" CONT; echo up; while :; do sleep 0.01; done'") +
        " | cat\n");
    terminal_.expect("up");
    suspend();
    terminal_.type("fg\n");
    terminal_.expect("woke");
    terminal_.type(ctrl_c);
    expect_status(130);
    EXPECT_EQ(locks(), words{});
}

TEST_F(run_terminal, ctrl_z_suspends_the_wait)
{
    probe_.must({"SET", "k", "someone"});
    terminal_.type(pawl_run("--verbose k -- echo r$((1))") + "\n");
    terminal_.expect("asking");
    suspend();
    probe_.must({"DEL", "k"});
    terminal_.type("fg\n");
    terminal_.expect("r1");
    expect_status(0);
}

TEST_F(run_terminal, a_command_suspended_beyond_its_lease_is_killed)
{
    terminal_.type(pawl_run("--lease 700ms k -c 'echo pid=$$.; read line'") + "\n");
    terminal_.expect("pid=");
    terminal_.expect(".");
    const std::size_t at = terminal_.screen().rfind("pid=") + 4;
    const pid_t shell = std::stoi(terminal_.screen().substr(at));
    suspend();
    EXPECT_TRUE(eventually([&] { return !is_alive(shell); }));
    terminal_.type("fg\n");
    terminal_.expect("was lost");
    expect_status(79);
}

TEST_F(run_terminal, modes_that_a_killed_command_left_are_put_right)
{
    // The echo is off in this terminal anyway; erase is something else that programs change.
    terminal_.type("stty erase ^H\n");
    terminal_.type(pawl_run("k -c 'stty erase ^X; echo up; kill -KILL $$'") + "\n");
    terminal_.expect("up");
    expect_status(137);
    terminal_.type("stty -a | tr ';' '\\n' | grep erase\n");
    terminal_.expect("erase = ^H");
}

}  // namespace
}  // namespace pawl::test
