// pawl's scripts in the in-process Redis: the queue of waiters. hand_over_scripts_test.cpp and
// keep_scripts_test.cpp have tests of the same suite.
#include "unit/queue_scripts_fixture.h"

#include <string>

namespace pawl::store::memory {
namespace {

INSTANTIATE_TEST_SUITE_P(both_layouts, queue_scripts, testing::Bool());

TEST_P(queue_scripts, a_busy_acquire_joins_the_queue_on_request)
{
    EXPECT_EQ(acquire("h"), answer("1 1700000000000000 1700000000000000"));
    EXPECT_EQ(waiting(), "*0|");
    EXPECT_EQ(acquire("stranger", {.join = false}), answer("-2 3000 1700000000000000"));
    EXPECT_EQ(waiting(), "*0|");
    EXPECT_EQ(acquire("x", {.reserve = 7}), answer("-2 3000 1700000000000000"));
    EXPECT_EQ(acquire("y"), answer("-2 3000 1700000000000000"));
    EXPECT_EQ(queue(), list({"x", "1700000009000xc0c0c0c0c0c0c0c000073000", "y",
                             "1700000009000xc0c0c0c0c0c0c0c000003000"}));
    EXPECT_EQ(ask({"PTTL", "q"}), ":9000|");
}

TEST_P(queue_scripts, a_place_that_would_not_be_kept_does_not_join)
{
    acquire("h");
    EXPECT_EQ(acquire("x", {.stay = 0ms}), answer("-2 3000 1700000000000000"));
    EXPECT_EQ(waiting(), "*0|");
    acquire("y", {.stay = 1ms});
    EXPECT_EQ(waiting(), list({"y"}));
}

TEST_P(queue_scripts, a_look_keeps_the_place_for_longer)
{
    acquire("h");
    acquire("x");
    pass(1ms);
    acquire("y");
    pass(2s);
    EXPECT_EQ(acquire("x", {.repeated = true}), answer("-2 999 1700000002001000"));
    EXPECT_EQ(waiting(), list({"x", "y"})) << "x stays before the waiter that came later";
    EXPECT_EQ(ask({"LINDEX", "q", "1"}), list({place()}).substr(3));
    EXPECT_EQ(ask({"PTTL", "q"}), ":9000|");
}

TEST_P(queue_scripts, a_look_does_not_change_the_position)
{
    acquire("h");
    for (const auto* const each : {"x", "y", "z"}) {
        acquire(each);
        pass(1ms);
    }
    for (int i = 0; i < 2; ++i) {
        acquire("y", {.repeated = true});
        EXPECT_EQ(waiting(), list({"x", "y", "z"}));
        pass(1ms);
    }
}

TEST_P(queue_scripts, a_newcomer_is_told_how_many_wait_if_it_asks_for_that)
{
    acquire("h");
    EXPECT_EQ(acquire("x", {.count = true}), answer("-2 3000 1700000000000000 1"));
    EXPECT_EQ(acquire("y", {.count = true}), answer("-2 3000 1700000000000000 2"));
    EXPECT_EQ(acquire("y", {.repeated = true, .count = true}), answer("-2 3000 1700000000000000"))
        << "it has a place already";
    EXPECT_EQ(acquire("z", {.join = false, .count = true}), answer("-2 3000 1700000000000000"));
    EXPECT_EQ(acquire("z", {.mend = true, .count = true}), answer("-2 3000 1700000000000000 3"));
}

TEST_P(queue_scripts, a_newcomer_is_told_a_whole_number_even_if_the_queue_is_damaged)
{
    acquire("h");
    ask({"RPUSH", "q", "stray"});
    EXPECT_EQ(acquire("x", {.count = true}), answer("-2 3000 1700000000000000 1"));
    EXPECT_EQ(acquire("y", {.count = true}), answer("-2 3000 1700000000000000 2"));
}

TEST_P(queue_scripts, a_look_joins_again_if_the_place_was_lost)
{
    acquire("h");
    acquire("y");
    EXPECT_EQ(acquire("x", {.repeated = true}), answer("-2 3000 1700000000000000"));
    EXPECT_EQ(waiting(), list({"y", "x"}));
}

TEST_P(queue_scripts, a_delayed_first_request_finds_the_place_that_its_repeat_took)
{
    acquire("h");
    acquire("x", {.repeated = true});
    acquire("y");
    acquire("x");
    EXPECT_EQ(waiting(), list({"x", "y"}));
    release("h");
    EXPECT_EQ(release("x"), ":1|");
    EXPECT_EQ(holder(), "y|");
    EXPECT_EQ(release("y"), ":1|");
    EXPECT_EQ(holder(), "") << "x has released it and must not get it again";
}

TEST_P(queue_scripts, the_place_of_an_only_waiter_that_looks_again_expires)
{
    acquire("h");
    acquire("x");
    pass(1s);
    acquire("x", {.repeated = true, .stay = 500ms});
    EXPECT_NE(ask({"PTTL", "q"}), ":-1|");
}

TEST_P(queue_scripts, a_short_stay_does_not_cost_other_waiters_their_places)
{
    acquire("h");
    acquire("x");
    acquire("y", {.stay = 10ms});
    EXPECT_EQ(ask({"PTTL", "q"}), ":9000|");
}

TEST_P(queue_scripts, the_order_is_that_of_arrival_even_if_the_clock_was_set_back)
{
    acquire("h");
    acquire("x");
    pass(-1h);
    acquire("a");
    EXPECT_EQ(waiting(), list({"x", "a"}));
}

TEST_P(queue_scripts, a_queue_without_looks_expires)
{
    acquire("h");
    acquire("x");
    pass(9001ms);
    EXPECT_EQ(ask({"EXISTS", "q"}), ":0|");
}

TEST_P(queue_scripts, a_waiter_that_gives_up_leaves_the_queue)
{
    acquire("h");
    acquire("x");
    acquire("y");
    EXPECT_EQ(release("x"), ":-1|");
    EXPECT_EQ(waiting(), list({"y"}));
    EXPECT_EQ(holder(), "h|");
}

TEST_P(queue_scripts, a_waiter_that_gives_up_after_a_look_leaves_the_queue)
{
    acquire("h");
    acquire("x");
    acquire("x", {.repeated = true});
    EXPECT_EQ(ask({"EXISTS", "q"}), ":1|");
    EXPECT_EQ(release("x"), ":-1|");
    EXPECT_EQ(ask({"EXISTS", "q"}), ":0|");
}

TEST_P(queue_scripts, a_waiter_that_gives_up_a_free_lock_leaves_the_queue)
{
    acquire("h");
    acquire("x");
    ask({"DEL", "a"});
    EXPECT_EQ(release("x"), ":0|");
    EXPECT_EQ(ask({"EXISTS", "q"}), ":0|");
}

TEST_P(queue_scripts, a_waiter_that_gives_up_removes_only_its_own_place)
{
    acquire("h");
    for (const auto* const each : {"x", "y", "z"}) acquire(each);
    EXPECT_EQ(release("y"), ":-1|");
    EXPECT_EQ(release("stranger"), ":-1|");
    EXPECT_EQ(queue(), list({"x", place(), "z", place()}));
}

TEST_P(queue_scripts, a_request_that_comes_too_late_neither_acquires_nor_joins)
{
    EXPECT_EQ(acquire("x", {.wanted_until = "1699999999999000"}), answer("-1 0 1700000000000000"));
    EXPECT_EQ(holder(), "");
    acquire("h");
    EXPECT_EQ(acquire("x", {.wanted_until = "1699999999999000"}), answer("-1 0 1700000000000000"));
    EXPECT_EQ(waiting(), "*0|");
    EXPECT_EQ(acquire("x", {.wanted_until = "1700000000000000"}),
              answer("-2 3000 1700000000000000"));
}

TEST_P(queue_scripts, a_waiter_that_finds_the_lock_free_leaves_the_queue)
{
    acquire("h");
    acquire("x");
    pass(3001ms);
    EXPECT_EQ(acquire("x", {.repeated = true}), answer("1 1700000003001000 1700000003001000"));
    EXPECT_EQ(ask({"EXISTS", "q"}), ":0|");
}

TEST_P(queue_scripts, the_first_caller_takes_a_free_lock_unless_it_is_fair)
{
    acquire("h");
    acquire("x");
    acquire("y");
    pass(3001ms);
    EXPECT_EQ(acquire("fair", {.fair = true}), answer("-2 3000 1700000003001000"));
    EXPECT_EQ(holder(), "x|") << "the first waiter in the queue gets it";
    EXPECT_EQ(heard(), grant("x", "1700000003001000", "1700000003001000"));
    EXPECT_EQ(waiting(), list({"y", "fair"}));
    ask({"DEL", "a"});
    EXPECT_EQ(acquire("unfair"), answer("1 1700000003001001 1700000003001000"));
}

TEST_P(queue_scripts, a_fair_caller_takes_the_lock_if_no_waiter_before_it_listens)
{
    acquire("h");
    acquire("x", {.client = deaf_client});
    acquire("y", {.stay = 10ms});
    pass(3001ms);
    EXPECT_EQ(acquire("fair", {.fair = true}), answer("1 1700000003001000 1700000003001000"));
    EXPECT_EQ(holder(), "fair|");
    EXPECT_EQ(ask({"EXISTS", "q"}), ":0|");
    EXPECT_EQ(heard(), "");
}

TEST_P(queue_scripts, a_fair_caller_takes_the_lock_if_it_is_the_first)
{
    acquire("h");
    acquire("x", {.fair = true});
    acquire("y", {.fair = true});
    pass(3001ms);
    EXPECT_EQ(acquire("x", {.repeated = true, .fair = true}),
              answer("1 1700000003001000 1700000003001000"));
    EXPECT_EQ(waiting(), list({"y"}));
}

TEST_P(queue_scripts, a_fair_caller_takes_the_lock_if_it_is_the_first_and_has_looked_again)
{
    acquire("h");
    acquire("x", {.fair = true});
    acquire("y", {.fair = true});
    pass(1s);
    acquire("x", {.repeated = true, .fair = true});
    pass(2001ms);
    EXPECT_EQ(acquire("x", {.repeated = true, .fair = true}),
              answer("1 1700000003001000 1700000003001000"));
    EXPECT_EQ(waiting(), list({"y"}));
}

// ── Kinds of holders ────────────────────────────────────────────────────────────────────────────

class busy_reply : public queue_scripts {
protected:
    // The kind in the reply to a caller that finds this value.
    std::string with(std::string_view holder, bool expires)
    {
        ask({"DEL", "a"});
        if (is_hash()) {
            ask({"HSET", "a", holder, "1"});
        } else {
            ask({"SET", "a", holder});
        }
        if (expires) ask({"PEXPIRE", "a", "3000"});
        const auto reply = acquire("me", {.join = false});
        const auto code = reply.find('|') + 1;
        return reply.substr(code, reply.find(' ') - code);
    }
};
INSTANTIATE_TEST_SUITE_P(both_layouts, busy_reply, testing::Bool());

TEST_P(busy_reply, distinguishes_holders_of_pawl_from_others)
{
    for (const bool expires : {true, false}) {
        EXPECT_EQ(with("p123456789abcdef0123456789abcdef", expires), "0");
        EXPECT_EQ(with("p123456789abcdef0123456789abcdef0123456789abcdef", expires), "0");
        EXPECT_EQ(with("0123456789abcdef0123456789abcdef", expires), "-2") << "redis-py";
        EXPECT_EQ(with("3Q2+7wECAwQFBgcICQoLDA==", expires), "-2") << "redsync";
        EXPECT_EQ(with("0123456789abcdef0123456789abcdef01234567", expires), "-2")
            << "node-redlock";
        EXPECT_EQ(with("285475da-9152-4c83-822a-67ee2f116a79:52", expires), "-2") << "Redisson";
        EXPECT_EQ(with("1700000000.25", expires), "-2") << "a time, as in SETNX locks";
    }
}

TEST_P(busy_reply, marks_a_value_that_is_not_a_lock_unless_it_expires)
{
    for (const std::string_view value :
         {"hello", "42", "pace", "{\"name\":\"a JSON document\"}", "some text of some length"}) {
        EXPECT_EQ(with(value, false), "-3") << value;
        EXPECT_EQ(with(value, true), "-2") << value;
    }
}

}  // namespace
}  // namespace pawl::store::memory
