// What is sent to a node of a Cluster.
#include "store/redis/keys.h"
#include "store/redis/single_server.h"
#include "unit/scripted_transport.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace pawl::store {
namespace {

using namespace std::chrono_literals;
using core::exchange_request;
using core::hold_status;

class cluster_node_calls : public testing::Test {
protected:
    cluster_node_calls() { record_.facts = {.major_version = 7, .cluster = true}; }

    [[nodiscard]] core::renew_request renewals() const
    {
        core::renew_request all;
        for (const auto* const each : {&a_, &b_, &tagged_, &same_}) {
            all.all.push_back({.mine = {each, "me"}, .lease = 30s});
        }
        return all;
    }

    scripted::record record_;
    single_server server_{std::make_shared<base::system_platform>(),
                          std::make_unique<scripted>(record_), 0,
                          server_settings{.replicated = true, .cluster = true}};
    core::object a_{.name = "a"};
    core::object b_{.name = "b"};
    core::object tagged_{.name = "{a}x"};
    core::object same_{.name = "{b}y", .layout = layout::hash};
};

TEST_F(cluster_node_calls, are_scripts_for_sharded_channels_from_7_0_on)
{
    record_.replies = {"$15\r\n1 17 5000000000\r\n", "$15\r\n1 17 5000000000\r\n", ":1\r\n"};
    const core::acquire_request acquire{.mine = {&a_, "me"}, .lease = 30s, .until = {}};
    static_cast<void>(server_.execute(acquire, base::boot_time::max(), nullptr));
    EXPECT_EQ(record_.requests[0][1], redis::scripts::plain_acquire.sharded_sha);
    EXPECT_NE(redis::scripts::plain_acquire.sharded_sha, redis::scripts::plain_acquire.sha);

    record_.facts = {.major_version = 6, .cluster = true};
    static_cast<void>(server_.execute(acquire, base::boot_time::max(), nullptr));
    EXPECT_EQ(record_.requests[1][1], redis::scripts::plain_acquire.sha_without_flags);

    // A script that sends nothing has one form.
    record_.facts = {.major_version = 7, .cluster = true};
    const exchange_request check{core::check_request{.mine = {&a_, "me"}}};
    static_cast<void>(server_.execute(check, base::boot_time::max(), nullptr));
    EXPECT_EQ(record_.requests[2][1], redis::scripts::plain_check.sha);
}

TEST_F(cluster_node_calls, have_plain_messages_on_one_server_only)
{
    for (const auto* const each :
         {&redis::scripts::plain_release, &redis::scripts::hash_acquire,
          &redis::scripts::members_release, &redis::scripts::gate_arrive,
          &redis::scripts::term_yield, &redis::scripts::plain_cond_notify,
          &redis::scripts::plain_many_release, &redis::scripts::once_release}) {
        EXPECT_EQ(each->text.find("SPUBLISH"), std::string_view::npos);
        EXPECT_EQ(each->text.find("SHARDNUMSUB"), std::string_view::npos);
        EXPECT_EQ(each->sharded_text.find("'PUBLISH'"), std::string_view::npos);
        EXPECT_EQ(each->sharded_text.find("'NUMSUB'"), std::string_view::npos);
        EXPECT_NE(each->sharded_text.find("'SPUBLISH'"), std::string_view::npos);
    }
}

TEST_F(cluster_node_calls, are_never_bare_acquires)
{
    record_.replies = {"$21\r\n1 5000000000 50000000\r\n", "$21\r\n1 5000000001 50000000\r\n"};
    core::acquire_request acquire{
        .mine = {&a_, "me"}, .lease = 30s, .sent = base::boot_time{100s}, .until = {}};
    static_cast<void>(server_.execute(acquire, base::boot_time::max(), nullptr));
    acquire.hint = {.value = 5'000'000'000};
    static_cast<void>(server_.execute(acquire, base::boot_time::max(), nullptr));
    ASSERT_EQ(record_.requests.size(), 2);
    EXPECT_EQ(record_.requests[1][0], "EVALSHA");
}

TEST_F(cluster_node_calls, renew_the_leases_of_each_slot_in_one_call_and_all_in_one_write)
{
    // In the order of the slots: b, and a with its tag; the hash layout last.
    ASSERT_LT(hash_slot("b"), hash_slot("a"));
    record_.replies = {"*1\r\n:1\r\n", "*2\r\n:0\r\n:-1\r\n", "*1\r\n:-2\r\n"};
    const auto got = std::get<core::renew_request::reply>(
        server_.execute(renewals(), base::boot_time::max(), nullptr));
    ASSERT_EQ(record_.requests.size(), 3);
    EXPECT_EQ(record_.requests[0], (words{"EVALSHA", std::string{redis::scripts::plain_renew.sha},
                                          "1", "b", "me", "30000"}));
    EXPECT_EQ(record_.requests[1], (words{"EVALSHA", std::string{redis::scripts::plain_renew.sha},
                                          "2", "a", "{a}x", "me", "30000", "me", "30000"}));
    EXPECT_EQ(record_.requests[2][1], redis::scripts::hash_renew.sha);
    // The replies are in the order of the leases.
    EXPECT_EQ(got, (core::renew_request::reply{hold_status::vanished, hold_status::done,
                                               hold_status::taken, hold_status::not_a_lock}));
}

TEST_F(cluster_node_calls, of_one_server_renew_all_slots_in_one_call)
{
    single_server alone{std::make_shared<base::system_platform>(),
                        std::make_unique<scripted>(record_), 0};
    record_.replies = {"*3\r\n:1\r\n:1\r\n:1\r\n", "*1\r\n:1\r\n"};
    static_cast<void>(alone.execute(renewals(), base::boot_time::max(), nullptr));
    ASSERT_EQ(record_.requests.size(), 2);
    EXPECT_EQ(record_.requests[0][2], "3");
}

TEST_F(cluster_node_calls, say_asking_before_each_try)
{
    record_.replies = {"+OK\r\n", "-NOSCRIPT No matching script.\r\n", "+OK\r\n", ":1\r\n"};
    const exchange_request check{core::check_request{.mine = {&a_, "me"}}};
    const auto got = server_.execute_asking(check, base::boot_time::max(), nullptr);
    EXPECT_EQ(std::get<core::hold_reply>(got), core::hold_reply{hold_status::done});
    ASSERT_EQ(record_.requests.size(), 4);
    EXPECT_EQ(record_.requests[0], (words{"ASKING"}));
    EXPECT_EQ(record_.requests[1][0], "EVALSHA");
    EXPECT_EQ(record_.requests[2], (words{"ASKING"}));
    EXPECT_EQ(record_.requests[3][0], "EVAL");
}

TEST_F(cluster_node_calls, report_where_the_slot_is)
{
    record_.replies = {"-MOVED 15495 10.0.0.2:7001\r\n"};
    const exchange_request check{core::check_request{.mine = {&a_, "me"}}};
    const auto got = server_.execute(check, base::boot_time::max(), nullptr);
    const auto* const why = core::failure_in(got);
    ASSERT_NE(why, nullptr);
    EXPECT_EQ(why->what, core::failure_kind::elsewhere);
    EXPECT_EQ(why->detail, "MOVED 15495 10.0.0.2:7001");
    EXPECT_FALSE(why->maybe_executed);
}

}  // namespace
}  // namespace pawl::store
