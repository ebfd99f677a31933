// Split votes of a quorum: when they are handed back, and which of them count afterwards.
#include "unit/quorum_fixture.h"

#include <gtest/gtest.h>

namespace pawl::core::quorum {
namespace {

using outcome = handed_back::outcome;

class quorum_hand_back : public quorum_test {
protected:
    // It waits, and has the vote of node 0 with the number 70 only.
    void split_votes()
    {
        begin_to_wait(0);
        vote(0, 70, 1);
        busy_at(1, 1);
        busy_at(2, 1);
        EXPECT_TRUE(others().queued);
    }
    void split_votes_and_hand_back()
    {
        split_votes();
        time_passes(4);
        ASSERT_EQ(count<hand_back_request>(0), 1U);
    }
};

TEST_F(quorum_hand_back, is_sent_after_a_pause_for_each_vote_by_its_number)
{
    split_votes();
    EXPECT_EQ(claim_.wake(), at(4));
    time_passes(4);
    EXPECT_EQ(count<hand_back_request>(), 1U);
    const auto asked = last<hand_back_request>(0);
    EXPECT_EQ(asked.number, 70U);
    EXPECT_EQ(asked.order, last<vote_request>(1).order);
    EXPECT_GT(asked.proposal, 70U);
}

TEST_F(quorum_hand_back, is_not_needed_if_a_majority_follows)
{
    split_votes();
    tell(1, 70, 2, 3);
    EXPECT_TRUE(granted_);
    EXPECT_EQ(claim_.wake(), base::boot_time::max());
}

TEST_F(quorum_hand_back, a_vote_that_is_offered_does_not_count)
{
    split_votes_and_hand_back();
    tell(1, 70, 5, 6);
    EXPECT_FALSE(granted_);
    hand_back_at(0, handed_back{.what = outcome::given}, 7);
    EXPECT_FALSE(granted_);
    tell(2, 70, 8, 9);
    EXPECT_TRUE(granted_);
}

TEST_F(quorum_hand_back, a_vote_that_is_kept_counts_from_when_it_was_offered)
{
    split_votes_and_hand_back();
    tell(1, 70, 5, 6);
    hand_back_at(0, handed_back{.what = outcome::kept}, 7);
    ASSERT_TRUE(granted_);
    EXPECT_EQ(granted_->at, at(4));
}

TEST_F(quorum_hand_back, pauses_grow)
{
    split_votes_and_hand_back();
    hand_back_at(0, handed_back{.what = outcome::kept}, 5);
    EXPECT_EQ(claim_.wake(), at(5 + 6));
    time_passes(11);
    hand_back_at(0, handed_back{.what = outcome::kept}, 12);
    EXPECT_EQ(claim_.wake(), at(12 + 12));
}

TEST_F(quorum_hand_back, a_delayed_message_about_a_vote_that_was_given_away_is_ignored)
{
    split_votes_and_hand_back();
    hand_back_at(0, handed_back{.what = outcome::given}, 5);
    tell(0, 70, 1, 6);
    tell(1, 70, 6, 7);
    EXPECT_FALSE(granted_);
    tell(0, 80, 8, 9);
    EXPECT_FALSE(granted_) << "unequal";
    EXPECT_EQ(last<raise_request>(1).number, 80U);
    raise_at(1, raised{}, 10);
    ASSERT_TRUE(granted_);
    EXPECT_EQ(granted_->fence, 80U);
}

TEST_F(quorum_hand_back, without_an_answer_only_a_vote_with_a_new_number_counts)
{
    split_votes_and_hand_back();
    tell(1, 70, 5, 6);
    hand_back_at(0, lost_reply, 100);
    EXPECT_TRUE(last<vote_request>(0).renumber);
    vote(0, 70, 101);
    EXPECT_FALSE(granted_) << "the hand-back may yet be executed, and would give this vote away";
    EXPECT_EQ(count<raise_request>(), 0U);
}

TEST_F(quorum_hand_back, without_an_answer_a_vote_with_a_new_number_counts)
{
    split_votes_and_hand_back();
    tell(1, 75, 5, 6);
    hand_back_at(0, lost_reply, 100);
    vote(0, 75, 101);
    ASSERT_TRUE(granted_);
    EXPECT_EQ(granted_->fence, 75U);
    EXPECT_EQ(granted_->at, at(5));
}

TEST_F(quorum_hand_back, that_was_never_sent_changes_nothing)
{
    split_votes_and_hand_back();
    tell(1, 70, 5, 6);
    hand_back_at(0, not_sent, 7);
    EXPECT_TRUE(granted_);
}

TEST_F(quorum_hand_back, of_a_vote_that_has_another_number_asks_the_node_again)
{
    split_votes_and_hand_back();
    hand_back_at(0, handed_back{.what = outcome::other}, 5);
    EXPECT_EQ(count<vote_request>(0), 2U);
    tell(1, 80, 6, 7);
    vote(0, 80, 8);
    EXPECT_TRUE(granted_);
}

TEST_F(quorum_hand_back, a_message_whose_time_is_not_known_asks_the_node)
{
    begin_to_wait(0);
    for (const auto node : {0U, 1U, 2U}) busy_at(node, 1);
    claim_.on_notice({0, 70, base::boot_time{}}, at(5));
    proceed();
    ASSERT_EQ(count<vote_request>(0), 2U);
    tell(1, 70, 5, 6);
    EXPECT_FALSE(granted_);
    vote(0, 70, 7);
    EXPECT_TRUE(granted_);
}

TEST_F(quorum_hand_back, a_node_that_sends_messages_again_is_asked_whether_some_were_missed)
{
    begin_to_wait(0);
    for (const auto node : {0U, 1U, 2U}) busy_at(node, 1);
    claim_.on_listening(2, at(50));
    proceed();
    EXPECT_EQ(count<vote_request>(2), 2U);
    EXPECT_EQ(count<vote_request>(0), 1U);
}

TEST_F(quorum_hand_back, keeps_the_first_ticket_when_it_asks_again)
{
    begin_to_wait(0);
    for (const auto node : {0U, 1U, 2U}) busy_at(node, 1);
    const auto first = last<vote_request>(0).order;
    begin_to_wait(500);
    EXPECT_EQ(last<vote_request>(0).order, first);
}

}  // namespace
}  // namespace pawl::core::quorum
