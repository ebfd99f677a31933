// pawl's scripts in the in-process Redis: a release hands over to the first waiter.
#include "unit/queue_scripts_fixture.h"

#include <string>

namespace pawl::store::memory {
namespace {

TEST_P(queue_scripts, a_release_hands_over_to_the_first_waiter_and_tells_it)
{
    acquire("h");
    acquire("x", {.lease = 5s});
    acquire("y");
    pass(1ms);
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(heard(), grant("x", "1700000000001000", "1700000000001000"));
    EXPECT_EQ(holder(), "x|");
    EXPECT_EQ(ask({"PTTL", "a"}), ":5000|") << "the lease of the new holder";
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000001000|");
    EXPECT_EQ(waiting(), list({"y"}));
    EXPECT_EQ(acquire("x", {.repeated = true}), answer("2 1700000000001001 1700000000001000"))
        << "in case it did not hear of the grant";
}

TEST_P(queue_scripts, a_release_passes_over_a_waiter_that_does_not_listen)
{
    acquire("h");
    acquire("deaf", {.client = deaf_client});
    acquire("x");
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
    EXPECT_EQ(heard(), grant("x", "1700000000000001", "1700000000000000"));
    EXPECT_EQ(waiting(), "*0|");
}

TEST_P(queue_scripts, a_release_does_not_take_an_observer_of_every_channel_for_a_waiter)
{
    ask({"PSUBSCRIBE", "*"}, 7);
    acquire("h");
    acquire("dead", {.client = deaf_client});
    acquire("x");
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
    EXPECT_EQ(waiting(), "*0|");
}

TEST_P(queue_scripts, a_release_passes_over_a_waiter_that_has_not_looked_for_too_long)
{
    acquire("h", {.lease = 60000ms});
    acquire("gone");
    pass(1ms);
    acquire("x");
    pass(9s);
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
    EXPECT_EQ(waiting(), "*0|");
}

TEST_P(queue_scripts, a_release_passes_over_a_waiter_whose_short_limit_has_passed)
{
    acquire("h");
    acquire("gone", {.stay = 10ms});
    acquire("x");
    pass(11ms);
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
    EXPECT_EQ(waiting(), "*0|");
}

TEST_P(queue_scripts, a_delayed_look_does_not_shorten_a_place)
{
    acquire("h");
    acquire("x");
    acquire("y");
    acquire("x", {.repeated = true, .stay = 10ms});
    pass(11ms);
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
}

TEST_P(queue_scripts, a_place_lasts_to_the_last_millisecond)
{
    acquire("h", {.lease = 60000ms});
    acquire("x");
    pass(9s);
    acquire("y");
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
}

TEST_P(queue_scripts, a_short_place_lasts_to_the_last_millisecond)
{
    acquire("h");
    acquire("x", {.stay = 10ms});
    acquire("y");
    pass(10ms);
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
}

TEST_P(queue_scripts, a_look_extends_a_place)
{
    acquire("h", {.lease = 60000ms});
    acquire("x");
    pass(5s);
    acquire("x", {.repeated = true});
    acquire("y");
    pass(9s);
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
}

TEST_P(queue_scripts, a_release_passes_over_an_invalid_place)
{
    acquire("h");
    const auto head = place().substr(0, place().size() - std::string_view{"3000"}.size());
    for (const auto& each : {std::string{"nonsense"}, std::string{}, place().substr(0, 20), head,
                             head + "x", "x" + place()}) {
        ask({"RPUSH", "q", "b", each});
    }
    acquire("z");
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "z|");
    EXPECT_EQ(waiting(), "*0|");
}

TEST_P(queue_scripts, a_release_frees_a_lock_whose_queue_is_invalid)
{
    acquire("h");
    ask({"RPUSH", "q", "alone"});
    acquire("z");
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "");
    EXPECT_EQ(ask({"EXISTS", "q"}), ":0|");
}

TEST_P(queue_scripts, a_lock_without_a_valid_waiter_becomes_free)
{
    acquire("h");
    acquire("deaf", {.client = deaf_client});
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "");
    EXPECT_EQ(ask({"EXISTS", "a", "q"}), ":0|");
}

TEST_P(queue_scripts, a_release_by_another_holder_hands_over_nothing)
{
    acquire("h");
    acquire("x");
    EXPECT_EQ(release("stranger"), ":-1|");
    EXPECT_EQ(holder(), "h|");
    EXPECT_EQ(waiting(), list({"x"}));
    ask({"DEL", "a"});
    EXPECT_EQ(release("stranger"), ":0|");
}

TEST_P(queue_scripts, a_repeated_release_does_not_free_the_next_holder)
{
    acquire("h");
    acquire("x");
    acquire("y");
    release("h");
    EXPECT_EQ(release("h"), ":-1|");
    EXPECT_EQ(holder(), "x|");
    EXPECT_EQ(waiting(), list({"y"}));
}

}  // namespace
}  // namespace pawl::store::memory
