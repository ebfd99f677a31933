// pawl ls, show, top and wait, with real servers.
#include "command.h"

#include "support/acl_rule.h"
#include "support/quorum_nodes.h"
#include "support/redis_cluster.h"
#include "support/sentinel_group.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdlib>
#include <sstream>
#include <unistd.h>

namespace pawl::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::string host()
{
    std::array<char, 256> name{};
    ::gethostname(name.data(), name.size() - 1);
    return name.data();
}

std::vector<json> lines_of(const std::string& text)
{
    std::vector<json> all;
    std::istringstream lines{text};
    for (std::string line; std::getline(lines, line);) all.push_back(json::parse(line));
    return all;
}

// So many locks at once, as a client would have taken them: stock:1, stock:2, …
void take_many(redis_probe& probe, int count)
{
    constexpr int at_once = 5'000;
    const std::string script =
        "for i = ARGV[1] + 0, ARGV[2] + 0 do "
        "redis.call('SET', 'stock:' .. i, string.format('p%015x0123456789abcdef', i), 'PX', "
        "600000) end";
    for (int first = 1; first <= count; first += at_once) {
        const int last = std::min(first + at_once - 1, count);
        probe.must({"EVAL", script, "0", std::to_string(first), std::to_string(last)});
    }
}

class operators_command : public command_test {
protected:
    [[nodiscard]] result there(words arguments, const words& environment = {}) const
    {
        arguments.insert(arguments.end(), {"--url", server_.unix_url()});
        return run_pawl(arguments, environment);
    }
    [[nodiscard]] process hold(const std::string& key) const
    {
        auto holder = start({key, "-c", "echo up; read line || true"});
        EXPECT_EQ(holder.line_after("up"), "");
        return holder;
    }
};

TEST_F(operators_command, ls_shows_the_process_that_has_a_lock)
{
    const auto holder = hold("stock:1");
    const auto got = there({"ls"});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_THAT(got.out, AllOf(HasSubstr("stock:1"), HasSubstr("mutex"),
                               HasSubstr(host() + ":" + std::to_string(holder.pid()))));
    EXPECT_THAT(got.out, Not(HasSubstr("pawl:fence")));
    EXPECT_EQ(got.err, "");
    EXPECT_EQ(there({"ls", "other:*"}).out, "");
}

TEST_F(operators_command, ls_prints_nothing_if_no_lock_is_in_use)
{
    const auto got = there({"ls"});
    EXPECT_EQ(got.end, exited(0));
    EXPECT_EQ(got.out + got.err, "");
}

TEST_F(operators_command, ls_shows_foreign_locks_only_when_asked_for)
{
    probe_.must({"SET", "theirs", "0123456789abcdef0123", "PX", "60000"});
    EXPECT_EQ(there({"ls"}).out, "");
    EXPECT_THAT(there({"ls", "--foreign"}).out, HasSubstr("foreign"));
}

TEST_F(operators_command, show_has_the_holder_and_each_waiter_with_its_process)
{
    auto holder = hold("stock:1");
    auto first = start({"stock:1", "true"});
    ASSERT_TRUE(
        eventually([&] { return probe_.command({"LLEN", "pawl:queue:{stock:1}"}).integer == 2; }));
    auto second = start({"stock:1", "true"});
    ASSERT_TRUE(
        eventually([&] { return probe_.command({"LLEN", "pawl:queue:{stock:1}"}).integer == 4; }));
    const auto got = there({"show", "--json", "stock:1"});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    const auto lock = json::parse(got.out);
    EXPECT_EQ(lock["lock"], "stock:1");
    EXPECT_EQ(lock["kind"], "mutex");
    EXPECT_EQ(lock["holders"][0]["id"], probe_.get("stock:1"));
    EXPECT_EQ(lock["holders"][0]["process"]["pid"], holder.pid());
    EXPECT_EQ(lock["holders"][0]["process"]["host"], host());
    EXPECT_GT(lock["holders"][0]["lease_left_ms"], 0);
    EXPECT_GE(lock["holders"][0]["held_at_most_ms"], 0);
    EXPECT_EQ(lock["waiters"], 2);
    EXPECT_EQ(lock["queue"][0]["process"]["pid"], first.pid());
    EXPECT_EQ(lock["queue"][1]["process"]["pid"], second.pid());
    const auto text = there({"show", "stock:1"}).out;
    const auto at = [&](pid_t pid) { return text.find(":" + std::to_string(pid)); };
    EXPECT_LT(at(holder.pid()), at(first.pid())) << text;
    EXPECT_LT(at(first.pid()), at(second.pid())) << text;
    holder.close_stdin();
    EXPECT_EQ(second.wait(patience), exited(0));
}

