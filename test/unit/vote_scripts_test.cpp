// The scripts of a quorum in the in-process Redis: votes, numbers, tickets, and what repeated and delayed requests do.
#include "unit/vote_scripts_fixture.h"

#include <string>

namespace pawl::store::memory {
namespace {

TEST_F(vote_scripts, a_free_node_votes_with_the_proposed_number)
{
    EXPECT_EQ(vote("h", {.proposal = "1700000000005000"}), answer_now("1 1700000000005000"));
    EXPECT_EQ(holder(), "h|");
    EXPECT_EQ(ask({"PTTL", "a"}), ":3000|");
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000005000|");
    EXPECT_EQ(waiting(), "*0|");
}

TEST_F(vote_scripts, a_node_takes_its_own_time_if_no_number_was_proposed)
{
    EXPECT_EQ(vote("h"), answer_now("1 1700000000000000"));
}

TEST_F(vote_scripts, a_number_is_greater_than_the_last_one_and_not_smaller_than_the_proposal)
{
    ask({"SET", "f", "1700000000000007"});
    EXPECT_EQ(vote("h", {.proposal = "1600000000000000"}), answer_now("1 1700000000000008"))
        << "the node's own time does not count: the nodes would disagree";
    give_back("h");
    EXPECT_EQ(vote("g", {.proposal = "1800000000000000"}), answer_now("1 1800000000000000"));
}

TEST_F(vote_scripts, a_number_is_not_before_the_nodes_time_if_the_last_one_was_lost)
{
    EXPECT_EQ(vote("h", {.proposal = "1600000000000000"}), answer_now("1 1700000000000000"));
}

TEST_F(vote_scripts, a_repeated_vote_finds_the_first_one_and_restarts_its_lease)
{
    vote("h", {.reserve = 10});
    pass(1s);
    EXPECT_EQ(vote("h", {.proposal = "1800000000000000", .reserve = 10}),
              answer_now("2 1700000000000000"));
    EXPECT_EQ(ask({"PTTL", "a"}), ":3000|");
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000000010|");
}

TEST_F(vote_scripts, a_repeated_vote_does_not_shorten_the_lease)
{
    vote("h", {.lease = 9s});
    EXPECT_EQ(vote("h", {.lease = 1s}), answer_now("2 1700000000000000"));
    EXPECT_EQ(ask({"PTTL", "a"}), ":9000|");
}

TEST_F(vote_scripts, a_found_vote_gets_a_new_number_if_that_is_wanted)
{
    vote("h", {.reserve = 10});
    EXPECT_EQ(vote("h", {.renumber = true, .proposal = "1600000000000000", .reserve = 10}),
              answer_now("2 1700000000000011"));
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000000021|");
}

TEST_F(vote_scripts, a_found_vote_whose_number_was_lost_gets_a_new_one)
{
    vote("h");
    ask({"DEL", "f"});
    pass(1ms);
    EXPECT_EQ(vote("h"), answer_now("2 1700000000001000"));
}

TEST_F(vote_scripts, a_vote_that_came_too_late_does_nothing)
{
    EXPECT_EQ(vote("h", {.wanted_until = "1699999999999999"}), answer_now("-1 0"));
    EXPECT_EQ(holder(), "");
    EXPECT_EQ(waiting(), "*0|");
}

TEST_F(vote_scripts, a_second_holder_gets_a_place_if_it_wants_one)
{
    vote("h");
    pass(1s);
    EXPECT_EQ(vote("x", {.join = false}), answer_now("-2 2000"));
    EXPECT_EQ(waiting(), "*0|");
    EXPECT_EQ(vote("x"), answer_now("-2 2000"));
    EXPECT_EQ(vote("x"), answer_now("-2 2000"));
    EXPECT_EQ(waiting(), "*1|$1|x|") << "it has one place, however often it asks";
    EXPECT_EQ(ask({"PTTL", "t"}), ":9000|");
    EXPECT_EQ(ask({"PTTL", "p"}), ":9000|");
}

TEST_F(vote_scripts, a_holder_of_pawl_and_a_value_that_is_no_lock_are_told_apart)
{
    ask({"SET", "a", "p0123456789abcdef0123456789abcde", "PX", "500"});
    EXPECT_EQ(vote("x"), answer_now("0 500"));
    ask({"SET", "a", "hello"});
    EXPECT_EQ(vote("x"), answer_now("-3 -1"));
}

TEST_F(vote_scripts, a_delayed_vote_does_not_shorten_a_place)
{
    vote("h");
    vote("x", {.stay = 5s});
    vote("x", {.stay = 10ms});
    pass(20ms);
    EXPECT_EQ(give_back("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
}

TEST_F(vote_scripts, a_returned_vote_goes_to_the_smallest_ticket_whoever_came_first)
{
    vote("h", {.lease = 60s});
    vote("x", {.ticket = "300"});
    vote("y", {.ticket = "200"});
    vote("z", {.ticket = "200"});
    pass(1ms);
    EXPECT_EQ(give_back("h", "0", "", "1700000000777000"), ":1|");
    EXPECT_EQ(holder(), "y|") << "of two equal tickets, that with the smaller holder id";
    EXPECT_EQ(heard(), grant("y", "1700000000777000"));
    EXPECT_EQ(ask({"PTTL", "a"}), ":3000|") << "the lease of the new holder";
    EXPECT_EQ(give_back("y"), ":1|");
    EXPECT_EQ(holder(), "z|");
    EXPECT_EQ(give_back("z"), ":1|");
    EXPECT_EQ(holder(), "x|");
    EXPECT_EQ(give_back("x"), ":1|");
    EXPECT_EQ(holder(), "");
    EXPECT_EQ(ask({"EXISTS", "t", "p"}), ":0|");
}

TEST_F(vote_scripts, a_waiter_that_does_not_listen_or_is_late_is_passed_over)
{
    vote("h", {.lease = 60s});
    vote("deaf", {.ticket = "1", .client = deaf_client});
    vote("late", {.ticket = "2", .stay = 1s});
    vote("x", {.ticket = "3"});
    pass(1001ms);
    EXPECT_EQ(give_back("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
    EXPECT_EQ(heard(), grant("x", "1700000001001000"));
    EXPECT_EQ(waiting(), "*0|");
}

TEST_F(vote_scripts, an_observer_of_every_channel_is_not_taken_for_a_waiter)
{
    ask({"PSUBSCRIBE", "*"}, 7);
    vote("h");
    vote("dead", {.ticket = "1", .client = deaf_client});
    EXPECT_EQ(give_back("h"), ":1|");
    EXPECT_EQ(holder(), "");
}

TEST_F(vote_scripts, a_waiter_that_was_handed_the_vote_finds_it_with_its_number)
{
    vote("h");
    vote("x", {.proposal = "1", .reserve = 5});
    give_back("h", "0", "", "1700000000777000");
    EXPECT_EQ(vote("x", {.reserve = 5}), answer_now("2 1700000000777000"));
}

TEST_F(vote_scripts, a_newcomer_with_the_smallest_ticket_gets_a_lock_that_has_expired)
{
    vote("h", {.lease = 1s});
    vote("x", {.ticket = "200"});
    pass(1001ms);
    EXPECT_EQ(vote("y", {.ticket = "150"}), answer_now("1 1700000001001000"));
    EXPECT_EQ(waiting(), "*1|$1|x|");
    EXPECT_EQ(heard(), "");
}

TEST_F(vote_scripts, a_newcomer_does_not_overtake_but_finds_the_first_waiter_its_lock)
{
    vote("h", {.lease = 1s});
    vote("x", {.ticket = "200"});
    pass(1001ms);
    EXPECT_EQ(vote("y", {.ticket = "300"}), answer_now("-2 3000"));
    EXPECT_EQ(holder(), "x|");
    EXPECT_EQ(heard(), grant("x", "1700000001001000"));
    EXPECT_EQ(waiting(), "*1|$1|y|");
}

TEST_F(vote_scripts, a_waiter_whose_turn_it_is_takes_a_free_lock_itself)
{
    vote("h", {.lease = 1s});
    vote("x", {.ticket = "200"});
    vote("y", {.ticket = "300"});
    pass(1001ms);
    EXPECT_EQ(vote("x", {.ticket = "200"}), answer_now("1 1700000001001000"));
    EXPECT_EQ(waiting(), "*1|$1|y|");
    EXPECT_EQ(heard(), "") << "it gets the reply";
}

TEST_F(vote_scripts, a_return_is_only_for_the_holder_and_is_executed_once)
{
    vote("h");
    EXPECT_EQ(give_back("g"), ":-1|");
    EXPECT_EQ(holder(), "h|");
    EXPECT_EQ(give_back("h"), ":1|");
    EXPECT_EQ(give_back("h"), ":0|");
}

TEST_F(vote_scripts, a_repeated_return_does_not_free_the_vote_of_the_next_holder)
{
    vote("h");
    vote("x");
    EXPECT_EQ(give_back("h"), ":1|");
    EXPECT_EQ(give_back("h"), ":-1|");
    EXPECT_EQ(holder(), "x|");
}

TEST_F(vote_scripts, a_waiter_that_gives_up_leaves_the_queue)
{
    vote("h");
    vote("x");
    vote("y", {.ticket = "200"});
    EXPECT_EQ(give_back("x"), ":-1|");
    EXPECT_EQ(waiting(), "*1|$1|y|");
    give_back("h");
    EXPECT_EQ(holder(), "y|");
}

TEST_F(vote_scripts, a_return_gives_back_reserved_numbers_and_teaches_greater_ones)
{
    vote("h", {.reserve = 100});
    EXPECT_EQ(give_back("h", "1700000000000003", "1"), ":1|");
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000000003|");
    vote("h", {.proposal = "1"});
    EXPECT_EQ(give_back("h", "1700000000000002"), ":1|");
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000000004|") << "a smaller number changes nothing";
    vote("h", {.proposal = "1"});
    EXPECT_EQ(give_back("h", "1700000000000900"), ":1|");
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000000900|") << "it had this fence from others";
}

TEST_F(vote_scripts, a_return_announces_itself)
{
    ask({"SUBSCRIBE", "lock:release:a"}, 7);
    vote("h");
    give_back("h", "0", "", "0", "{}");
    EXPECT_EQ(heard(), ">3|" + answer("message") + answer("lock:release:a") + answer("{}"));
}

TEST_F(vote_scripts, a_raise_is_for_the_holder_only)
{
    vote("h", {.reserve = 5});
    EXPECT_EQ(raise("h", "1700000000000900", "5"), answer_now("1 0"));
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000000905|");
    EXPECT_EQ(raise("h", "1700000000000900", "5"), answer_now("1 0"));
    EXPECT_EQ(vote("h", {.reserve = 5}), answer_now("2 1700000000000900"));
    EXPECT_EQ(raise("h", "1700000000000100", "5"), answer_now("1 0")) << "a late one";
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000000905|");
    EXPECT_EQ(raise("g", "1700000000005000"), answer_now("-1 0"));
    give_back("h");
    EXPECT_EQ(raise("h", "1700000000005000"), answer_now("0 0"));
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000000905|");
}

TEST_F(vote_scripts, a_raise_counts_the_lease_anew_only_if_it_has_one_and_never_shortens_it)
{
    vote("h");
    pass(1s);
    raise("h", "1");
    EXPECT_EQ(ask({"PTTL", "a"}), ":2000|");
    raise("h", "1", "0", "5000");
    EXPECT_EQ(ask({"PTTL", "a"}), ":5000|");
    raise("h", "1", "0", "3000");
    EXPECT_EQ(ask({"PTTL", "a"}), ":5000|");
}

TEST_F(vote_scripts, a_raise_tells_whether_others_wait)
{
    vote("h");
    vote("x");
    EXPECT_EQ(raise("h", "1"), answer_now("1 1"));
}

TEST_F(vote_scripts, a_vote_is_handed_back_to_a_smaller_ticket)
{
    vote("h", {.ticket = "300"});
    vote("x", {.ticket = "200"});
    EXPECT_EQ(hand_back("h", "1700000000000000", {.ticket = "300", .proposal = "1700000000000500"}),
              answer_now("1 0"));
    EXPECT_EQ(holder(), "x|");
    EXPECT_EQ(heard(), grant("x", "1700000000000500"));
    EXPECT_EQ(waiting(), "*1|$1|h|") << "it has its place again";
    EXPECT_EQ(hand_back("h", "1700000000000000", {.ticket = "300"}), answer_now("0 0"))
        << "the second execution changes nothing";
    EXPECT_EQ(holder(), "x|");
}

TEST_F(vote_scripts, a_vote_is_kept_by_the_smallest_ticket_and_its_lease_is_counted_anew)
{
    vote("h", {.ticket = "100", .reserve = 7});
    vote("x", {.ticket = "200"});
    pass(2s);
    EXPECT_EQ(hand_back("h", "1700000000000000", {.ticket = "100", .reserve = 7}),
              answer_now("2 0"));
    EXPECT_EQ(holder(), "h|");
    EXPECT_EQ(ask({"PTTL", "a"}), ":3000|");
    EXPECT_EQ(waiting(), "*1|$1|x|");
    EXPECT_EQ(heard(), "");
}

TEST_F(vote_scripts, a_vote_is_kept_if_nobody_ahead_listens)
{
    vote("h", {.ticket = "300"});
    vote("deaf", {.ticket = "200", .client = deaf_client});
    EXPECT_EQ(hand_back("h", "1700000000000000", {.ticket = "300"}), answer_now("2 0"));
    EXPECT_EQ(holder(), "h|");
}

TEST_F(vote_scripts, a_late_hand_back_is_refused_by_its_number)
{
    vote("h", {.ticket = "300"});
    vote("x", {.ticket = "200"});
    hand_back("h", "1700000000000000", {.ticket = "300"});
    give_back("x");
    EXPECT_EQ(holder(), "h|") << "it has the vote again";
    vote("y", {.ticket = "100"});
    EXPECT_EQ(hand_back("h", "1700000000000000", {.ticket = "300"}), answer_now("0 0"));
    EXPECT_EQ(holder(), "h|");
}

TEST_F(vote_scripts, only_its_holder_hands_a_vote_back)
{
    vote("h", {.ticket = "300"});
    vote("x", {.ticket = "200"});
    EXPECT_EQ(hand_back("g", "1700000000000000", {.ticket = "400"}), answer_now("0 0"));
    EXPECT_EQ(holder(), "h|");
    EXPECT_EQ(waiting(), "*1|$1|x|");
}

TEST_F(vote_scripts, all_but_a_vote_work_when_memory_is_full)
{
    vote("h", {.ticket = "300"});
    vote("x", {.ticket = "200"});
    engine_.refuse_writes(true);
    EXPECT_TRUE(vote("y").starts_with("-OOM"));
    EXPECT_EQ(raise("h", "1700000000000001"), answer_now("1 1"));
    EXPECT_EQ(hand_back("h", "1700000000000001", {.ticket = "300"}), answer_now("1 0"));
    EXPECT_EQ(give_back("x", "1700000000009000"), ":1|");
    EXPECT_EQ(holder(), "h|");
    ask({"DEL", "a"});
    EXPECT_EQ(restore("h", "1700000000009000", "1800000000000000"), restored(2));
}

}  // namespace
}  // namespace pawl::store::memory
