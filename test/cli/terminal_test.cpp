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

    // A command that neither reads nor writes and is not a shell: a shell that is about to start a
    // command may miss a signal.
    [[nodiscard]] std::string sleeper(const std::string& options) const
    {
        return pawl_run(options + " k -c 'echo pid=$$.; exec sleep 1000'");
    }

    [[nodiscard]] pid_t run_sleeper(const std::string& options, const std::string& rest)
    {
        return type_and_await_sleeper(sleeper(options) + " " + rest);
    }

    // A command line that runs sleeper() in some way.
    [[nodiscard]] pid_t type_and_await_sleeper(const std::string& line)
    {
        terminal_.type(line + "\n");
        terminal_.expect("pid=");
        terminal_.expect(".");
        const std::string& screen = terminal_.screen();
        const pid_t pid = std::stoi(screen.substr(screen.rfind("pid=") + 4));
        const std::string name = "/proc/" + std::to_string(pid) + "/comm";
        EXPECT_TRUE(eventually([&] { return read_file(name) == "sleep\n"; }));
        return pid;
    }

    // The status of pawl, alone or at the head of a pipeline.
    void expect_status(int status)
    {
        terminal_.type("echo status=${PIPESTATUS[0]}.\n");
        terminal_.expect("status=" + std::to_string(status) + ".");
    }

    // Waits until the shell shows the suspended command and accepts commands.
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

TEST_F(run_terminal, a_pager_after_the_command_reads_from_it)
{
    // Like `less`, while the command runs.
    const pid_t sleeper =
        run_sleeper("", "| (read line; echo $line; read line < /dev/tty; echo got=$line)");
    terminal_.type("hello\n");
    terminal_.expect("got=hello");
    EXPECT_TRUE(is_alive(sleeper));
    terminal_.type(ctrl_c);
    expect_status(130);
    EXPECT_EQ(locks(), words{});
}

TEST_F(run_terminal, ctrl_c_ends_the_command)
{
    const pid_t sleeper = run_sleeper("", "");
    terminal_.type(ctrl_c);
    expect_status(130);
    EXPECT_FALSE(is_alive(sleeper));
    EXPECT_EQ(locks(), words{});
}

TEST_F(run_terminal, ctrl_c_ends_the_wait)
{
    probe_.must({"SET", "k", "someone", "PX", "600000"});
    terminal_.type(pawl_run("--verbose k -- true") + "\n");
    terminal_.expect("asking");
    terminal_.type(ctrl_c);
    expect_status(130);
}

TEST_F(run_terminal, ctrl_c_ends_a_loop_around_the_command)
{
    for (const char* rest : {"", " | cat"}) {
        const pid_t sleeping =
            type_and_await_sleeper("while :; do " + sleeper("") + rest + "; done");
        terminal_.type(ctrl_c);
        // If the loop went on, the shell would not read this.
        expect_status(130);
        EXPECT_FALSE(is_alive(sleeping));
        EXPECT_EQ(locks(), words{});
    }
}

// The script is in pawl's process group, not in the command's.
TEST_F(run_terminal, ctrl_c_ends_a_script_around_the_command)
{
    const temp_dir files;
    for (const char* rest : {"", " | cat"}) {
        write_file(files.file("script"), "while :; do " + sleeper("") + rest + "; done\n");
        for (const char* shell : {"bash ", "sh "}) {
            const pid_t sleeping = type_and_await_sleeper(shell + files.file("script"));
            terminal_.type(ctrl_c);
            expect_status(130);
            EXPECT_FALSE(is_alive(sleeping));
        }
    }
}

TEST_F(run_terminal, ctrl_c_ends_a_loop_around_the_wait)
{
    probe_.must({"SET", "k", "someone", "PX", "600000"});
    terminal_.type("while :; do " + pawl_run("--verbose k -- true") + "; done\n");
    terminal_.expect("asking");
    terminal_.type(ctrl_c);
    expect_status(130);
}

TEST_F(run_terminal, ctrl_c_ends_a_loop_while_the_lock_is_kept)
{
    terminal_.type("while :; do " + pawl_run("-v --hold-at-least 1h k -- true") + "; done\n");
    terminal_.expect("keeping");
    terminal_.type(ctrl_c);
    expect_status(130);
    EXPECT_EQ(locks(), words{});
}

