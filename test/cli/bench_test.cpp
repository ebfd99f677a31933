// pawl bench: figures, exit statuses, and its effects on the server.
#include "command.h"

#include "support/acl_rule.h"
#include "support/fault_proxy.h"
#include "support/free_port.h"
#include "support/quorum_nodes.h"
#include "support/redis_cluster.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>

namespace pawl::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const words short_parts{"--seconds", "0.05", "--threads", "4"};

class bench_command : public command_test {
protected:
    [[nodiscard]] process start_bench(const words& arguments) const
    {
        return start_bench_on(server_.unix_url(), arguments);
    }

    [[nodiscard]] static process start_bench_on(const std::string& url, const words& arguments)
    {
        words all{"bench", "--url", url};
        all.insert(all.end(), arguments.begin(), arguments.end());
        return pawl(all, {"LC_ALL=C"});
    }

    // With short parts, unless the arguments set another time.
    [[nodiscard]] result bench(const words& arguments) const
    {
        words all = short_parts;
        all.insert(all.end(), arguments.begin(), arguments.end());
        return finish(start_bench(all));
    }

    // Returns when the measurement of this command has begun: when the server executes it.
    void wait_for_calls(std::string_view command)
    {
        ASSERT_TRUE(eventually([&] { return probe_.calls(command) > 100; }));
    }
};

TEST_F(bench_command, measures_every_part)
{
    const result got = bench({});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    for (const char* title : {"p50", "p90", "p99", "max", "per second", "\nround trip",
                              "\nacquire a free lock", "\nrelease it", "\nacquire and release",
                              "\nhand-off", "\n4 threads", "\nlock that lingers"}) {
        EXPECT_THAT(got.out, HasSubstr(title));
    }
    EXPECT_THAT(got.out, Not(HasSubstr("#"))) << "no bars without a terminal";
    EXPECT_THAT(got.out + got.err, Not(HasSubstr("\033")));
}

TEST_F(bench_command, prints_one_line_about_what_it_will_do_before_it_starts)
{
    const result got = bench({"--only", "ping,lock"});
    EXPECT_THAT(got.err, StartsWith("pawl: measuring " + server_.unix_url() +
                                    " for about 100 ms; it uses only its own locks"));
    EXPECT_EQ(std::count(got.err.begin(), got.err.end(), '\n'), 1) << got.err;
}

TEST_F(bench_command, measures_only_the_parts_that_were_chosen)
{
    const result got = bench({"--only", "linger,ping"});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_THAT(got.out, HasSubstr("\nround trip"));
    EXPECT_THAT(got.out, HasSubstr("\nlock that lingers"));
    EXPECT_EQ(std::count(got.out.begin(), got.out.end(), '\n'), 3) << got.out;
}

TEST_F(bench_command, writes_one_json_object)
{
    const result got = bench({"--json"});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_THAT(got.out, StartsWith("{\"pawl\":\""));
    EXPECT_EQ(std::count(got.out.begin(), got.out.end(), '\n'), 1);
    for (const char* part :
         {"\"threads\":4,\"complete\":true,\"problem\":null,\"parts\":{\"ping\":{\"count\":",
          "},\"acquire\":{\"count\":", "},\"release\":{\"count\":", "},\"lock\":{\"count\":",
          "},\"hand_off\":{\"count\":", "},\"threads\":{\"count\":", "},\"linger\":{\"count\":",
          "\"part_ms\":50", "\"p50_ns\":", "\"per_second\":null}", "}}}\n"}) {
        EXPECT_THAT(got.out, HasSubstr(part));
    }
    EXPECT_EQ(std::count(got.out.begin(), got.out.end(), '{'),
              std::count(got.out.begin(), got.out.end(), '}'));
}

TEST_F(bench_command, writes_valid_json_for_a_name_that_is_not_utf8)
{
    const result got = bench({"--json", "--only", "ping", "--name", "a\"b\\c\nd µ \xff\xc3:"});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_THAT(got.out, HasSubstr(R"("names":"a\"b\\c\nd µ )"
                                   "\xEF\xBF\xBD\xEF\xBF\xBD:"))
        << "U+FFFD for each byte that does not start a character";
}

TEST_F(bench_command, draws_histograms_when_asked)
{
    const result got = bench({"--only", "ping,lock", "--histogram"});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_THAT(got.out, HasSubstr("\n\nround trip (ping)\n"));
    EXPECT_THAT(got.out, HasSubstr("\n\nacquire a free lock\n"));
    EXPECT_THAT(got.out, HasSubstr("s  #"));
    EXPECT_THAT(got.out, HasSubstr(" %\n"));
}

TEST_F(bench_command, needs_only_the_permissions_for_its_own_locks)
{
    // All parts work with this rule, so no other key is used.
    words rule{"ACL", "SETUSER", "bench", "on", ">hush"};
    for (const auto& each : smallest_rule()) rule.push_back(each);
    const redis_value reply = probe_.command(rule);
    EXPECT_FALSE(reply.is_error()) << reply.text;
    const std::string url = "redis://bench:hush@127.0.0.1:" + std::to_string(server_.port());
    words arguments = short_parts;
    arguments.insert(arguments.end(), {"--name", "stock:"});
    const result got = finish(start_bench_on(url, arguments));
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_THAT(got.out, HasSubstr("\nlock that lingers"));
    EXPECT_TRUE(probe_.must({"ACL", "LOG"}).items.empty());
    EXPECT_THAT(got.out + got.err, Not(HasSubstr("hush")));
}

