// Votes of a quorum: what makes a hold, and what does not.
#include "unit/quorum_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pawl::core::quorum {
namespace {

using testing::HasSubstr;

using quorum_claim = quorum_test;
using quorum_claim_of_five = quorum_of_five_test;

TEST_F(quorum_claim, equal_numbers_of_a_majority_are_a_hold)
{
    begin(0);
    EXPECT_EQ(count<vote_request>(), 3U);
    vote(0, 70, 1);
    EXPECT_FALSE(answer_);
    vote(2, 70, 2);
    ASSERT_TRUE(is_granted());
    EXPECT_EQ(grant().fence, 70U);
    EXPECT_EQ(grant().at, at(0));
    EXPECT_EQ(count<raise_request>(), 0U);
}

TEST_F(quorum_claim, all_nodes_get_the_same_proposal_which_no_clock_has_reached)
{
    begin(10);
    const auto first = last<vote_request>(0).proposal;
    EXPECT_GT(first, static_cast<std::uint64_t>(clock_at(10).count()));
    EXPECT_EQ(last<vote_request>(1).proposal, first);
    EXPECT_EQ(last<vote_request>(2).proposal, first);
}

TEST_F(quorum_claim, unequal_numbers_are_raised_to_the_greatest)
{
    begin(0);
    vote(0, 70, 1);
    vote(1, 75, 1);
    EXPECT_FALSE(answer_);
    ASSERT_EQ(count<raise_request>(), 1U);
    EXPECT_EQ(last<raise_request>(0).number, 75U);
    EXPECT_EQ(last<raise_request>(0).reserve, 10U);
    raise_at(0, raised{}, 2);
    ASSERT_TRUE(is_granted());
    EXPECT_EQ(grant().fence, 75U);
}

TEST_F(quorum_claim, a_number_that_was_not_raised_does_not_count)
{
    begin(0);
    vote(0, 70, 1);
    vote(1, 75, 1);
    raise_at(0, hold_status::taken, 2);
    EXPECT_FALSE(is_granted());
    EXPECT_EQ(count<vote_request>(0), 2U) << "the node is asked again";
    busy_at(0, 3);
    busy_at(2, 3);
    EXPECT_FALSE(is_granted());
}

TEST_F(quorum_claim, a_try_that_has_a_majority_waits_for_its_raise_past_the_limit_of_slow_nodes)
{
    begin(0);
    vote(0, 70, 1);
    vote(1, 75, 1);
    busy_at(2, 2);
    time_passes(50);
    EXPECT_FALSE(answer_) << "nobody else can have the lock";
    raise_at(0, raised{}, 60);
    EXPECT_TRUE(is_granted());
}

TEST_F(quorum_claim, a_raise_without_an_answer_does_not_count_until_the_node_was_asked_again)
{
    begin(0);
    vote(0, 70, 1);
    vote(1, 75, 1);
    raise_at(0, lost_reply, 2);
    EXPECT_FALSE(answer_);
    vote(0, 75, 3);
    ASSERT_TRUE(is_granted());
    EXPECT_EQ(grant().fence, 75U);
    EXPECT_EQ(grant().at, at(0)) << "the other vote is older";
}

TEST_F(quorum_claim_of_five, the_lease_is_that_of_the_majoritys_oldest_vote_and_not_of_the_best)
{
    begin_to_wait(0);
    for (const auto node : {0U, 1U, 2U, 3U, 4U}) busy_at(node, 1);
    EXPECT_TRUE(others().queued);
    tell(0, 90, 100, 101);
    tell(1, 90, 110, 111);
    EXPECT_FALSE(granted_);
    tell(2, 90, 120, 121);
    ASSERT_TRUE(granted_);
    EXPECT_EQ(granted_->fence, 90U);
    EXPECT_EQ(granted_->at, at(100));
    EXPECT_EQ(claim_.held()->deadline, local_deadline(at(100), 1s, 0.01));
}

TEST_F(quorum_claim, votes_whose_lease_is_over_do_not_count)
{
    begin_to_wait(0);
    for (const auto node : {0U, 1U, 2U}) busy_at(node, 1);
    tell(0, 90, 100, 101);
    tell(1, 90, 1200, 1201);
    EXPECT_FALSE(granted_);
    tell(2, 90, 1202, 1203);
    EXPECT_TRUE(granted_);
}

TEST_F(quorum_claim, a_try_that_finds_another_holder_is_busy_and_gives_its_votes_back)
{
    begin(0);
    vote(0, 70, 1);
    busy_at(1, 1);
    EXPECT_FALSE(answer_) << "the third node may decide";
    busy_at(2, 2);
    EXPECT_FALSE(others().queued);
    EXPECT_TRUE(ends_);
    EXPECT_TRUE(claim_.at(0).may_be_there());
    EXPECT_FALSE(claim_.at(1).may_be_there());
}

TEST_F(quorum_claim, a_slow_node_does_not_delay_a_hold)
{
    begin(0);
    vote(0, 70, 1);
    vote(1, 70, 1);
    EXPECT_TRUE(is_granted());
}

TEST_F(quorum_claim_of_five, a_slow_node_does_not_delay_the_answer_that_it_is_busy)
{
    begin(0);
    vote(0, 70, 1);
    vote(1, 70, 1);
    busy_at(2, 1);
    busy_at(3, 1);
    EXPECT_FALSE(answer_) << "the fifth vote would be enough";
    EXPECT_EQ(claim_.wake(), at(50));
    time_passes(50);
    EXPECT_FALSE(others().queued);
    EXPECT_TRUE(ends_);
}

TEST_F(quorum_claim_of_five, too_few_nodes_are_no_quorum_and_the_reason_of_each_is_told)
{
    begin(0);
    vote(0, 70, 1);
    fail(1, not_sent, 1);
    fail(2, not_sent, 1);
    EXPECT_FALSE(answer_);
    busy_at(3, 1, waits::reason::quarantine);
    EXPECT_FALSE(answer_) << "the last answer cannot help, but may explain";
    EXPECT_EQ(claim_.wake(), at(50));
    time_passes(50);
    EXPECT_EQ(problem().what, failure_kind::no_quorum);
    EXPECT_THAT(problem().detail, HasSubstr("redis://b: connection refused"));
    EXPECT_THAT(problem().detail, HasSubstr("redis://d: in quarantine for 1 s"));
    EXPECT_THAT(problem().detail, HasSubstr("redis://e: no answer yet"));
    EXPECT_TRUE(ends_);
}

TEST_F(quorum_claim, a_node_that_no_request_has_reached_has_nothing_to_return)
{
    begin_to_wait(0);
    fail(0, not_sent, 1);
    fail(1, lost_reply, 1);
    EXPECT_FALSE(claim_.at(0).may_be_there());
    EXPECT_EQ(claim_.at(0).late_until, base::boot_time{});
    EXPECT_TRUE(claim_.at(1).may_be_there());
    begin_to_wait(100);
    fail(0, not_sent, 101);
    fail(1, not_sent, 101);
    EXPECT_FALSE(claim_.at(0).may_be_there());
    EXPECT_TRUE(claim_.at(1).may_be_there()) << "the first request may have reached it";
}

TEST_F(quorum_claim, nodes_that_do_not_answer_are_waited_for_until_the_caller_gives_up)
{
    begin(0);
    vote(0, 70, 1);
    time_passes(50);
    EXPECT_FALSE(answer_);
    EXPECT_EQ(claim_.wake(), at(300));
    time_passes(300);
    EXPECT_EQ(problem().what, failure_kind::no_quorum);
}

TEST_F(quorum_claim,
       a_waiter_whose_earlier_try_is_being_given_back_at_one_node_waits_for_the_others)
{
    acquire_request request{.mine = mine_, .lease = 1s, .sent = at(0), .until = at(300)};
    request.wait = 1500ms;
    claim_.ask(request, {false, false, true}, at(0));
    proceed();
    busy_at(0, 1);
    EXPECT_FALSE(answer_);
    busy_at(1, 2);
    EXPECT_TRUE(others().queued);
}

TEST_F(quorum_claim, a_majority_that_refuses_is_a_refusal)
{
    const failure no_permission{.what = failure_kind::refused, .detail = "NOPERM"};
    begin(0);
    vote(0, 70, 1);
    fail(1, no_permission, 1);
    fail(2, no_permission, 1);
    EXPECT_EQ(problem().what, failure_kind::refused);
    EXPECT_EQ(problem().detail, "NOPERM; at redis://b, redis://c");
}

TEST_F(quorum_claim, a_waiter_in_quarantine_waits)
{
    begin_to_wait(0);
    for (const auto node : {0U, 1U, 2U}) busy_at(node, 1, waits::reason::quarantine);
    EXPECT_TRUE(others().queued);
    EXPECT_EQ(others().left, 500ms);
    EXPECT_THAT(others().shortage, HasSubstr("redis://c: in quarantine for 1 s"));
    EXPECT_FALSE(ends_);
}

TEST_F(quorum_claim, a_waiter_behind_a_holder_hears_of_no_shortage)
{
    begin_to_wait(0);
    busy_at(0, 1, waits::reason::quarantine);
    for (const auto node : {1U, 2U}) busy_at(node, 1);
    EXPECT_TRUE(others().queued);
    EXPECT_EQ(others().shortage, "");
}

TEST_F(quorum_claim, two_nodes_that_are_one_server_have_one_vote)
{
    all_.connected(0, "x");
    all_.connected(1, "x");
    all_.connected(2, "y");
    ASSERT_EQ(all_.take_warnings().size(), 1U);
    begin(0);
    vote(0, 70, 1);
    vote(1, 70, 1);
    EXPECT_FALSE(answer_);
    vote(2, 70, 1);
    EXPECT_TRUE(is_granted());
}

TEST_F(quorum_claim, a_node_whose_clock_was_stepped_does_not_vote_for_new_holds)
{
    all_.answered(0, clock_at(1000), at(1), at(2));
    ASSERT_EQ(all_.take_warnings().size(), 1U);
    begin(10);
    vote(0, 70, 11);
    vote(1, 70, 11);
    EXPECT_FALSE(answer_);
    vote(2, 70, 11);
    EXPECT_TRUE(is_granted());
}

TEST_F(quorum_claim, stepped_clocks_of_a_majority_are_no_quorum_and_not_busy)
{
    for (const auto node : {0U, 2U}) all_.answered(node, clock_at(1000), at(1), at(2));
    begin(10);
    for (const auto node : {0U, 1U, 2U}) vote(node, 70, 11);
    ASSERT_TRUE(answer_);
    EXPECT_EQ(problem().what, failure_kind::no_quorum);
    EXPECT_TRUE(problem().no_server) << "a caller that does not wait is told at once";
    EXPECT_THAT(problem().detail, HasSubstr("1 of 3 nodes can vote, 2 are needed"));
    EXPECT_THAT(problem().detail, HasSubstr("redis://a: its clock was stepped, so its votes do "
                                            "not count for 2 s"));
    EXPECT_TRUE(ends_) << "the votes are returned";
}

TEST_F(quorum_claim, a_waiter_for_nodes_with_stepped_clocks_waits_until_their_votes_count)
{
    for (const auto node : {0U, 2U}) all_.answered(node, clock_at(1000), at(1), at(2));
    begin_to_wait(10);
    for (const auto node : {0U, 1U, 2U}) vote(node, 70, 11);
    EXPECT_TRUE(others().queued);
    EXPECT_THAT(others().shortage, HasSubstr("redis://c: its clock was stepped"));
    EXPECT_FALSE(ends_);
    begin_to_wait(2010);
    for (const auto node : {0U, 1U}) vote(node, 70, 2011);
    EXPECT_TRUE(is_granted());
}

TEST_F(quorum_claim, an_established_holder_that_asks_again_late_gets_a_lease_that_counts_anew)
{
    begin_to_wait(0);
    for (const auto node : {0U, 1U, 2U}) busy_at(node, 1);
    tell(0, 90, 100, 101);
    tell(1, 90, 100, 101);
    ASSERT_TRUE(granted_);
    answer_.reset();
    begin_to_wait(600);
    vote(0, 90, 601);
    EXPECT_FALSE(answer_);
    vote(1, 90, 601);
    ASSERT_TRUE(is_granted());
    EXPECT_EQ(grant().fence, 90U);
    EXPECT_EQ(grant().at, at(600));
}

TEST_F(quorum_claim, an_established_holder_that_asks_again_and_was_lost_is_not_granted)
{
    begin_to_wait(0);
    for (const auto node : {0U, 1U, 2U}) busy_at(node, 1);
    tell(0, 90, 100, 101);
    tell(1, 90, 100, 101);
    answer_.reset();
    begin_to_wait(600);
    for (const auto node : {0U, 1U, 2U}) busy_at(node, 601);
    EXPECT_TRUE(others().queued);
    EXPECT_FALSE(claim_.held());
}

// The node was started again. A renewal restores the vote there if it is still in force.
TEST_F(quorum_claim, a_late_answer_from_quarantine_does_not_take_the_vote_of_a_hold_away)
{
    begin_to_wait(0);
    vote(0, 70, 1);
    for (const auto node : {1U, 2U}) busy_at(node, 1);
    begin_to_wait(100);
    tell(1, 70, 101, 102);
    ASSERT_TRUE(claim_.held());
    busy_at(0, 103, waits::reason::quarantine);
    EXPECT_EQ(claim_.vote_until(0), local_deadline(at(0), 1s, 0.01));
    busy_at(0, 104, waits::reason::held);
    EXPECT_EQ(claim_.vote_until(0), base::boot_time{}) << "this node has voted for another one";
}

// The lease of the acquire is 1 s. A node in quarantine would restore a vote that has ended.
TEST_F(quorum_claim, a_vote_that_was_restored_lasts_for_the_lease_of_the_restore_only)
{
    begin(0);
    for (const auto node : {0U, 1U, 2U}) vote(node, 70, 1);
    ASSERT_TRUE(is_granted());
    claim_.vote_gone(2);
    EXPECT_EQ(claim_.vote_until(2), base::boot_time{});
    claim_.vote_renewed(2, 500ms, at(400));
    EXPECT_EQ(claim_.vote_until(2), local_deadline(at(400), 500ms, 0.01));
    claim_.vote_renewed(2, 800ms, at(600));
    EXPECT_EQ(claim_.vote_until(2), local_deadline(at(600), 800ms, 0.01));
}

TEST_F(quorum_claim, a_node_where_an_earlier_try_may_yet_be_returned_is_not_asked)
{
    acquire_request request{.mine = mine_, .lease = 1s, .sent = at(0), .until = at(300)};
    claim_.ask(request, {true, false, false}, at(0));
    proceed();
    EXPECT_EQ(count<vote_request>(0), 0U);
    tell(0, 70, 0, 1);
    vote(1, 70, 1);
    EXPECT_FALSE(answer_) << "the message is about a vote that is being returned";
    vote(2, 70, 1);
    EXPECT_TRUE(is_granted());
}

// The first request may have been delayed, and arrive after the answer to the second one.
TEST_F(quorum_claim, a_vote_request_without_an_answer_may_arrive_after_the_next_one_was_answered)
{
    begin_to_wait(0);
    fail(0, lost_reply, 10);
    begin_to_wait(50);
    busy_at(0, 51);
    EXPECT_EQ(claim_.at(0).late_until, at(300));
}

}  // namespace
}  // namespace pawl::core::quorum