TEST_F(operators_command, show_says_what_a_key_is_that_is_no_lock)
{
    probe_.must({"SADD", "tags", "a"});
    const auto got = there({"show", "tags"});
    EXPECT_EQ(got.end, exited(65));
    EXPECT_THAT(got.out, HasSubstr("not_a_lock: a value of the type set"));
    EXPECT_THAT(there({"show", "nothing"}).out, HasSubstr("free"));
}

TEST_F(operators_command, wait_ends_when_the_lock_is_released)
{
    auto holder = hold("stock:1");
    auto waiting = pawl({"wait", "--url", server_.unix_url(), "stock:1"});
    // It has looked twice, so it waits.
    ASSERT_TRUE(eventually([&] { return probe_.calls("getrange") >= 6; }));
    EXPECT_FALSE(probe_.exists("pawl:queue:{stock:1}")) << "it takes no place";
    holder.close_stdin();
    EXPECT_EQ(waiting.wait(patience), exited(0)) << waiting.err();
    EXPECT_EQ(there({"wait", "stock:1"}).end, exited(0)) << "it was not taken";
}

TEST_F(operators_command, wait_gives_up_at_its_limit_and_refuses_what_nobody_holds)
{
    const auto holder = hold("stock:1");
    EXPECT_EQ(there({"wait", "-w", "100ms", "stock:1"}).end, exited(75));
    probe_.must({"SADD", "tags", "a"});
    EXPECT_EQ(there({"wait", "tags"}).end, exited(65));
}

TEST_F(operators_command, top_prints_one_plain_table_if_it_is_piped)
{
    const auto holder = hold("stock:1");
    const auto got = there({"top"});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_THAT(got.out, AllOf(HasSubstr("1 lock in use, 1 held, 0 waiters\n"),
                               HasSubstr("stock:1"), Not(HasSubstr("\033"))));
    const auto twice = there({"top", "--count", "2", "-i", "100ms"}).out;
    EXPECT_NE(twice.find("in use"), twice.rfind("in use"));
}

TEST_F(operators_command, top_shows_the_most_waited_for_first)
{
    take_many(probe_, 60);
    const auto holder = hold("zebra");
    auto waiter = start({"zebra", "true"});
    ASSERT_TRUE(eventually([&] { return probe_.exists("pawl:queue:{zebra}"); }));
    std::istringstream lines{there({"top"}).out};
    std::string line;
    for (int i = 0; i < 3; ++i) std::getline(lines, line);
    EXPECT_THAT(line, HasSubstr("zebra"));
}

TEST_F(operators_command, refuse_options_that_make_no_sense)
{
    EXPECT_THAT(there({"top", "-i", "1ms"}).err,
                AllOf(HasSubstr("1ms"), HasSubstr("100ms or more")));
    EXPECT_EQ(there({"show"}).end, exited(64));
    EXPECT_EQ(run_pawl({"ls", "--url", "memory:"}).end, exited(64));
}

TEST_F(operators_command, a_server_that_cannot_be_reached_is_status_69)
{
    for (const char* each : {"ls", "top"}) {
        EXPECT_EQ(run_pawl({each, "--url", "unix:/nowhere/redis"}).end, exited(69)) << each;
    }
    EXPECT_EQ(run_pawl({"show", "x", "--url", "unix:/nowhere/redis"}).end, exited(69));
    EXPECT_EQ(run_pawl({"wait", "x", "--url", "unix:/nowhere/redis"}).end, exited(69));
}

