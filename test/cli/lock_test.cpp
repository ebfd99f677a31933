// What `pawl run` does with the lock, and what the command sees.
#include "command.h"

#include <algorithm>
#include <sstream>

namespace pawl::test {
namespace {

using run_lock = command_test;

[[nodiscard]] words lines_of(const std::string& text)
{
    std::istringstream stream{text};
    words lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

TEST_F(run_lock, is_held_while_the_command_runs_and_gone_afterwards)
{
    process running = start({"k", "-c", "echo up; read line"});
    EXPECT_EQ(running.line_after("up"), "");
    EXPECT_EQ(locks(), words{"k"});
    running.close_stdin();
    EXPECT_TRUE(running.wait(patience));
    EXPECT_EQ(locks(), words{});
}

TEST_F(run_lock, is_in_the_environment_of_the_command)
{
    process running =
        start({"the key", "-c",
               "echo key=$PAWL_KEY; echo holder=$PAWL_HOLDER; echo fence=$PAWL_FENCE; "
               "read line"});
    EXPECT_EQ(running.line_after("key="), "the key");
    EXPECT_EQ(running.line_after("holder="), probe_.get("the key"));
    EXPECT_EQ(running.line_after("holder=").size(), 32U);
    EXPECT_GT(std::stoull(running.line_after("fence=")), 1'000'000'000'000'000ULL);
}

TEST_F(run_lock, excludes_other_runs_and_its_fence_grows)
{
    const temp_dir files;
    const std::string counter = files.file("counter");
    write_file(counter, "0");
    std::vector<process> all;
    constexpr int runs = 8;
    for (int i = 0; i < runs; ++i) {
        all.push_back(start({"k", "-c",
                             "n=$(cat " + counter + "); sleep 0.02; echo $((n+1)) > " + counter +
                                 "; echo $PAWL_FENCE >> " + files.file("fences")}));
    }
    for (process& one : all) EXPECT_EQ(one.wait(2 * patience), exited(0)) << one.err();
    EXPECT_EQ(read_file(counter), std::to_string(runs) + "\n");
    const words fences = lines_of(read_file(files.file("fences")));
    ASSERT_EQ(fences.size(), static_cast<std::size_t>(runs));
    for (std::size_t i = 1; i < fences.size(); ++i) {
        EXPECT_LT(std::stoull(fences[i - 1]), std::stoull(fences[i]));
    }
}

TEST_F(run_lock, is_renewed_as_long_as_the_command_runs)
{
    process running = start({"--lease", "1500ms", "k", "-c", "echo up; read line"});
    EXPECT_EQ(running.line_after("up"), "");
    const std::string holder = probe_.get("k");
    EXPECT_TRUE(always(2s, [&] { return probe_.get("k") == holder; }));
    running.close_stdin();
    EXPECT_EQ(running.wait(patience), exited(1));  // the status of `read` at the end of its input
}

TEST_F(run_lock, is_waited_for_until_it_is_free)
{
    probe_.must({"SET", "k", "someone", "PX", "600000"});
    // The other holder does not announce its release. With such a short lease, a waiter looks every
    // half second.
    process running = start({"--verbose", "--lease", "1s", "k", "--", "echo", "ran"});
    EXPECT_TRUE(eventually([&] { return running.err().find("asking") != std::string::npos; }));
    EXPECT_TRUE(always(200ms, [&] { return running.out().empty(); }));
    probe_.must({"DEL", "k"});
    EXPECT_EQ(running.wait(patience), exited(0));
    EXPECT_EQ(running.out(), "ran\n");
}

TEST_F(run_lock, is_waited_for_no_longer_than_the_limit)
{
    probe_.must({"SET", "k", "someone", "PX", "600000"});
    const auto time =
        time_of([&] { EXPECT_EQ(run({"-w", "0.3", "k", "--", "true"}).end, exited(75)); });
    EXPECT_GE(time, 300ms);
    EXPECT_LT(time, 3s);
    EXPECT_EQ(probe_.get("k"), "someone");
}

TEST_F(run_lock, is_waited_for_without_a_message_if_there_is_no_terminal)
{
    probe_.must({"SET", "k", "someone", "PX", "600000"});
    const result got = run({"-w", "1.5", "k", "--", "true"});
    EXPECT_EQ(got.end, exited(75));
    EXPECT_EQ(got.err, "");
}

TEST_F(run_lock, is_waited_for_with_a_message_in_verbose_mode)
{
    probe_.must({"SET", "k", "someone", "PX", "600000"});
    process waiting = start({"--verbose", "-w", "1h", "k", "--", "true"});
    const std::string line =
        "pawl: waiting for the lock 'k' on " + server_.unix_url() + ", for 3600 s at most\n";
    EXPECT_TRUE(eventually([&] { return waiting.err().find(line) != std::string::npos; }))
        << waiting.err();
    waiting.signal(SIGTERM);
    EXPECT_EQ(waiting.wait(patience), killed_by(SIGTERM));
}

TEST_F(run_lock, is_taken_at_once_when_it_is_free_even_without_waiting)
{
    EXPECT_EQ(run({"-n", "k", "--", "true"}).end, exited(0));
    EXPECT_EQ(run({"-w", "0", "k", "--", "true"}).end, exited(0));
}

TEST_F(run_lock, is_kept_for_the_time_of_hold_at_least)
{
    process running = start({"--hold-at-least", "2s", "k", "--", "echo", "ran"});
    EXPECT_EQ(running.line_after("ran"), "");
    const auto time = time_of([&] { EXPECT_TRUE(eventually([&] { return locks().empty(); })); });
    // Less than the whole time, because the start of the command may have been noticed late.
    EXPECT_GE(time, 1s);
    EXPECT_EQ(running.wait(patience), exited(0));
}

TEST_F(run_lock, is_released_early_when_a_signal_ends_pawl)
{
    process running = start({"--verbose", "--hold-at-least", "1h", "k", "--", "true"});
    EXPECT_TRUE(eventually([&] { return running.err().find("keeping") != std::string::npos; }));
    running.signal(SIGTERM);
    EXPECT_EQ(running.wait(patience), killed_by(SIGTERM));
    EXPECT_EQ(locks(), words{});
}

TEST_F(run_lock, is_not_kept_after_a_signal_to_pawl_ended_the_command)
{
    for (const auto& [command, end] :
         {std::pair{"echo up; exec sleep 1000", killed_by(SIGTERM)},
          std::pair{"trap 'exit 143' TERM; echo up; while :; do sleep 0.01; done", exited(143)}}) {
        process running = start({"--hold-at-least", "1h", "k", "-c", command});
        EXPECT_EQ(running.line_after("up"), "");
        running.signal(SIGTERM);
        EXPECT_EQ(running.wait(patience), end);
        EXPECT_EQ(locks(), words{});
    }
}

TEST_F(run_lock, is_kept_after_a_signal_that_pawl_did_not_pass_on)
{
    process running = start({"--verbose", "--hold-at-least", "1h", "k", "-c", "kill -TERM $$"});
    EXPECT_TRUE(eventually([&] { return running.err().find("keeping") != std::string::npos; }));
    running.signal(SIGINT);
    EXPECT_EQ(running.wait(patience), killed_by(SIGINT));
}

TEST_F(run_lock, may_have_any_name)
{
    for (const std::string key : {"run", "local", "++", "[a,b]", "{}", "k=v", "{a}b", "\xff\x01"}) {
        EXPECT_EQ(run({key, "-c", "echo \"$PAWL_KEY\""}).out, key + "\n");
    }
}

TEST_F(run_lock, may_have_a_name_that_looks_like_an_option)
{
    const result got = run({"--", "-n", "--", "sh", "-c", "echo key=$PAWL_KEY"});
    EXPECT_EQ(got.out, "key=-n\n") << got.err;
}

TEST_F(run_lock, is_reported_in_verbose_mode)
{
    const result got = run({"--verbose", "k", "--", "true"});
    for (const char* part : {"pawl: asking unix:", "pawl: acquired the lock 'k' after ", "fence ",
                             "pawl: released the lock 'k'"}) {
        EXPECT_NE(got.err.find(part), std::string::npos) << part << " in " << got.err;
    }
}

TEST_F(run_lock, can_be_on_the_server_of_pawl_url)
{
    const result got =
        run_pawl({"run", "k", "--", "sh", "-c", "echo $PAWL_KEY"}, {"PAWL_URL=" + server_.url()});
    EXPECT_EQ(got.end, exited(0));
    EXPECT_EQ(got.err, "");
    EXPECT_FALSE(probe_.keys("pawl:fence:*").empty());
}

}  // namespace
}  // namespace pawl::test