TEST_F(run_terminal, ctrl_c_ends_a_command_with_hold_at_least)
{
    for (const char* rest : {"", " | cat"}) {
        const pid_t sleeping = run_sleeper("--hold-at-least 1h", rest);
        terminal_.type(ctrl_c);
        expect_status(130);
        EXPECT_FALSE(is_alive(sleeping));
        EXPECT_EQ(locks(), words{});
    }
}

TEST_F(run_terminal, ctrl_c_that_the_command_handles_does_not_end_a_loop)
{
    const std::string command = "k -c 'trap \"exit 0\" INT; echo up; while :; do sleep 0.01; done'";
    terminal_.type("while :; do " + pawl_run(command) + "; done\n");
    terminal_.expect("up");
    terminal_.type(ctrl_c);
    terminal_.expect("up");
}

TEST_F(run_terminal, ctrl_z_suspends_and_fg_continues_the_command)
{
    terminal_.type(pawl_run("k -c 'echo up; read line; echo got=$line'") + "\n");
    terminal_.expect("up");
    suspend();
    terminal_.type("fg\n");
    terminal_.expect("pawl run");  // the shell shows the command that it continues
    terminal_.type("hello\n");
    terminal_.expect("got=hello");
    expect_status(0);
}

TEST_F(run_terminal, ctrl_z_suspends_a_command_that_does_not_have_the_terminal)
{
    const pid_t sleeper = run_sleeper("", "| cat");
    suspend();
    EXPECT_EQ(state_of(sleeper), 'T');
    terminal_.type("fg\n");
    EXPECT_TRUE(eventually([&] { return state_of(sleeper) == 'S'; }));
    terminal_.type(ctrl_c);
    expect_status(130);
    EXPECT_EQ(locks(), words{});
}

TEST_F(run_terminal, a_wait_is_announced_with_its_limit)
{
    probe_.must({"SET", "k", "someone", "PX", "600000"});
    terminal_.type(pawl_run("k -- true") + "\n");
    terminal_.expect("pawl: waiting for the lock 'k' on unix:");
    terminal_.expect(", for as long as it takes");
    terminal_.type(ctrl_c);
    expect_status(130);
    terminal_.type(pawl_run("-w 1h k -- true") + "\n");
    terminal_.expect("pawl: waiting for the lock 'k' on unix:");
    terminal_.expect(", for 3600 s at most");
    terminal_.type(ctrl_c);
    expect_status(130);
}

TEST_F(run_terminal, a_short_wait_is_not_announced)
{
    probe_.must({"SET", "k", "someone", "PX", "600000"});
    terminal_.type(pawl_run("-w 0.2 k -- true") + "\n");
    expect_status(75);
    EXPECT_EQ(terminal_.screen().find("waiting for"), std::string::npos) << terminal_.screen();
}

TEST_F(run_terminal, ctrl_z_suspends_the_wait)
{
    probe_.must({"SET", "k", "someone", "PX", "600000"});
    terminal_.type(pawl_run("--verbose --lease 1s k -- echo r$((1))") + "\n");
    terminal_.expect("asking");
    suspend();
    probe_.must({"DEL", "k"});
    terminal_.type("fg\n");
    terminal_.expect("r1");
    expect_status(0);
}

TEST_F(run_terminal, a_command_suspended_beyond_its_lease_is_killed)
{
    const pid_t sleeper = run_sleeper("--lease 700ms", "");
    suspend();
    EXPECT_TRUE(eventually([&] { return !is_alive(sleeper); }));
    terminal_.type("fg\n");
    terminal_.expect("was lost");
    expect_status(79);
}

TEST_F(run_terminal, modes_that_a_killed_command_left_are_restored)
{
    // Echo is off in this terminal anyway, so another mode is changed: erase.
    terminal_.type("stty erase ^H\n");
    terminal_.type(pawl_run("k -c 'stty erase ^X; echo up; kill -KILL $$'") + "\n");
    terminal_.expect("up");
    expect_status(137);
    terminal_.type("stty -a | tr ';' '\\n' | grep erase\n");
    terminal_.expect("erase = ^H");
}

}  // namespace
}  // namespace pawl::test
