// The private server behind `local:`, and `pawl local`.
#include "command.h"

#include <csignal>
#include <filesystem>
#include <sys/stat.h>

namespace pawl::test {
namespace {

namespace fs = std::filesystem;

class local_server : public testing::Test {
protected:
    ~local_server() override
    {
        fs::permissions(runtime_.path(), fs::perms::owner_all);
        if (fs::exists(directory_)) fs::permissions(directory_, fs::perms::owner_all);
        EXPECT_EQ(pawl_here({"local", "stop", "--force"}).end, exited(0));
    }

    [[nodiscard]] words environment() const { return {"PAWL_LOCAL_DIR=" + runtime_.file("pawl")}; }

    [[nodiscard]] process start_here(const words& arguments) const
    {
        return pawl(arguments, environment());
    }

    [[nodiscard]] result pawl_here(const words& arguments) const
    {
        return run_pawl(arguments, environment());
    }

    // The redis-server processes of this directory.
    [[nodiscard]] std::vector<pid_t> servers() const
    {
        std::vector<pid_t> found;
        for (const auto& entry : fs::directory_iterator{"/proc"}) {
            const std::string shown = read_file(entry.path() / "cmdline");
            if (shown.find("redis-server") == std::string::npos) continue;
            if (shown.find(directory_) == std::string::npos) continue;
            found.push_back(std::stoi(entry.path().filename()));
        }
        return found;
    }

