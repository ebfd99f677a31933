// The requests to a node of a quorum, through the store of that node.
#include "unit/one_server_fixture.h"

namespace pawl::store {
namespace {

class node_of_a_quorum : public one_server {
protected:
    template <class Request>
    typename Request::reply ask(const Request& what)
    {
        return std::get<typename Request::reply>(
            node_.execute(core::node_request{what}, what.sent + 1s, nullptr));
    }
    core::vote_reply vote(base::boot_time now)
    {
        return ask(core::vote_request{
            .mine = {&object_, "me"}, .lease = 30s, .sent = now, .until = now + 1s});
    }
    core::restore_reply restore(std::vector<const core::object*> locks)
    {
        core::restore_request all{.sent = base::boot_time{100s}};
        for (const auto* const each : locks)
            all.all.push_back({.mine = {each, "me"}, .lease = 30s});
        return ask(all);
    }

    core::object other_{.name = "b"};
    single_server node_{std::make_shared<base::system_platform>(),
                        std::make_unique<scripted>(record_), 0, server_settings{.quarantine = 61s}};
};

TEST_F(node_of_a_quorum, is_told_its_run_and_the_length_of_its_quarantine)
{
    record_.facts.run_id = "0a1b";
    record_.replies = {"$15\r\n1 17 5000000000\r\n"};
    EXPECT_EQ(std::get<core::voted>(vote(base::boot_time{100s})).number, 17U);
    ASSERT_EQ(record_.requests.size(), 1U);
    EXPECT_EQ(record_.requests[0].at(15), "0a1b");
    EXPECT_EQ(record_.requests[0].at(16), "61000");
}

TEST_F(node_of_a_quorum, is_told_until_when_a_vote_is_wanted_once_its_clock_is_known)
{
    record_.replies = {"$15\r\n1 17 5000000000\r\n", "$15\r\n2 17 5060000000\r\n"};
    static_cast<void>(vote(base::boot_time{100s}));
    EXPECT_TRUE(std::get<core::voted>(vote(base::boot_time{160s})).found);
    EXPECT_EQ(record_.requests[0].at(9), "0");
    EXPECT_EQ(record_.requests[1].at(9), "0000005061001000");
}

TEST_F(node_of_a_quorum, whose_clock_was_stepped_is_asked_for_its_vote_again_with_the_right_time)
{
    record_.replies = {"$16\r\n0 100 5000000000\r\n", "$15\r\n-1 0 9000000000\r\n",
                       "$15\r\n1 17 9000000000\r\n"};
    // An hour from now, so that the vote is still wanted.
    const auto then = base::boot_clock::now() + 1h;
    static_cast<void>(vote(then));
    EXPECT_TRUE(std::holds_alternative<core::voted>(vote(then)));
    ASSERT_EQ(record_.requests.size(), 3U);
    EXPECT_EQ(record_.requests[2].at(9), "0000009001001000");
}

TEST_F(node_of_a_quorum, is_not_asked_again_for_a_vote_that_is_not_wanted_any_more)
{
    record_.replies = {"$16\r\n0 100 5000000000\r\n", "$15\r\n-1 0 9000000000\r\n",
                       "$15\r\n1 17 9000000000\r\n"};
    const auto then = base::boot_clock::now() - 10s;
    static_cast<void>(vote(then));
    EXPECT_EQ(std::get<core::failure>(vote(then)).what, core::failure_kind::unavailable);
    EXPECT_EQ(record_.requests.size(), 2U);
}

// Its caller does not wait for the answer, so there may be no second try.
TEST_F(node_of_a_quorum, gets_the_script_of_a_return_with_the_first_one_of_each_run)
{
    record_.replies = {":1\r\n", ":1\r\n", ":1\r\n"};
    const core::return_request given{.mine = {&object_, "me"}, .sent = base::boot_time{100s}};
    record_.facts.run_id = "0a1b";
    static_cast<void>(ask(given));
    static_cast<void>(ask(given));
    record_.facts.run_id = "2c3d";
    static_cast<void>(ask(given));
    ASSERT_EQ(record_.requests.size(), 3U);
    EXPECT_EQ(record_.requests[0].front(), "EVAL");
    EXPECT_EQ(record_.requests[1].front(), "EVALSHA");
    EXPECT_EQ(record_.requests[2].front(), "EVAL");
}

TEST_F(node_of_a_quorum, that_does_not_know_a_script_gets_it)
{
    record_.replies = {"-NOSCRIPT No matching script.\r\n", "$15\r\n1 17 9000000000\r\n"};
    EXPECT_TRUE(std::holds_alternative<core::voted>(vote(base::boot_time{100s})));
    ASSERT_EQ(record_.requests.size(), 2U);
    EXPECT_EQ(record_.requests[1].front(), "EVAL");
}

TEST_F(node_of_a_quorum, that_is_silent_may_have_voted)
{
    record_.is_sent = true;
    EXPECT_TRUE(std::get<core::failure>(vote(base::boot_time{100s})).maybe_executed);
    const auto got = restore({&object_, &other_});
    ASSERT_EQ(got.all.size(), 2U);
    EXPECT_TRUE(std::get<core::failure>(got.all[1]).maybe_executed);
    EXPECT_FALSE(got.now);
}

TEST_F(node_of_a_quorum, restores_one_by_one_what_it_refuses_together)
{
    record_.replies = {"-NOPERM no\r\n", "-NOPERM no\r\n",
                       "*2\r\n$16\r\n1700000000000000\r\n:2\r\n"};
    const auto got = restore({&object_, &other_});
    EXPECT_EQ(std::get<core::failure>(got.all[0]).what, core::failure_kind::refused);
    EXPECT_TRUE(std::get<core::restored>(got.all[1]).again);
    EXPECT_EQ(got.now, core::node_time{1'700'000'000'000'000});
    EXPECT_EQ(record_.requests.size(), 3U);
}

}  // namespace
}  // namespace pawl::store
