// pawl lead: who runs the command, what others see, and the exit statuses.
#include "command.h"

#include "support/free_port.h"

#include <csignal>
#include <cstdint>
#include <string>
#include <utility>

namespace pawl::test {
namespace {

const std::string serve = "echo up $PAWL_PAYLOAD $PAWL_KEY; sleep 1000 & wait";

class lead_command : public command_test {
protected:
    // `pawl lead --url … ARGUMENTS`
    [[nodiscard]] process start_lead(const words& arguments) const
    {
        words all{"lead", "--url", server_.unix_url()};
        all.insert(all.end(), arguments.begin(), arguments.end());
        return pawl(all);
    }
    [[nodiscard]] result lead(const words& arguments) const
    {
        return finish(start_lead(arguments));
    }
    // A candidate with this payload.
    [[nodiscard]] process candidate(const std::string& payload, const std::string& lease = "30s")
    {
        return start_lead({"--payload", payload, "--lease", lease, "k", "--", "sh", "-c", serve});
    }
    [[nodiscard]] bool until_queued(std::int64_t count)
    {
        return eventually(
            [&] { return probe_.must({"LLEN", "pawl:queue:{k}"}).integer == 2 * count; });
    }
};

TEST_F(lead_command, runs_the_command_on_the_leader_only)
{
    process first = candidate("one");
    EXPECT_EQ(first.line_after("up "), "one k");
    process second = candidate("two");
    ASSERT_TRUE(until_queued(1));
    EXPECT_EQ(second.out(), "");
    EXPECT_EQ(lead({"--who", "k"}).out, "one\n");
    first.signal(SIGTERM);
    EXPECT_EQ(first.wait(patience), killed_by(SIGTERM)) << first.err();
    EXPECT_EQ(second.line_after("up "), "two k") << "the first has resigned: there is no wait";
    EXPECT_EQ(lead({"--who", "k"}).out, "two\n");
}

TEST_F(lead_command, ends_with_the_status_of_the_command_and_resigns)
{
    EXPECT_EQ(lead({"k", "--", "sh", "-c", "exit 3"}).end, exited(3));
    EXPECT_FALSE(probe_.exists("k"));
    EXPECT_EQ(lead({"k", "--", "true"}).end, exited(0));
    EXPECT_EQ(lead({"k", "--", "/no/such/command"}).end, exited(127));
    EXPECT_EQ(lead({"k", "--", "/"}).end, exited(126));
    EXPECT_FALSE(probe_.exists("k"));
}

TEST_F(lead_command, stops_the_command_when_the_lead_is_lost_and_starts_it_when_it_leads_again)
{
    process first = candidate("one", "600ms");
    const std::string up = first.line_after("up ");
    EXPECT_EQ(up, "one k");
    // An operator takes the lead away, and another one leads.
    probe_.must({"DEL", "k"});
    process second = candidate("two", "600ms");
    EXPECT_EQ(second.line_after("up "), "two k");
    EXPECT_TRUE(eventually([&] {
        return first.err().find("waiting to lead 'k' again") != std::string::npos;
    })) << first.err();
    EXPECT_NE(first.err().find("the lock 'k' is lost"), std::string::npos) << first.err();
    ASSERT_TRUE(until_queued(1));
    second.signal(SIGTERM);
    EXPECT_EQ(second.wait(patience), killed_by(SIGTERM));
    EXPECT_TRUE(eventually([&] { return first.out() == "up one k\nup one k\n"; })) << first.out();
    first.signal(SIGTERM);
    EXPECT_EQ(first.wait(patience), killed_by(SIGTERM));
}

TEST_F(lead_command, a_killed_leader_is_followed_when_its_lease_ends)
{
    process first = start_lead({"--lease", "600ms", "k", "--", "sh", "-c", shell_with_child});
    const family group = family_of(first);
    process second = candidate("two", "600ms");
    ASSERT_TRUE(until_queued(1));
    first.signal(SIGKILL);
    EXPECT_EQ(second.line_after("up "), "two k");
    EXPECT_TRUE(eventually([&] { return !group.any_alive(); }));
}

TEST_F(lead_command, waits_until_the_server_is_back)
{
    process first = candidate("one", "600ms");
    EXPECT_EQ(first.line_after("up "), "one k");
    server_.freeze();
    EXPECT_TRUE(eventually([&] {
        return first.err().find("waiting to lead 'k' again") != std::string::npos;
    })) << first.err();
    server_.thaw();
    EXPECT_TRUE(eventually([&] { return first.out() == "up one k\nup one k\n"; })) << first.out();
    first.signal(SIGTERM);
    EXPECT_EQ(first.wait(patience), killed_by(SIGTERM));
}

// A service may read its settings again when it gets SIGHUP.
TEST_F(lead_command, a_signal_that_the_command_survived_does_not_end_the_wait_to_lead_again)
{
    const std::string reloads =
        "trap 'echo reloaded' HUP; echo up; while :; do sleep 1000 & wait; done";
    process first = start_lead({"--lease", "600ms", "k", "--", "sh", "-c", reloads});
    EXPECT_EQ(first.line_after("up"), "");
    first.signal(SIGHUP);
    EXPECT_EQ(first.line_after("reloaded"), "");
    probe_.must({"DEL", "k"});
    EXPECT_TRUE(eventually([&] { return first.out() == "up\nreloaded\nup\n"; }))
        << first.out() << first.err();
    first.signal(SIGHUP);
    first.signal(SIGTERM);
    EXPECT_EQ(first.wait(patience), killed_by(SIGTERM));
}

TEST_F(lead_command, waits_until_the_server_has_memory_again)
{
    process first = candidate("one", "600ms");
    EXPECT_EQ(first.line_after("up "), "one k");
    probe_.must({"CONFIG", "SET", "maxmemory", "1"});
    probe_.must({"DEL", "k"});
    EXPECT_TRUE(eventually([&] { return first.err().find("OOM") != std::string::npos; }))
        << first.err();
    EXPECT_EQ(lead({"k", "--", "true"}).end, exited(77)) << "at the start it is an error";
    probe_.must({"CONFIG", "SET", "maxmemory", "0"});
    EXPECT_TRUE(eventually([&] { return first.out() == "up one k\nup one k\n"; })) << first.out();
    EXPECT_EQ(first.err().find("OOM"), first.err().rfind("OOM")) << "it is said once";
    first.signal(SIGTERM);
    EXPECT_EQ(first.wait(patience), killed_by(SIGTERM));
}

TEST_F(lead_command, says_it_when_the_server_refuses_for_another_reason)
{
    process first = candidate("one", "600ms");
    EXPECT_EQ(first.line_after("up "), "one k");
    const auto says = [&](const std::string& reason) {
        return eventually([&] { return first.err().find(reason) != std::string::npos; });
    };
    probe_.must({"CONFIG", "SET", "maxmemory", "1"});
    probe_.must({"DEL", "k"});
    EXPECT_TRUE(says("OOM")) << first.err();
    probe_.must({"ACL", "SETUSER", "default", "resetkeys", "~other"});
    EXPECT_TRUE(says("docs/wire.md")) << first.err();
    first.signal(SIGTERM);
    EXPECT_EQ(first.wait(patience), killed_by(SIGTERM));
}

TEST_F(lead_command, a_signal_ends_the_wait_and_leaves_nothing_in_the_queue)
{
    process first = candidate("one");
    EXPECT_EQ(first.line_after("up "), "one k");
    process second = candidate("two");
    ASSERT_TRUE(until_queued(1));
    second.signal(SIGTERM);
    EXPECT_EQ(second.wait(patience), killed_by(SIGTERM));
    EXPECT_TRUE(until_queued(0));
    EXPECT_EQ(second.out(), "");
}

TEST_F(lead_command, says_who_leads)
{
    const result nobody = lead({"--who", "k"});
    EXPECT_EQ(nobody.end, exited(75));
    EXPECT_EQ(nobody.out, "");
    process first = start_lead({"--payload", "a\nb", "k", "--", "sh", "-c", "echo up; sleep 1000"});
    EXPECT_EQ(first.line_after("up"), "");
    EXPECT_EQ(lead({"--who", "k"}).out, "a?b\n");
    probe_.must({"SET", "string", "x"});
    EXPECT_EQ(lead({"--who", "string"}).end, exited(65));
    EXPECT_EQ(lead({"string", "--", "true"}).end, exited(65));
}

TEST_F(lead_command, watches_the_leaders)
{
    process watcher = start_lead({"--watch", "k"});
    EXPECT_TRUE(eventually([&] { return watcher.out() == "\n"; }));
    process first = candidate("one");
    EXPECT_TRUE(eventually([&] { return watcher.out() == "\none\n"; })) << watcher.out();
    process second = candidate("two");
    ASSERT_TRUE(until_queued(1));
    first.signal(SIGTERM);
    EXPECT_TRUE(eventually([&] { return watcher.out() == "\none\ntwo\n"; })) << watcher.out();
    second.signal(SIGTERM);
    EXPECT_TRUE(eventually([&] { return watcher.out() == "\none\ntwo\n\n"; })) << watcher.out();
    watcher.signal(SIGINT);
    EXPECT_EQ(watcher.wait(patience), killed_by(SIGINT));
    EXPECT_TRUE(eventually([&] { return !probe_.exists("pawl:watch:{k}"); }));
}

TEST_F(lead_command, stops_to_watch_when_its_lines_cannot_be_written)
{
    process watcher{{"sh", "-c",
                     std::string{PAWL_COMMAND} + " lead --url " + server_.unix_url() +
                         " --watch k >/dev/full"}};
    EXPECT_TRUE(watcher.wait(patience)) << "nobody leads, so there is no change to wait for";
}

TEST_F(lead_command, shows_the_name_of_the_machine_if_no_payload_is_given)
{
    const result shown = lead({"k", "--", "sh", "-c", "echo $PAWL_PAYLOAD; hostname"});
    const auto half = shown.out.size() / 2;
    EXPECT_EQ(shown.out.substr(0, half), shown.out.substr(half)) << shown.out;
}

TEST_F(lead_command, refuses_a_command_line_that_makes_no_sense)
{
    const auto refused = [&](const words& arguments, const std::string& why) {
        const result got = lead(arguments);
        EXPECT_EQ(got.end, exited(64));
        EXPECT_NE(got.err.find(why), std::string::npos) << got.err;
    };
    refused({"k"}, "the command is missing");
    refused({"k", "--"}, "the command is missing");
    refused({"--", "true"}, "KEY");
    refused({"k", "true"}, "true");
    refused({"--who", "k", "--", "true"}, "run no command");
    refused({"--who", "--watch", "k"}, "cannot be used together");
    refused({"--grace", "29s", "k", "--", "true"}, "--grace of 29 s does not fit");
    EXPECT_EQ(run_pawl({"lead", "--url", "memory:", "k", "--", "true"}).end, exited(64));
    EXPECT_EQ(lead({"--lease", "1ms", "k", "--", "true"}).end, exited(64));
    EXPECT_EQ(lead({"--payload", std::string(4097, 'x'), "k", "--", "true"}).end, exited(64));
}

TEST_F(lead_command, a_server_that_is_not_there_is_unreachable)
{
    const std::string nowhere = "redis://127.0.0.1:" + std::to_string(free_port());
    EXPECT_EQ(run_pawl({"lead", "--url", nowhere, "k", "--", "true"}).end, exited(69));
    EXPECT_EQ(run_pawl({"lead", "--url", nowhere, "--who", "k"}).end, exited(69));
    EXPECT_EQ(run_pawl({"lead", "--url", nowhere, "--watch", "k"}).end, exited(69));
}

}  // namespace
}  // namespace pawl::test
