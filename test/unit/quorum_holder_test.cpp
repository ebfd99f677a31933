// What a quorum_store knows of one holder id, beside its claim.
#include "core/acquire.h"
#include "store/quorum/holder.h"
#include "unit/quorum_fixture.h"

#include <gtest/gtest.h>

#include <vector>

namespace pawl::store {
namespace {

using namespace std::chrono_literals;
using core::hold_status;
using core::quorum::lost_reply;
using test::at;

class quorum_holder : public testing::Test {
protected:
    quorum_holder()
    {
        core::quorum::return_machine::plan what;
        what.parts.resize(3, {.there = true});
        what.lease = 1s;
        who_.returning.emplace(all_, who_.name(), what, at(0));
    }
    void returned(unsigned node, const core::hold_reply& got, int now)
    {
        who_.returning->on_return(node, {.mine = who_.name(), .sent = at(0)}, got, at(now));
    }

    core::object object_{.name = "a"};
    core::quorum::nodes all_{core::quorum::names_of_nodes(3), 0.01, 2s};
    holder who_{{&object_, "me"}, 3};
};

TEST_F(quorum_holder, avoids_no_node_if_nothing_was_returned)
{
    const holder another{{&object_, "me"}, 3};
    EXPECT_EQ(another.avoided(at(0)), std::vector<bool>(3));
}

TEST_F(quorum_holder, avoids_a_node_until_its_return_is_answered)
{
    EXPECT_EQ(who_.avoided(at(0)), std::vector<bool>(3, true));
    returned(0, hold_status::done, 1);
    returned(1, hold_status::vanished, 1);
    EXPECT_EQ(who_.avoided(at(1)), (std::vector<bool>{false, false, true}));
}

// It will be sent again, and the first one may also be executed later.
TEST_F(quorum_holder, avoids_a_node_whose_return_had_no_answer)
{
    returned(2, lost_reply, 1);
    EXPECT_TRUE(who_.avoided(at(1))[2]);
    EXPECT_TRUE(who_.avoided(at(1) + core::latest_execution)[2]) << "it was not sent again yet";
}

// A vote request that was on its way may have arrived after the return, so there will be another return.
TEST_F(quorum_holder, avoids_a_node_that_will_get_another_return)
{
    core::quorum::return_machine::plan what;
    what.parts.resize(3, {.there = true});
    what.parts[1].late_until = at(500);
    what.lease = 1s;
    who_.returning.emplace(all_, who_.name(), what, at(0));
    returned(0, hold_status::done, 1);
    returned(1, hold_status::done, 1);
    EXPECT_EQ(who_.avoided(at(1)), (std::vector<bool>{false, true, true}));
}

// A renewal gives the vote another number. A question that keeps the lock does not.
TEST_F(quorum_holder, is_unsure_of_a_node_where_a_vote_may_yet_be_handed_back)
{
    const base::random_unit random = test::always(0);
    holder waiter{{&object_, "me"}, 3};
    waiter.claim.emplace(all_, waiter.name(), random);
    auto& claim = *waiter.claim;
    claim.ask({.mine = waiter.name(), .lease = 1s, .sent = at(0), .until = at(300), .wait = 1500ms},
              std::vector<bool>(3), at(0));
    const core::vote_request asked{.sent = at(0)};
    claim.on_vote(0, asked, core::voted{.number = 90}, at(1));
    for (const auto node : {1U, 2U}) claim.on_vote(node, asked, core::waits{.placed = true}, at(1));
    EXPECT_EQ(waiter.unsure(at(2)), std::vector<bool>(3));
    claim.on_time(claim.wake());
    EXPECT_EQ(claim.at(0).number_at_risk(), 90U);
    EXPECT_EQ(waiter.unsure(at(9)), (std::vector<bool>{true, false, false}));
    for (const auto node : {1U, 2U}) claim.on_notice({node, 70, at(9)}, at(9));
    ASSERT_TRUE(claim.held());
    claim.on_hand_back(0, {.sent = at(9), .number = 90}, lost_reply, at(10));
    EXPECT_EQ(waiter.unsure(at(10)), (std::vector<bool>{true, false, false}));
    claim.vote_renewed(0, 1s, at(11));
    EXPECT_EQ(waiter.unsure(at(12)), std::vector<bool>(3)) << "it has a greater number now";
}

// Its number is greater than the one that the hand-back names, so the hand-back can do it no harm.
TEST_F(quorum_holder, is_sure_of_a_vote_that_a_message_has_told_of_since_the_hand_back)
{
    const base::random_unit random = test::always(0);
    holder waiter{{&object_, "me"}, 3};
    waiter.claim.emplace(all_, waiter.name(), random);
    auto& claim = *waiter.claim;
    claim.ask({.mine = waiter.name(), .lease = 1s, .sent = at(0), .until = at(300), .wait = 1500ms},
              std::vector<bool>(3), at(0));
    const core::vote_request asked{.sent = at(0)};
    claim.on_vote(0, asked, core::voted{.number = 90}, at(1));
    for (const auto node : {1U, 2U}) claim.on_vote(node, asked, core::waits{.placed = true}, at(1));
    claim.on_time(claim.wake());
    claim.on_hand_back(0, {.sent = at(9), .number = 90}, lost_reply, at(10));
    claim.on_vote(0, {.sent = at(10)}, core::waits{.placed = true}, at(11));
    EXPECT_EQ(waiter.unsure(at(11)), (std::vector<bool>{true, false, false}));
    for (const auto node : {0U, 1U}) claim.on_notice({node, 95, at(12)}, at(12));
    ASSERT_TRUE(claim.held());
    EXPECT_EQ(waiter.unsure(at(12)), std::vector<bool>(3));
}

}  // namespace
}  // namespace pawl::store