TEST_F(operators_command, ls_of_many_locks_keeps_no_other_client_waiting)
{
    const bool is_long = std::getenv("PAWL_TEST_LONG") != nullptr;
    const int count = is_long ? 100'000 : 5'000;
    take_many(probe_, count);
    // A command that takes the server longer than this is logged.
    probe_.must({"CONFIG", "SET", "slowlog-log-slower-than", "20000"});
    probe_.must({"SLOWLOG", "RESET"});
    const auto got = there({"ls", "--json"});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_EQ(std::ranges::count(got.out, '\n'), count);
    EXPECT_EQ(probe_.must({"SLOWLOG", "LEN"}).integer, 0);
    EXPECT_EQ(probe_.calls("keys"), 0);
}

// ── What a user needs ───────────────────────────────────────────────────────────────────────────

class operators_rights : public operators_command {
protected:
    [[nodiscard]] words as_keeper(const std::vector<std::string>& rule)
    {
        words setuser{"ACL", "SETUSER", "keeper", "reset", "on", ">password"};
        setuser.insert(setuser.end(), rule.begin(), rule.end());
        EXPECT_FALSE(probe_.command(setuser).is_error());
        probe_.must({"ACL", "LOG", "RESET"});
        return {"--url", "redis://keeper:password@127.0.0.1:" + std::to_string(server_.port())};
    }
    [[nodiscard]] result as(const words& keeper, words arguments)
    {
        arguments.insert(arguments.end(), keeper.begin(), keeper.end());
        return run_pawl(arguments);
    }
    // Every command, on every kind of lock.
    void use_everything(const words& keeper)
    {
        probe_.must({"HSET", "stock:hash", "p0123456789abcde0123456789abcdef", "1"});
        probe_.must({"ZADD", "stock:set", "-1", "out", "9999999999999",
                     "p0123456789abcde0123456789abcdef1"});
        probe_.must({"DEL", "stock:list"});
        probe_.must(
            {"RPUSH", "stock:list", "p0123456789abcde0123456789abcdef", "\0x", "1", "", "0"});
        for (const char* key : {"stock:1", "stock:hash", "stock:set", "stock:list"}) {
            (void)as(keeper, {"show", key});
        }
        (void)as(keeper, {"ls"});
        (void)as(keeper, {"top"});
        (void)as(keeper, {"wait", "-w", "1ms", "stock:1"});
    }
    [[nodiscard]] std::size_t denials() { return probe_.must({"ACL", "LOG"}).items.size(); }
};

TEST_F(operators_rights, of_the_operators_rule_are_enough)
{
    const auto holder = hold("stock:1");
    const auto keeper = as_keeper(operators_rule());
    use_everything(keeper);
    EXPECT_EQ(denials(), 0U);
    EXPECT_THAT(as(keeper, {"show", "stock:1"}).out, Not(HasSubstr("note:")));
}

TEST_F(operators_rights, of_the_operators_rule_are_all_needed)
{
    const auto holder = hold("stock:1");
    const auto rule = operators_rule();
    for (std::size_t i = 0; i < rule.size(); ++i) {
        if (rule[i] == "resetchannels" || rule[i] == "-@all") continue;
        auto less = rule;
        less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
        use_everything(as_keeper(less));
        EXPECT_GT(denials(), 0U) << rule[i] << " is not needed";
    }
}

TEST_F(operators_rights, to_list_connections_are_missed_with_a_note_only)
{
    const auto holder = hold("stock:1");
    auto rule = operators_rule();
    std::erase(rule, "+client|list");
    const auto got = as(as_keeper(rule), {"show", "stock:1"});
    EXPECT_EQ(got.end, exited(0));
    EXPECT_THAT(got.out, AllOf(HasSubstr(probe_.get("stock:1")),
                               HasSubstr("note: processes are not known")));
}

