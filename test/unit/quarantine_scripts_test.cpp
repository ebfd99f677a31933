// The scripts of a quorum in the in-process Redis: a node that has lost its votes, and the votes that are restored.
#include "unit/vote_scripts_fixture.h"

#include <string>

namespace pawl::store::memory {
namespace {

TEST_F(vote_scripts, a_new_node_does_not_vote_before_its_quarantine_has_ended)
{
    ask({"FLUSHALL"});
    EXPECT_EQ(vote("h", {.join = false}), answer_now("-4 61000"));
    EXPECT_EQ(ask({"GET", "n"}), answer("run1 1700000000000"));
    EXPECT_EQ(ask({"PTTL", "n"}), ":-1|");
    EXPECT_EQ(ask({"EXISTS", "a", "t", "p"}), ":0|");
    pass(60999ms);
    EXPECT_EQ(vote("h", {.join = false}), answer_now("-4 1"));
    pass(1ms);
    EXPECT_EQ(vote("h"), answer_now("1 1700000061000000"));
}

TEST_F(vote_scripts, a_flushed_node_is_in_quarantine)
{
    vote("h");
    ask({"FLUSHALL"});
    EXPECT_EQ(vote("x"), answer_now("-4 61000"));
    EXPECT_EQ(holder(), "");
}

TEST_F(vote_scripts, a_node_that_was_started_again_with_its_data_is_in_quarantine)
{
    run_ = "run2";
    EXPECT_EQ(vote("x"), answer_now("-4 61000"));
    EXPECT_EQ(ask({"GET", "n"}), answer("run2 1700000000000"));
}

TEST_F(vote_scripts, a_run_id_that_begins_like_another_is_another)
{
    run_ = "run";
    EXPECT_EQ(vote("x"), answer_now("-4 61000"));
    run_ = "run11";
    EXPECT_EQ(vote("x"), answer_now("-4 61000"));
}

TEST_F(vote_scripts, a_node_with_an_old_snapshot_is_in_quarantine_and_its_old_votes_do_not_count)
{
    vote("h", {.ticket = "300", .lease = 60s});
    const auto old = engine_.save();
    vote("x", {.ticket = "200"});
    hand_back("h", "1700000000000000", {.ticket = "300"});
    EXPECT_EQ(holder(), "x|");
    engine_.restart(true);
    engine_.restore(old);
    run_ = "run2";
    EXPECT_EQ(holder(), "h|");
    EXPECT_EQ(vote("h", {.ticket = "300"}), answer_now("-4 61000"));
    EXPECT_EQ(raise("h", "1700000000000900", "0", "90000"), answer_now("-4 0"));
}

TEST_F(vote_scripts, places_are_taken_in_quarantine)
{
    ask({"FLUSHALL"});
    vote("x");
    EXPECT_EQ(waiting(), "*1|$1|x|");
}

TEST_F(vote_scripts, a_clock_that_was_set_back_does_not_prolong_the_quarantine_without_end)
{
    ask({"SET", "n", "run1 1800000000000"});
    EXPECT_EQ(vote("x"), answer_now("-4 61000"));
    pass(61s);
    EXPECT_EQ(vote("x"), answer_now("1 1700000061000000"));
}

TEST_F(vote_scripts, a_marker_that_cannot_be_read_is_written_anew)
{
    ask({"SET", "n", "run1 soon"});
    EXPECT_EQ(vote("x"), answer_now("-4 61000"));
}

TEST_F(vote_scripts, a_node_in_quarantine_hands_nothing_over)
{
    vote("h", {.ticket = "300"});
    vote("x", {.ticket = "200"});
    vote("y", {.ticket = "400"});
    run_ = "run2";
    EXPECT_EQ(hand_back("h", "1700000000000000", {.ticket = "300"}), answer_now("1 0"));
    EXPECT_EQ(holder(), "") << "neither does it keep the vote";
    EXPECT_EQ(waiting(), "*3|$1|x|$1|h|$1|y|");
    EXPECT_EQ(restore("y", "1700000000000000", "1800000000000000"), restored(2));
    EXPECT_EQ(give_back("y"), ":1|");
    EXPECT_EQ(holder(), "");
    EXPECT_EQ(heard(), "");
}

TEST_F(vote_scripts, a_holder_that_has_the_lock_gets_a_lost_vote_again_in_quarantine_too)
{
    vote("h");
    ask({"FLUSHALL"});
    EXPECT_EQ(restore("h", "1700000000000000", "1700000000000000"), restored(2));
    EXPECT_EQ(holder(), "h|");
    EXPECT_EQ(ask({"PTTL", "a"}), ":3000|");
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000000000|");
    EXPECT_EQ(ask({"GET", "n"}), answer("run1 1700000000000"));
    EXPECT_EQ(restore("h", "1700000000000000", "1700000000000000"), restored(1));
    EXPECT_EQ(vote("x"), answer_now("-4 61000"));
}

TEST_F(vote_scripts, a_holder_whose_time_has_passed_gets_no_vote_again)
{
    EXPECT_EQ(restore("h", "5", "1699999999999999"), restored(0));
    EXPECT_EQ(restore("h", "5", "0"), restored(0)) << "it was to be renewed only";
    EXPECT_EQ(ask({"EXISTS", "a", "f"}), ":0|");
}

TEST_F(vote_scripts, a_restore_takes_no_vote_from_another_holder)
{
    vote("x");
    EXPECT_EQ(restore("h", "1800000000000000", "1800000000000000"), restored(-1));
    EXPECT_EQ(holder(), "x|");
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000000000|") << "nor does it change its number";
    ask({"DEL", "a"});
    ask({"LPUSH", "a", "1"});
    EXPECT_EQ(restore("h", "5", "1800000000000000"), restored(-2));
}

TEST_F(vote_scripts, a_renewal_teaches_the_node_the_fence_and_never_shortens_the_lease)
{
    vote("h", {.lease = 9s});
    EXPECT_EQ(restore("h", "1700000000000900", "0", "3000"), restored(1));
    EXPECT_EQ(ask({"PTTL", "a"}), ":9000|");
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000000900|");
    EXPECT_EQ(restore("h", "1700000000000100", "0", "12000"), restored(1));
    EXPECT_EQ(ask({"PTTL", "a"}), ":12000|");
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000000900|");
}

TEST_F(vote_scripts, many_votes_are_restored_in_one_call)
{
    vote("h");
    ask({"SET", "c", "other", "PX", "500"});
    EXPECT_EQ(ask({"EVAL",
                   ours::restore.text,
                   "7",
                   "n",
                   "a",
                   "f",
                   "b",
                   "g",
                   "c",
                   "i",
                   run_,
                   "61000",
                   "h",
                   "3000",
                   "5",
                   "0",
                   "0",
                   "h2",
                   "4000",
                   "6",
                   "1800000000000000",
                   "0",
                   "h3",
                   "5000",
                   "7",
                   "1800000000000000",
                   "0"}),
              "*4|" + answer("1700000000000000") + ":1|:2|:-1|");
    EXPECT_EQ(ask({"GET", "b"}), "$2|h2|");
    EXPECT_EQ(ask({"GET", "g"}), "$16|0000000000000006|");
}

TEST_F(vote_scripts, in_quarantine_only_the_holder_of_the_forgotten_vote_gets_it_again)
{
    vote("h");
    ask({"FLUSHALL"});
    const std::string passed = "1600000000000000";
    EXPECT_EQ(restore("g", "1700000000009000", "1800000000000000", "3000", "0"), restored(0))
        << "it has the lock, but this node had not voted for it: another one may count on the vote";
    EXPECT_EQ(restore("h", "1700000000009000", "1800000000000000", "3000", passed), restored(0));
    EXPECT_EQ(holder(), "");
    EXPECT_EQ(restore("h", "1700000000009000", "1800000000000000"), restored(2));
    EXPECT_EQ(restore("g", "1700000000009000", "1800000000000000", "3000", "0"), restored(-1));
}

TEST_F(vote_scripts, in_quarantine_a_vote_of_an_old_snapshot_is_not_renewed)
{
    vote("h");
    run_ = "run2";
    EXPECT_EQ(restore("h", "1700000000009000", "1800000000000000", "9000", "0"), restored(0));
    EXPECT_EQ(restore("h", "1700000000009000", "1800000000000000"), restored(1));
}

TEST_F(vote_scripts, a_free_node_that_has_forgotten_nothing_votes_for_the_one_that_has_the_lock)
{
    vote("h");
    give_back("h");
    EXPECT_EQ(restore("g", "1700000000009000", "1800000000000000", "3000", "0"), restored(2));
}

}  // namespace
}  // namespace pawl::store::memory
