// pawl's scripts in the in-process Redis: a release hands over to the first waiter.
#include "unit/queue_scripts_fixture.h"

#include <string>

namespace pawl::store::memory {
namespace {

TEST_P(queue_scripts, a_release_hands_over_to_the_first_waiter_and_tells_it)
{
    acquire("h");
    join("x");
    join("y");
    pass(1ms);
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(heard(), grant("x", "1700000000001000", "1700000000001"));
    EXPECT_EQ(holder(), "x|");
    EXPECT_EQ(ask({"PTTL", "a"}), ":" + lease_of_waiters() + "|") << "the lease of the waiter";
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000001000|");
    EXPECT_EQ(waiting(), list({marked("y")}));
    EXPECT_EQ(ask({"HEXISTS", "w", "x"}), ":0|");
    EXPECT_EQ(join("x", {.repeated = true}), "*3|:2|:1700000000001001|:1700000000001|")
        << "in case the message got lost";
}

TEST_P(queue_scripts, a_release_passes_over_a_waiter_that_does_not_listen)
{
    acquire("h");
    join("deaf", {.client = "c1"});
    join("x");
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
    EXPECT_EQ(heard(), grant("x", "1700000000000001", "1700000000000"));
    EXPECT_EQ(waiting(), "*0|");
}

TEST_P(queue_scripts, a_release_does_not_take_an_observer_of_every_channel_for_a_waiter)
{
    ask({"PSUBSCRIBE", "*"}, 7);
    acquire("h");
    join("dead", {.client = "c1"});
    join("x");
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
    EXPECT_EQ(waiting(), "*0|");
}

TEST_P(queue_scripts, a_release_passes_over_a_waiter_that_has_not_looked_for_too_long)
{
    acquire("h", {.lease = "60000"});
    join("gone");
    pass(1ms);
    join("x");
    pass(9s);
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
    EXPECT_EQ(waiting(), "*0|");
    EXPECT_EQ(ask({"EXISTS", "w"}), ":0|");
}

TEST_P(queue_scripts, a_release_passes_over_a_waiter_whose_short_limit_has_passed)
{
    acquire("h");
    join("gone", {.stay = "10"});
    join("x");
    pass(11ms);
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
    EXPECT_EQ(waiting(), "*0|");
    EXPECT_EQ(ask({"EXISTS", "w"}), ":0|");
}

TEST_P(queue_scripts, a_release_passes_over_a_waiter_whose_short_limit_since_its_look_has_passed)
{
    acquire("h");
    join("gone");
    join("x");
    join("gone", {.repeated = true, .stay = "10"});
    pass(11ms);
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
}

TEST_P(queue_scripts, a_place_lasts_to_the_last_millisecond)
{
    acquire("h", {.lease = "60000"});
    join("x");
    pass(9s);
    join("y");
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
}

TEST_P(queue_scripts, a_place_for_a_short_time_lasts_to_the_last_millisecond)
{
    acquire("h");
    join("x", {.stay = "10"});
    join("y");
    pass(10ms);
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
}

TEST_P(queue_scripts, a_place_lasts_for_1500_ms_even_if_the_lease_is_shorter)
{
    for (const bool in_time : {true, false}) {
        acquire("h", {.lease = "60000"});
        acquire("x", {.lease = "20", .stay = "1500"});
        pass(1ms);
        join("y");
        pass(in_time ? 1499ms : 1500ms);
        EXPECT_EQ(release("h"), ":1|");
        EXPECT_EQ(holder(), in_time ? "x|" : "y|");
        ask({"DEL", "a", "q", "w"});
    }
}

TEST_P(queue_scripts, a_look_renews_a_place)
{
    acquire("h", {.lease = "60000"});
    join("x");
    pass(5s);
    join("x", {.repeated = true});
    join("y");
    pass(9s);
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
}

TEST_P(queue_scripts, a_release_passes_over_an_invalid_place)
{
    acquire("h");
    for (const auto* const each :
         {"nonsense", "", "b c0 3000 0", "b c0 3000 0 1 1", "b c0 x 0 0", "b c0 3000 -1 0"}) {
        ask({"ZADD", "q", "1700000000000000", each});
    }
    join("y");
    join("z");
    join("y", {.repeated = true});
    ask({"HDEL", "w", "y"});  // its place says that there is an entry
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "z|");
    EXPECT_EQ(waiting(), "*0|");
}

TEST_P(queue_scripts, a_release_passes_over_a_place_without_an_end)
{
    acquire("h");
    join("x");
    join("z");
    join("x", {.repeated = true});
    ask({"HSET", "w", "x", "nonsense"});
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "z|");
}

TEST_P(queue_scripts, a_lock_without_a_valid_waiter_becomes_free)
{
    acquire("h");
    join("deaf", {.client = "c1"});
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "");
    EXPECT_EQ(ask({"EXISTS", "a", "q", "w"}), ":0|");
}

TEST_P(queue_scripts, a_release_by_another_holder_hands_over_nothing)
{
    acquire("h");
    join("x");
    EXPECT_EQ(release("stranger"), ":-1|");
    EXPECT_EQ(holder(), "h|");
    EXPECT_EQ(waiting(), list({marked("x")}));
    ask({"DEL", "a"});
    EXPECT_EQ(release("stranger"), ":0|");
}

TEST_P(queue_scripts, a_repeated_release_does_not_free_the_next_holder)
{
    acquire("h");
    join("x");
    join("y");
    release("h");
    EXPECT_EQ(release("h"), ":-1|");
    EXPECT_EQ(holder(), "x|");
    EXPECT_EQ(waiting(), list({marked("y")}));
}

}  // namespace
}  // namespace pawl::store::memory