TEST_F(bench_command, leaves_only_keys_that_expire)
{
    probe_.must({"SET", "mine", "precious"});
    EXPECT_EQ(bench({}).end, exited(0));
    EXPECT_EQ(probe_.get("mine"), "precious");
    probe_.must({"DEL", "mine"});
    const words left = probe_.keys("*");
    EXPECT_FALSE(left.empty());
    for (const std::string& key : left) {
        EXPECT_THAT(key, StartsWith("pawl:fence:{pawl-bench:"));
        EXPECT_GT(probe_.ttl(key), 0ms) << key;
    }
}

TEST_F(bench_command, uses_different_lock_names_in_each_run)
{
    const words once{"--only", "lock"};
    EXPECT_EQ(bench(once).end, exited(0));
    EXPECT_EQ(bench(once).end, exited(0));
    EXPECT_EQ(probe_.keys("pawl:fence:*").size(), 2U);
}

TEST_F(bench_command, measures_a_slow_server_at_least_once_in_each_part)
{
    fault_proxy slow{server_.port()};
    slow.delay(40ms);
    words arguments = short_parts;
    arguments.insert(arguments.end(), {"--json"});
    const result got = finish(start_bench_on(slow.url(), arguments));
    EXPECT_EQ(got.end, exited(0)) << got.err;
    for (const char* part : {"ping", "acquire", "release", "hand_off", "threads", "linger"}) {
        EXPECT_THAT(got.out, HasSubstr("\"" + std::string{part} + "\":{\"count\":"));
    }
}

TEST_F(bench_command, shows_the_figures_so_far_when_interrupted)
{
    struct step {
        const char* part;
        const char* title;
        const char* called;
    };
    for (const step& each :
         {step{"ping", "round trip", "ping"}, step{"lock", "acquire a free lock", "evalsha"},
          step{"hand-off", "hand-off", "evalsha"}, step{"threads", "16 threads", "evalsha"}}) {
        probe_.reset_stats();
        process running = start_bench({"--seconds", "600", "--only", each.part});
        wait_for_calls(each.called);
        running.signal(SIGINT);
        EXPECT_EQ(running.wait(patience), killed_by(SIGINT)) << each.part << running.err();
        EXPECT_THAT(running.out(), HasSubstr(each.title));
        EXPECT_THAT(running.err(), HasSubstr("pawl: interrupted\n"));
        for (const std::string& key : probe_.keys("*")) EXPECT_GT(probe_.ttl(key), 0ms) << key;
    }
}

TEST_F(bench_command, reports_an_interruption_in_the_json_object)
{
    process running = start_bench({"--seconds", "600", "--only", "ping,lock", "--json"});
    wait_for_calls("ping");
    running.signal(SIGTERM);
    EXPECT_EQ(running.wait(patience), killed_by(SIGTERM)) << running.err();
    EXPECT_THAT(running.out(), HasSubstr("\"complete\":false,\"problem\":\"interrupted\","
                                         "\"parts\":{\"ping\":{\"count\":"));
    EXPECT_THAT(running.out(), Not(HasSubstr("acquire")));
}

TEST_F(bench_command, ends_at_once_at_the_second_signal)
{
    process running = start_bench({"--seconds", "600", "--only", "ping"});
    wait_for_calls("ping");
    server_.freeze();
    running.signal(SIGINT);
    running.signal(SIGTERM);
    EXPECT_EQ(running.wait(patience), killed_by(SIGTERM)) << running.err();
    EXPECT_EQ(running.out(), "");
    server_.thaw();
}

class bench_on_a_quorum : public testing::Test {
protected:
    [[nodiscard]] result bench(const words& arguments) const
    {
        words all{"bench", "--url", nodes_.url()};
        all.insert(all.end(), short_parts.begin(), short_parts.end());
        all.insert(all.end(), arguments.begin(), arguments.end());
        return run_pawl(all, {"LC_ALL=C"});
    }

    void SetUp() override
    {
        ASSERT_EQ(run_pawl({"quorum", "init", "--url", nodes_.url()}).end, exited(0));
    }

    quorum_nodes nodes_;
};

TEST_F(bench_on_a_quorum, measures_every_part_but_linger_and_says_so)
{
    const result got = bench({});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    for (const char* title : {"\nround trip", "\nacquire a free lock", "\nrelease it",
                              "\nacquire and release", "\nhand-off", "\n4 threads"}) {
        EXPECT_THAT(got.out, HasSubstr(title));
    }
    EXPECT_THAT(got.out, Not(HasSubstr("lingers")));
    EXPECT_THAT(got.err, HasSubstr("for about 200 ms;"));
    EXPECT_THAT(got.err, HasSubstr("\npawl: the part linger is left out: the locks of a quorum do "
                                   "not linger\n"));
}

