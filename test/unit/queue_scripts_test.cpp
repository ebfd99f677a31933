// pawl's scripts in the in-process Redis: the queue of waiters. hand_over_scripts_test.cpp and
// keep_scripts_test.cpp have tests of the same suite.
#include "unit/queue_scripts_fixture.h"

#include <string>

namespace pawl::store::memory {
namespace {

INSTANTIATE_TEST_SUITE_P(both_layouts, queue_scripts,
                         testing::Combine(testing::Bool(), testing::Bool()));

TEST_P(queue_scripts, a_busy_acquire_joins_the_queue_on_request)
{
    EXPECT_EQ(acquire("h"), "*3|:1|:1700000000000000|:1700000000000|");
    EXPECT_EQ(waiting(), "*0|");
    EXPECT_EQ(acquire("stranger", {.join = false}), "*3|:-2|:3000|:1700000000000|");
    EXPECT_EQ(waiting(), "*0|");
    EXPECT_EQ(join("x", {.reserve = "7"}), "*3|:-2|:3000|:1700000000000|");
    EXPECT_EQ(join("y"), "*3|:-2|:3000|:1700000000000|");
    EXPECT_EQ(waiting(), list({marked("x", "7"), marked("y")}));
    EXPECT_EQ(ask({"PTTL", "q"}), ":9000|");
}

TEST_P(queue_scripts, only_a_waiter_with_an_unusual_stay_needs_more_than_its_place)
{
    acquire("h");
    join("x");
    if (is_usual()) {
        EXPECT_EQ(ask({"EXISTS", "w"}), ":0|");
    } else {
        EXPECT_EQ(ask({"HGETALL", "w"}, listener), "%1|$1|x|$13|1700000009000|");
        EXPECT_EQ(ask({"PTTL", "w"}), ":9000|");
    }
}

TEST_P(queue_scripts, a_stay_of_1500_ms_is_usual_if_the_lease_is_shorter)
{
    acquire("h");
    acquire("x", {.lease = "20", .stay = "1500"});
    EXPECT_EQ(waiting(), list({"x c0 20 0 0"}));
    acquire("y", {.lease = "20", .stay = "20"});
    acquire("z", {.lease = "1501", .stay = "1500"});
    EXPECT_EQ(waiting(), list({"x c0 20 0 0", "y c0 20 0 1", "z c0 1501 0 1"}));
    EXPECT_EQ(ask({"PTTL", "q"}), ":1500|");
}

TEST_P(queue_scripts, a_look_keeps_the_place_for_longer)
{
    acquire("h");
    join("x");
    pass(1ms);
    join("y");
    pass(2s);
    EXPECT_EQ(join("x", {.repeated = true}), "*3|:-2|:999|:1700000002001|");
    EXPECT_EQ(waiting(), list({marked("x", "0", "1"), marked("y")})) << "before the later one";
    EXPECT_EQ(ask({"HGET", "w", "x"}), "$13|1700000011001|");
    EXPECT_EQ(ask({"PTTL", "q"}), ":9000|");
    EXPECT_EQ(ask({"PTTL", "w"}), ":9000|");
}

TEST_P(queue_scripts, a_look_does_not_change_the_position)
{
    acquire("h");
    for (const auto* const each : {"x", "y", "z"}) {
        join(each);
        pass(1ms);
    }
    const auto scores = [&] {
        return ask({"EVAL",
                    "local all = {} for i, each in ipairs(redis.call('ZRANGE', 'q', 0, -1, "
                    "'WITHSCORES')) do if i % 2 == 0 then all[#all + 1] = each end end return all",
                    "0"});
    };
    const auto before = scores();
    for (int i = 0; i < 2; ++i) {
        join("y", {.repeated = true});
        EXPECT_EQ(waiting(), list({marked("x"), marked("y", "0", "1"), marked("z")}));
        EXPECT_EQ(scores(), before);
        pass(1ms);
    }
}

TEST_P(queue_scripts, a_look_joins_again_if_the_place_was_lost)
{
    acquire("h");
    join("y");
    EXPECT_EQ(join("x", {.repeated = true}), "*3|:-2|:3000|:1700000000000|");
    EXPECT_EQ(waiting(), list({marked("y"), marked("x", "0", "1")}));
}

TEST_P(queue_scripts, a_delayed_first_request_finds_the_place_that_its_repeat_took)
{
    acquire("h");
    join("x", {.repeated = true});
    join("y");
    join("x");
    EXPECT_EQ(waiting(), list({marked("x", "0", "1"), marked("y")}));
    release("h");
    EXPECT_EQ(release("x", {.place = place("x")}), ":1|");
    EXPECT_EQ(holder(), "y|");
    EXPECT_EQ(release("y", {.place = place("y")}), ":1|");
    EXPECT_EQ(holder(), "") << "not handed over again to the one that gave it back";
}

TEST_P(queue_scripts, the_place_of_an_only_waiter_that_looks_again_expires)
{
    acquire("h");
    join("x");
    pass(1s);
    join("x", {.repeated = true, .stay = "500"});
    EXPECT_NE(ask({"PTTL", "q"}), ":-1|");
    EXPECT_EQ(ask({"HGET", "w", "x"}), "$13|1700000001500|");
}

TEST_P(queue_scripts, a_short_stay_does_not_cost_other_waiters_their_places)
{
    acquire("h");
    join("x");
    join("y", {.stay = "10"});
    EXPECT_EQ(ask({"PTTL", "q"}), ":9000|");
    EXPECT_EQ(ask({"PTTL", "w"}), is_usual() ? ":10|" : ":9000|");
}

TEST_P(queue_scripts, the_order_is_that_of_arrival_even_if_the_clock_was_set_back)
{
    acquire("h");
    join("x");
    pass(-1h);
    join("a");
    EXPECT_EQ(waiting(), list({marked("x"), marked("a")}));
}

TEST_P(queue_scripts, a_queue_without_looks_expires)
{
    acquire("h");
    join("x");
    pass(9001ms);
    EXPECT_EQ(ask({"EXISTS", "q", "w"}), ":0|");
}

TEST_P(queue_scripts, a_waiter_that_gives_up_leaves_the_queue)
{
    acquire("h");
    join("x");
    join("y");
    EXPECT_EQ(release("x", {.place = place("x")}), ":-1|");
    EXPECT_EQ(waiting(), list({marked("y")}));
    EXPECT_EQ(ask({"HLEN", "w"}), is_usual() ? ":0|" : ":1|");
    EXPECT_EQ(ask({"HEXISTS", "w", "x"}), ":0|");
    EXPECT_EQ(holder(), "h|");
}

TEST_P(queue_scripts, a_waiter_that_gives_up_after_a_look_leaves_the_queue)
{
    acquire("h");
    join("x");
    join("x", {.repeated = true});
    EXPECT_EQ(ask({"EXISTS", "q", "w"}), ":2|");
    EXPECT_EQ(release("x", {.place = place("x")}), ":-1|");
    EXPECT_EQ(ask({"EXISTS", "q", "w"}), ":0|");
}

TEST_P(queue_scripts, a_waiter_that_gives_up_a_free_lock_leaves_the_queue)
{
    acquire("h");
    join("x");
    ask({"DEL", "a"});
    EXPECT_EQ(release("x", {.place = place("x")}), ":0|");
    EXPECT_EQ(ask({"EXISTS", "q", "w"}), ":0|");
}

TEST_P(queue_scripts, a_release_without_a_place_leaves_the_queue_unchanged)
{
    acquire("h");
    join("x");
    EXPECT_EQ(release("x"), ":-1|");
    EXPECT_EQ(waiting(), list({marked("x")}));
}

TEST_P(queue_scripts, a_request_that_comes_too_late_neither_acquires_nor_joins)
{
    EXPECT_EQ(join("x", {.wanted_until = "1699999999999"}), "*3|:-1|:0|:1700000000000|");
    EXPECT_EQ(holder(), "");
    acquire("h");
    EXPECT_EQ(join("x", {.wanted_until = "1699999999999"}), "*3|:-1|:0|:1700000000000|");
    EXPECT_EQ(waiting(), "*0|");
    EXPECT_EQ(join("x", {.wanted_until = "1700000000000"}), "*3|:-2|:3000|:1700000000000|");
}

TEST_P(queue_scripts, a_waiter_that_finds_the_lock_free_leaves_the_queue)
{
    acquire("h");
    join("x");
    pass(3001ms);
    EXPECT_EQ(join("x", {.repeated = true}), "*3|:1|:1700000003001000|:1700000003001|");
    EXPECT_EQ(ask({"EXISTS", "q", "w"}), ":0|");
}

TEST_P(queue_scripts, the_first_caller_takes_a_free_lock_unless_it_is_fair)
{
    acquire("h");
    join("x");
    join("y");
    pass(3001ms);
    EXPECT_EQ(join("fair", {.fair = true}), "*3|:-2|:" + lease_of_waiters() + "|:1700000003001|");
    EXPECT_EQ(holder(), "x|") << "the first caller took it";
    EXPECT_EQ(heard(), grant("x", "1700000003001000", "1700000003001"));
    EXPECT_EQ(waiting(), list({marked("y"), marked("fair")}));
    ask({"DEL", "a"});
    EXPECT_EQ(acquire("unfair"), "*3|:1|:1700000003001001|:1700000003001|");
}

TEST_P(queue_scripts, a_fair_caller_takes_the_lock_if_no_waiter_before_it_listens)
{
    acquire("h");
    join("x", {.client = "c1"});
    join("y", {.stay = "10"});
    pass(3001ms);
    EXPECT_EQ(acquire("fair", {.fair = true}), "*3|:1|:1700000003001000|:1700000003001|");
    EXPECT_EQ(holder(), "fair|");
    EXPECT_EQ(ask({"EXISTS", "q", "w"}), ":0|");
    EXPECT_EQ(heard(), "");
}

TEST_P(queue_scripts, a_fair_caller_takes_the_lock_if_it_is_the_first)
{
    acquire("h");
    join("x", {.fair = true});
    join("y", {.fair = true});
    pass(3001ms);
    EXPECT_EQ(join("x", {.repeated = true, .fair = true}),
              "*3|:1|:1700000003001000|:1700000003001|");
    EXPECT_EQ(waiting(), list({marked("y")}));
    EXPECT_EQ(ask({"HEXISTS", "w", "x"}), ":0|");
}

TEST_P(queue_scripts, a_fair_caller_takes_the_lock_if_it_is_the_first_and_has_looked_again)
{
    acquire("h");
    join("x", {.fair = true});
    join("y", {.fair = true});
    pass(1s);
    join("x", {.repeated = true, .fair = true});
    pass(2001ms);
    EXPECT_EQ(join("x", {.repeated = true, .fair = true}),
              "*3|:1|:1700000003001000|:1700000003001|");
    EXPECT_EQ(waiting(), list({marked("y")}));
    EXPECT_EQ(ask({"HEXISTS", "w", "x"}), ":0|");
}

TEST_P(queue_scripts, default_arguments_may_be_omitted)
{
    const auto& script = is_hash() ? ours::hash_acquire : ours::plain_acquire;
    const auto say = [&](std::string_view holder, std::string_view flags) {
        return ask(
            {"EVAL", script.text, "4", "a", "f", "q", "w", holder, "3000", "0", flags, "c0"});
    };
    EXPECT_EQ(ask({"EVAL", script.text, "4", "a", "f", "q", "w", "h", "3000", "0", "0"}),
              "*3|:1|:1700000000000000|:1700000000000|");
    EXPECT_EQ(ask({"EVAL", script.text, "4", "a", "f", "q", "w", "y", "3000", "0", "0"}),
              "*3|:-2|:3000|:1700000000000|");
    EXPECT_EQ(say("x", "2"), "*3|:-2|:3000|:1700000000000|");
    EXPECT_EQ(waiting(), list({"x c0 3000 0 0"}));
    EXPECT_EQ(ask({"PTTL", "q"}), ":3000|");
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(say("x", "3"), "*3|:2|:1700000000000002|:1700000000000|");
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
        return reply.substr(4, reply.find('|', 4) - 4);
    }
};
INSTANTIATE_TEST_SUITE_P(both_layouts, busy_reply,
                         testing::Combine(testing::Bool(), testing::Values(true)));

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