TEST_F(operators_rights, to_other_keys_are_missed_with_a_message_only)
{
    const auto holder = hold("stock:1");
    auto rule = operators_rule();
    std::erase_if(
        rule, [](const auto& each) { return each.starts_with("%R~") || each.starts_with("~"); });
    rule.push_back("~stock:*");
    probe_.must({"SET", "other", "x"});
    const auto got = as(as_keeper(rule), {"ls"});
    EXPECT_EQ(got.end, exited(0));
    EXPECT_THAT(got.out, HasSubstr("stock:1"));
    EXPECT_THAT(got.err, HasSubstr("the server refused to show 1 key"));
}

// ── Several servers ─────────────────────────────────────────────────────────────────────────────

TEST(operators_command_in_cluster, ls_lists_all_primaries_and_show_finds_the_right_one)
{
    const redis_cluster cluster{{.replicas = 0}};
    const words there{"--url", cluster.url()};
    std::vector<process> holders;
    for (const char* key : {"a", "b", "c", "d", "e", "f"}) {
        holders.push_back(
            pawl({"run", "--url", cluster.url(), key, "-c", "echo up; read line || true"}));
        EXPECT_EQ(holders.back().line_after("up"), "");
    }
    const auto got = run_pawl({"ls", "--json", "--url", cluster.url()});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    std::vector<std::string> names;
    for (const auto& each : lines_of(got.out)) names.push_back(each["lock"]);
    EXPECT_THAT(names, testing::UnorderedElementsAre("a", "b", "c", "d", "e", "f"));
    const auto one = json::parse(run_pawl({"show", "--json", "d", "--url", cluster.url()}).out);
    EXPECT_EQ(one["holders"][0]["process"]["pid"], holders[3].pid());
}

TEST(operators_command_with_sentinels, show_asks_the_primary)
{
    const sentinel_group group{{.replicas = 0, .sentinels = 1, .quorum = 1}};
    auto holder =
        pawl({"run", "--url", group.url(), "stock:1", "-c", "echo up; read line || true"});
    EXPECT_EQ(holder.line_after("up"), "");
    const auto got = run_pawl({"show", "--json", "stock:1", "--url", group.url()});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_EQ(json::parse(got.out)["holders"][0]["process"]["pid"], holder.pid());
    EXPECT_THAT(lines_of(run_pawl({"ls", "--json", "--url", group.url()}).out), SizeIs(1));
    EXPECT_EQ(run_pawl({"break", "--yes", "stock:1", "--url", group.url()}).end, exited(0));
}

TEST(operators_command_on_quorum, show_has_the_view_of_each_node)
{
    quorum_nodes nodes;
    const words environment{"PAWL_URL=" + nodes.url()};
    ASSERT_EQ(run_pawl({"quorum", "init"}, environment).end, exited(0));
    auto holder = pawl({"run", "stock:1", "-c", "echo up; read line || true"}, environment);
    EXPECT_EQ(holder.line_after("up"), "");
    auto got = run_pawl({"show", "--json", "stock:1"}, environment);
    EXPECT_EQ(got.end, exited(0)) << got.err;
    const auto lock = json::parse(got.out);
    EXPECT_EQ(lock["holders"][0]["process"]["pid"], holder.pid());
    ASSERT_THAT(lock["nodes"], SizeIs(3));
    EXPECT_EQ(lock["nodes"][0]["holder"], lock["holders"][0]["id"]);
    got = run_pawl({"ls", "--json"}, environment);
    EXPECT_THAT(lines_of(got.out), SizeIs(1));
    nodes.node(1).kill();
    got = run_pawl({"ls"}, environment);
    EXPECT_EQ(got.end, exited(69)) << "one node could not be listed";
    EXPECT_THAT(got.out, HasSubstr("stock:1"));
    EXPECT_THAT(got.err, HasSubstr("could not be listed"));
}

}  // namespace
}  // namespace pawl::test
