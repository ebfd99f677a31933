// pawl break, with real servers.
#include "command.h"
#include "pseudo_terminal.h"

#include "support/acl_rule.h"
#include "support/quorum_nodes.h"
#include "support/redis_cluster.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

namespace pawl::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

class break_command : public command_test {
protected:
    [[nodiscard]] result there(words arguments) const
    {
        arguments.insert(arguments.end(), {"--url", server_.unix_url()});
        return run_pawl(arguments);
    }
    [[nodiscard]] process hold(const std::string& key) const
    {
        auto holder = start({key, "-c", "echo up; read line || true"});
        EXPECT_EQ(holder.line_after("up"), "");
        return holder;
    }
    [[nodiscard]] bool until_queued(const std::string& key)
    {
        return eventually([&] { return probe_.exists("pawl:queue:{" + key + "}"); });
    }
};

TEST_F(break_command, gives_the_lock_to_the_waiter_and_writes_to_the_log)
{
    const auto holder = hold("stock:1");
    auto waiter = start({"stock:1", "echo", "mine"});
    ASSERT_TRUE(until_queued("stock:1"));
    const auto id = probe_.get("stock:1");
    const auto got = there({"break", "--holder", id, "--reason", "it hangs", "--json", "stock:1"});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    const auto told = nlohmann::json::parse(got.out);
    EXPECT_EQ(told["outcome"], "broken");
    EXPECT_EQ(told["logged"], true);
    EXPECT_EQ(waiter.line_after("mine"), "");
    EXPECT_EQ(waiter.wait(patience), exited(0));
    const auto log = probe_.must({"XRANGE", "pawl:log", "-", "+"});
    ASSERT_EQ(log.items.size(), 1U);
    std::vector<std::string> fields;
    for (const auto& each : log.items[0].items.at(1).items) fields.push_back(each.text);
    EXPECT_THAT(fields, AllOf(Contains(id), Contains("stock:1"), Contains("it hangs"),
                              Contains(HasSubstr("@"))));
}

TEST_F(break_command, leaves_another_holder_alone)
{
    const auto holder = hold("stock:1");
    const auto id = probe_.get("stock:1");
    EXPECT_EQ(there({"break", "--holder", "p0123456789abcde0123456789abcdef", "stock:1"}).end,
              exited(75));
    EXPECT_EQ(probe_.get("stock:1"), id);
    EXPECT_EQ(there({"break", "--yes", "stock:2"}).end, exited(1));
    EXPECT_FALSE(probe_.exists("pawl:log"));
}

TEST_F(break_command, needs_a_holder_or_yes_without_a_terminal)
{
    const auto holder = hold("stock:1");
    const auto got = there({"break", "stock:1"});
    EXPECT_EQ(got.end, exited(64));
    EXPECT_THAT(got.err, HasSubstr("--holder or --yes"));
    EXPECT_TRUE(probe_.exists("stock:1"));
    EXPECT_EQ(there({"break", "--yes", "stock:1"}).end, exited(0));
    EXPECT_FALSE(probe_.exists("stock:1"));
}

TEST_F(break_command, asks_first_on_a_terminal)
{
    const auto holder = hold("stock:1");
    pseudo_terminal terminal;
    const auto type = [&](const std::string& answer) {
        terminal.type(std::string{PAWL_COMMAND} + " break --url " + server_.unix_url() +
                      " stock:1\n");
        terminal.expect("? [y/N] ");
        terminal.type(answer + "\n");
        terminal.type("echo status=$?.\n");
    };
    type("n");
    terminal.expect("nothing was changed");
    terminal.expect("status=75.");
    EXPECT_TRUE(probe_.exists("stock:1"));
    type("y");
    terminal.expect("status=0.");
    EXPECT_FALSE(probe_.exists("stock:1"));
}

TEST_F(break_command, of_one_of_several_holders_needs_its_name)
{
    probe_.must({"ZADD", "seats", "-2", "out", "-5", "capacity", "9999999999999",
                 "p0123456789abcde0123456789abcdef1", "9999999999999",
                 "p1123456789abcde0123456789abcdef1"});
    EXPECT_THAT(there({"break", "--yes", "seats"}).err, HasSubstr("has 2 holders; name one"));
    EXPECT_EQ(there({"break", "--holder", "p1123456789abcde0123456789abcdef", "seats"}).end,
              exited(0));
    EXPECT_EQ(probe_.must({"ZSCORE", "seats", "out"}).text, "-1");
}