    temp_dir runtime_;
    std::string directory_ = runtime_.file("pawl");
    std::string socket_ = directory_ + "/redis.sock";
};

TEST_F(local_server, is_started_on_first_use_with_a_notice)
{
    const result got = pawl_here({"run", "k", "--", "echo", "ran"});
    EXPECT_EQ(got.end, exited(0));
    EXPECT_EQ(got.out, "ran\n");
    EXPECT_NE(got.err.find("the lock covers only this user's processes on this machine"),
              std::string::npos)
        << got.err;
    EXPECT_EQ(servers().size(), 1U);
}

TEST_F(local_server, is_started_without_a_notice_when_it_was_named)
{
    const result got = pawl_here({"run", "--url", "local:", "k", "--", "true"});
    EXPECT_EQ(got.end, exited(0));
    EXPECT_EQ(got.err, "");
}

TEST_F(local_server, is_measured_with_a_notice_if_no_server_is_named)
{
    const result got = pawl_here({"bench", "--only", "ping", "--seconds", "0.05"});
    EXPECT_EQ(got.end, exited(0));
    EXPECT_NE(got.err.find("nor a settings file names a server"), std::string::npos) << got.err;
    EXPECT_EQ(servers().size(), 1U);
}

TEST_F(local_server, is_started_once_when_twenty_processes_need_it_at_once)
{
    std::vector<process> all;
    for (int i = 0; i < 20; ++i) {
        all.push_back(start_here({"run", "k" + std::to_string(i), "--", "true"}));
    }
    for (process& one : all) EXPECT_EQ(one.wait(2 * patience), exited(0)) << one.err();
    EXPECT_EQ(servers().size(), 1U);
}

TEST_F(local_server, gives_a_lock_to_one_process_at_a_time)
{
    process running = start_here({"run", "k", "-c", "echo up; read line"});
    EXPECT_EQ(running.line_after("up"), "");
    EXPECT_EQ(pawl_here({"run", "-n", "k", "--", "true"}).end, exited(75));
    EXPECT_EQ(pawl_here({"run", "-n", "other", "--", "true"}).end, exited(0));
}

TEST_F(local_server, is_private)
{
    ASSERT_EQ(pawl_here({"run", "k", "--", "true"}).end, exited(0));
    struct stat found{};
    ASSERT_EQ(::stat(directory_.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 07777U, 0700U);
    redis_probe probe = redis_probe::unix_socket(socket_);
    const auto setting = [&](std::string_view name) {
        return probe.must({"CONFIG", "GET", name}).texts().at(1);
    };
    EXPECT_EQ(setting("port"), "0");
    EXPECT_EQ(setting("save"), "");
    EXPECT_EQ(setting("appendonly"), "no");
    EXPECT_EQ(setting("maxmemory-policy"), "noeviction");
    EXPECT_EQ(setting("unixsocketperm"), "700");
}

TEST_F(local_server, inherits_nothing_from_the_process_that_started_it)
{
    // `cat` reads until no process has the pipe open.
    process running{{"env", environment().at(0), "SECRET=hush", "sh", "-c",
                     std::string{PAWL_COMMAND} + " run k -- echo line | cat"}};
    EXPECT_EQ(running.wait(patience), exited(0));
    ASSERT_EQ(servers().size(), 1U);
    const std::string server = "/proc/" + std::to_string(servers().front());
    EXPECT_EQ(read_file(server + "/environ").find("hush"), std::string::npos);
    const std::string status = read_file(server + "/status");
    EXPECT_NE(status.find("SigBlk:\t0000000000000000\n"), std::string::npos) << status;
}

TEST_F(local_server, status_shows_whether_it_is_running)
{
    const result before = pawl_here({"local", "status"});
    EXPECT_EQ(before.end, exited(1));
    EXPECT_EQ(before.out, "not running; it would listen on " + socket_ + "\n");

    process running = start_here({"run", "k", "-c", "echo up; read line"});
    EXPECT_EQ(running.line_after("up"), "");
    const result then = pawl_here({"local", "status"});
    EXPECT_EQ(then.end, exited(0));
    EXPECT_EQ(then.out, "running\nprocess  " + std::to_string(servers().at(0)) + "\nsocket   " +
                            socket_ + "\nlocks    1\n");
}

TEST_F(local_server, status_counts_locks_in_all_databases)
{
    process first = start_here({"run", "k", "-c", "echo up; read line"});
    EXPECT_EQ(first.line_after("up"), "");
    process second = start_here({"run", "--url", "local:?db=3", "k", "-c", "echo up; read line"});
    EXPECT_EQ(second.line_after("up"), "");
    const result got = pawl_here({"local", "status"});
    EXPECT_NE(got.out.find("locks    2\n"), std::string::npos) << got.out;
}

TEST_F(local_server, status_does_not_count_waiters)
{
    process running = start_here({"run", "k", "-c", "echo up; read line"});
    EXPECT_EQ(running.line_after("up"), "");
    const process waiting = start_here({"run", "k", "--", "true"});
    redis_probe probe = redis_probe::unix_socket(socket_);
    EXPECT_TRUE(eventually([&] { return probe.exists("pawl:queue:{k}"); }));
    const result got = pawl_here({"local", "status"});
    EXPECT_NE(got.out.find("locks    1\n"), std::string::npos) << got.out;
}

TEST_F(local_server, status_and_stop_report_that_its_socket_was_removed)
{
    ASSERT_EQ(pawl_here({"run", "k", "--", "true"}).end, exited(0));
    fs::remove(socket_);
    for (const char* command : {"status", "stop"}) {
        const result got = pawl_here({"local", command});
        EXPECT_EQ(got.end, exited(69));
        EXPECT_NE(got.err.find("`pawl local stop --force` ends it"), std::string::npos) << got.err;
    }
    EXPECT_EQ(servers().size(), 1U);
}

TEST_F(local_server, stop_ends_it)
{
    EXPECT_EQ(pawl_here({"local", "stop"}).end, exited(0));  // nothing to do
    ASSERT_EQ(pawl_here({"run", "k", "--", "true"}).end, exited(0));
    EXPECT_EQ(pawl_here({"local", "stop"}).end, exited(0));
    EXPECT_EQ(servers().size(), 0U);
    EXPECT_EQ(pawl_here({"local", "status"}).end, exited(1));
    EXPECT_EQ(pawl_here({"run", "k", "--", "true"}).end, exited(0));
}

TEST_F(local_server, stop_is_refused_while_locks_are_held)
{
    process running = start_here({"run", "--lease", "1s", "k", "-c", "echo up; read line"});
    EXPECT_EQ(running.line_after("up"), "");
    const result got = pawl_here({"local", "stop"});
    EXPECT_EQ(got.end, exited(75));
    EXPECT_NE(got.err.find("1 lock is held"), std::string::npos) << got.err;

    // The refusal did not affect the holder.
    running.write("go\n");
    EXPECT_EQ(running.wait(patience), exited(0)) << running.err();
}

// The server remembers all of them for a day.
TEST_F(local_server, stop_ends_it_when_nobody_holds_a_permit_and_all_have_arrived)
{
    ASSERT_EQ(pawl_here({"run", "--capacity", "2", "seats", "--", "true"}).end, exited(0));
    ASSERT_EQ(pawl_here({"latch", "--count", "1", "--down", "ready"}).end, exited(0));
    ASSERT_EQ(pawl_here({"barrier", "--count", "1", "phase"}).end, exited(0));
    EXPECT_EQ(pawl_here({"local", "stop"}).end, exited(0));
}

TEST_F(local_server, stop_is_refused_while_a_permit_is_held_or_an_arrival_is_missing)
{
    ASSERT_EQ(pawl_here({"latch", "--count", "2", "--down", "ready"}).end, exited(0));
    process running = start_here({"run", "--capacity", "2", "seats", "-c", "echo up; read line"});
    EXPECT_EQ(running.line_after("up"), "");
    const result got = pawl_here({"local", "stop"});
    EXPECT_EQ(got.end, exited(75));
    EXPECT_NE(got.err.find("2 locks are held"), std::string::npos) << got.err;
    running.write("go\n");
    EXPECT_EQ(running.wait(patience), exited(0)) << running.err();
}

TEST_F(local_server, stop_is_refused_while_a_lock_is_held_in_another_database)
{
    process running = start_here({"run", "--url", "local:?db=3", "k", "-c", "echo up; read line"});
    EXPECT_EQ(running.line_after("up"), "");
    const result got = pawl_here({"local", "stop"});
    EXPECT_EQ(got.end, exited(75));
    EXPECT_NE(got.err.find("1 lock is held"), std::string::npos) << got.err;
    running.write("go\n");
    EXPECT_EQ(running.wait(patience), exited(0)) << running.err();
    EXPECT_EQ(pawl_here({"local", "stop"}).end, exited(0));
}

TEST_F(local_server, stop_by_force_ends_it_even_if_its_files_were_removed)
{
    for (const words& removed : {words{"redis.sock"}, words{"redis.sock", "redis.pid"},
                                 words{"redis.sock", "redis.pid", "server.lock"}}) {
        ASSERT_EQ(pawl_here({"run", "k", "--", "true"}).end, exited(0));
        ASSERT_EQ(servers().size(), 1U);
        for (const std::string& name : removed) fs::remove(directory_ + "/" + name);
        EXPECT_EQ(pawl_here({"local", "stop", "--force"}).end, exited(0));
        EXPECT_EQ(servers().size(), 0U);
    }
}

TEST_F(local_server,
       stop_by_force_during_a_command_is_reported_as_a_loss_even_if_the_command_succeeds)
{
    process running =
        start_here({"run", "--on-lost", "echo told", "k", "-c", "echo up; read line"});
    EXPECT_EQ(running.line_after("up"), "");
    EXPECT_EQ(pawl_here({"local", "stop", "--force"}).end, exited(0));
    running.write("go\n");
    EXPECT_EQ(running.wait(patience), exited(79)) << running.err();
    EXPECT_EQ(running.line_after("told"), "");
}

TEST_F(local_server, stop_by_force_makes_the_holders_lose_their_locks)
{
    process running = start_here({"run", "--lease", "1s", "k", "-c", "echo up; sleep 1000"});
    EXPECT_EQ(running.line_after("up"), "");
    EXPECT_EQ(pawl_here({"local", "stop", "--force"}).end, exited(0));
    EXPECT_EQ(running.wait(patience), exited(79)) << running.err();
}

TEST_F(local_server, that_was_killed_is_started_again)
{
    ASSERT_EQ(pawl_here({"run", "k", "--", "true"}).end, exited(0));
    const pid_t former = servers().at(0);
    ::kill(former, SIGKILL);
    EXPECT_TRUE(eventually([&] { return !is_alive(former); }));
    EXPECT_EQ(pawl_here({"run", "k", "--", "true"}).end, exited(0));
    EXPECT_EQ(servers().size(), 1U);
}

TEST_F(local_server, that_is_frozen_is_not_started_a_second_time)
{
    ASSERT_EQ(pawl_here({"run", "k", "--", "true"}).end, exited(0));
    const pid_t server = servers().at(0);
    ::kill(server, SIGSTOP);
    EXPECT_EQ(pawl_here({"run", "k", "--", "true"}).end, exited(69));
    EXPECT_EQ(pawl_here({"local", "status"}).end, exited(69));
    EXPECT_EQ(pawl_here({"local", "stop"}).end, exited(69));
    EXPECT_EQ(servers(), std::vector<pid_t>{server});
    EXPECT_EQ(pawl_here({"local", "stop", "--force"}).end, exited(0));
    EXPECT_EQ(servers().size(), 0U);
}

TEST_F(local_server, refuses_a_directory_that_others_may_enter)
{
    fs::create_directory(directory_);
    fs::permissions(directory_, fs::perms{0755});
    const result got = pawl_here({"run", "k", "--", "true"});
    EXPECT_EQ(got.end, exited(77));
    EXPECT_NE(got.err.find("does not have mode 0700"), std::string::npos) << got.err;
    EXPECT_EQ(pawl_here({"local", "status"}).end, exited(77));
    EXPECT_EQ(servers().size(), 0U);
}

TEST_F(local_server, refuses_a_symbolic_link_as_its_directory)
{
    const std::string target = runtime_.file("target");
    fs::create_directory(target);
    fs::permissions(target, fs::perms::owner_all);
    fs::create_directory_symlink(target, directory_);
    const result got = pawl_here({"run", "k", "--", "true"});
    EXPECT_EQ(got.end, exited(77));
    EXPECT_NE(got.err.find("symbolic link"), std::string::npos) << got.err;
    fs::remove(directory_);
}

TEST_F(local_server, refuses_a_path_that_is_too_long_for_a_socket)
{
    const std::string deep = runtime_.file(std::string(100, 'd'));
    fs::create_directory(deep);
    const result got = run_pawl({"run", "k", "--", "true"}, {"PAWL_LOCAL_DIR=" + deep});
    EXPECT_EQ(got.end, exited(64));
    EXPECT_NE(got.err.find("107"), std::string::npos) << got.err;
}

TEST_F(local_server, in_a_directory_that_is_not_absolute_is_refused)
{
    const result got = run_pawl({"run", "k", "--", "true"}, {"PAWL_LOCAL_DIR=here"});
    EXPECT_EQ(got.end, exited(64));
    EXPECT_NE(got.err.find("'here' (allowed: an absolute path)"), std::string::npos) << got.err;
}

TEST_F(local_server, that_is_not_installed_is_reported)
{
    const temp_dir empty;
    const result got = run_pawl({"run", "k", "--", "true"},
                                {environment().at(0), "PATH=" + empty.path().string()});
    EXPECT_EQ(got.end, exited(69));
    EXPECT_NE(got.err.find("apt install redis-server"), std::string::npos) << got.err;
}

}  // namespace
}  // namespace pawl::test