TEST_F(bench_on_a_quorum, is_complete_without_linger)
{
    const result got = bench({"--json"});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_THAT(got.out, HasSubstr("\"complete\":true,\"problem\":null,"));
    EXPECT_THAT(got.out, Not(HasSubstr("linger")));
}

TEST_F(bench_on_a_quorum, says_nothing_of_linger_if_other_parts_were_chosen)
{
    const result got = bench({"--only", "ping,lock"});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_THAT(got.err, Not(HasSubstr("linger")));
}

TEST_F(bench_on_a_quorum, refuses_linger_before_it_measures)
{
    const result got = bench({"--only", "ping,linger"});
    EXPECT_EQ(got.end, exited(64));
    EXPECT_EQ(got.out, "");
    EXPECT_THAT(got.err, HasSubstr("--only: linger cannot be measured on a quorum, whose locks do "
                                   "not linger"));
}

TEST(bench_in_a_cluster, measures_every_part)
{
    const redis_cluster cluster{{.replicas = 0}};
    words line{"bench", "--url", cluster.url(), "--json"};
    line.insert(line.end(), short_parts.begin(), short_parts.end());
    const result got = run_pawl(line);
    EXPECT_EQ(got.end, exited(0)) << got.err;
    for (const char* part : {"ping", "acquire", "release", "hand_off", "threads", "linger"}) {
        EXPECT_THAT(got.out, HasSubstr("\"" + std::string{part} + "\":{\"count\":"));
    }
}

class vanishing_server : public bench_command, public testing::WithParamInterface<const char*> {};

TEST_P(vanishing_server, makes_pawl_bench_end_with_the_figures_so_far)
{
    process running = start_bench({"--seconds", "600", "--only", GetParam()});
    wait_for_calls(GetParam() == std::string_view{"ping"} ? "ping" : "evalsha");
    server_.kill();
    EXPECT_EQ(running.wait(2 * patience), exited(69)) << running.err();
    EXPECT_THAT(running.out(), HasSubstr("p50"));
    EXPECT_THAT(running.err(), HasSubstr(server_.unix_url() + ": server unreachable"));
}

TEST_P(vanishing_server, has_the_same_effect_if_its_connections_stay_open)
{
    process running = start_bench({"--seconds", "600", "--only", GetParam()});
    wait_for_calls(GetParam() == std::string_view{"ping"} ? "ping" : "evalsha");
    server_.freeze();
    EXPECT_EQ(running.wait(2 * patience), exited(69)) << running.err();
    EXPECT_THAT(running.out(), HasSubstr("p50"));
    EXPECT_THAT(running.err(), HasSubstr(server_.unix_url() + ": "));
    server_.thaw();
}

INSTANTIATE_TEST_SUITE_P(each_part, vanishing_server,
                         testing::Values("ping", "lock", "hand-off", "threads"),
                         [](const auto& part) {
                             std::string name = part.param;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

TEST_F(bench_command, returns_69_when_no_server_answers)
{
    const std::string url = "redis://127.0.0.1:" + std::to_string(free_port());
    const result got = finish(start_bench_on(url, {}));
    EXPECT_EQ(got.end, exited(69));
    EXPECT_EQ(got.out, "");
    EXPECT_THAT(got.err, HasSubstr(url + ": server unreachable"));
}

TEST_F(bench_command, returns_69_when_the_server_never_answers)
{
    server_.freeze();
    const result got = finish(start_bench({"--json"}));
    EXPECT_EQ(got.end, exited(69));
    EXPECT_THAT(got.out,
                HasSubstr("\"complete\":false,\"problem\":\"ping on " + server_.unix_url()));
    EXPECT_THAT(got.out, HasSubstr("\"parts\":{}"));
    server_.thaw();
}

TEST_F(bench_command, returns_77_when_the_server_refuses)
{
    probe_.must({"CONFIG", "SET", "requirepass", "secret-one"});
    const std::string url = "redis://:secret-two@127.0.0.1:" + std::to_string(server_.port());
    const result got = finish(start_bench_on(url, {}));
    EXPECT_EQ(got.end, exited(77));
    EXPECT_THAT(got.err, Not(HasSubstr("secret")));
    EXPECT_THAT(got.err, HasSubstr(std::to_string(server_.port())));
}

TEST_F(bench_command, returns_79_when_the_server_forgets_its_locks)
{
    process running = start_bench({"--seconds", "600", "--only", "lock"});
    EXPECT_TRUE(eventually([&] {
        probe_.must({"FLUSHALL"});
        return !running.running();
    }));
    EXPECT_EQ(running.wait(patience), exited(79)) << running.err();
}

TEST_F(bench_command, returns_70_when_the_result_cannot_be_written)
{
    const std::string line = std::string{PAWL_COMMAND} + " bench --url " + server_.unix_url() +
                             " --only ping -s 0.05 > /dev/full";
    process running{{"sh", "-c", line}};
    EXPECT_EQ(running.wait(patience), exited(70));
    EXPECT_THAT(running.err(), HasSubstr("cannot write the result"));
}

}  // namespace
}  // namespace pawl::test