// As docs/operating.md says: the operator's rule, that of the locks, and the log.
TEST_F(break_command, needs_the_rights_of_the_locks_and_the_log_only)
{
    words setuser{"ACL", "SETUSER", "keeper", "reset", "on", ">password"};
    const auto add = [&](const std::vector<std::string>& rule) {
        std::ranges::copy_if(rule, std::back_inserter(setuser), [](const auto& each) {
            return each != "resetchannels" && each != "-@all";
        });
    };
    setuser.insert(setuser.end(), {"resetchannels", "-@all"});
    add(operators_rule());
    add(smallest_rule());
    add({"+xadd", "~pawl:log"});
    ASSERT_FALSE(probe_.command(setuser).is_error());
    const std::string url = "redis://keeper:password@127.0.0.1:" + std::to_string(server_.port());
    const auto holder = hold("stock:1");
    auto waiter = start({"stock:1", "-c", "echo mine; read line || true"});
    ASSERT_TRUE(until_queued("stock:1"));
    const auto got = run_pawl({"break", "--yes", "stock:1", "--url", url});
    EXPECT_EQ(got.end, exited(0)) << got.err;
    EXPECT_EQ(got.err, "");
    EXPECT_EQ(waiter.line_after("mine"), "");
    probe_.must({"ZADD", "stock:set", "-3", "out", "-5", "capacity", "9999999999999",
                 "p0123456789abcde0123456789abcdef3"});
    EXPECT_EQ(run_pawl({"break", "--yes", "stock:set", "--url", url}).end, exited(0));
    EXPECT_TRUE(probe_.must({"ACL", "LOG"}).items.empty());
}

TEST_F(break_command, does_not_call_a_lock_free_that_it_may_not_read)
{
    words setuser{"ACL", "SETUSER", "keeper", "reset", "on", ">password"};
    auto rule = operators_rule();
    std::erase(rule, "+type");
    setuser.insert(setuser.end(), rule.begin(), rule.end());
    ASSERT_FALSE(probe_.command(setuser).is_error());
    const std::string url = "redis://keeper:password@127.0.0.1:" + std::to_string(server_.port());
    const auto holder = hold("stock:1");
    const auto got = run_pawl({"break", "--yes", "stock:1", "--url", url});
    EXPECT_EQ(got.end, exited(77));
    EXPECT_THAT(got.err, AllOf(HasSubstr("could not be read"), HasSubstr("NOPERM")));
    EXPECT_TRUE(probe_.exists("stock:1"));
}

TEST(break_in_cluster, works_at_the_node_that_has_the_lock)
{
    const redis_cluster cluster{{.replicas = 0}};
    for (const char* key : {"a", "b", "c", "d"}) {
        auto holder =
            pawl({"run", "--url", cluster.url(), key, "-c", "echo up; read line || true"});
        EXPECT_EQ(holder.line_after("up"), "");
        const auto got = run_pawl({"break", "--yes", key, "--url", cluster.url()});
        EXPECT_EQ(got.end, exited(0)) << got.err;
        EXPECT_EQ(got.err, "");
        EXPECT_FALSE(cluster.probe(cluster.owner_of(key)).exists(key));
    }
}

TEST(break_on_quorum, is_refused)
{
    quorum_nodes nodes;
    const words environment{"PAWL_URL=" + nodes.url()};
    ASSERT_EQ(run_pawl({"quorum", "init"}, environment).end, exited(0));
    auto holder = pawl({"run", "stock:1", "-c", "echo up; read line || true"}, environment);
    EXPECT_EQ(holder.line_after("up"), "");
    const auto got = run_pawl({"break", "--yes", "stock:1"}, environment);
    EXPECT_EQ(got.end, exited(77));
    EXPECT_THAT(got.err, HasSubstr("a hold on a quorum cannot be broken"));
}

}  // namespace
}  // namespace pawl::test
