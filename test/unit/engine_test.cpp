// Time, faults, channels and the protocol of the in-process Redis.
#include "unit/engine_fixture.h"

#include <utility>

namespace pawl::store::memory {
namespace {

using namespace std::chrono_literals;

TEST_F(engine_test, a_key_exists_until_the_end_of_its_last_millisecond)
{
    EXPECT_EQ(ask({"SET", "a", "x", "PX", "10"}), "+OK|");
    pass(10ms);
    EXPECT_EQ(ask({"PTTL", "a"}), ":0|");
    EXPECT_EQ(ask({"GET", "a"}), "$1|x|");
    pass(1ms);
    EXPECT_EQ(ask({"GET", "a"}), "_|");
    EXPECT_EQ(ask({"PTTL", "a"}), ":-2|");
}

TEST_F(engine_test, a_key_that_ended_is_counted_until_it_is_accessed)
{
    ask({"SET", "a", "x", "PX", "10"});
    pass(20ms);
    EXPECT_EQ(ask({"DBSIZE"}), ":1|");
    EXPECT_EQ(ask({"KEYS", "*"}), "*0|");
    EXPECT_EQ(ask({"DEL", "a"}), ":0|");
    EXPECT_EQ(ask({"DBSIZE"}), ":0|");
}

TEST_F(engine_test, time_stands_still_within_a_script)
{
    // A clock that advances while the script runs.
    std::chrono::microseconds ticking{5s};
    engine ticks{[&] { return ticking += 1s; }};
    std::string out;
    const std::string_view script =
        "local a = redis.call('TIME') redis.call('SET', 'k', 'v', 'PX', 1) "
        "local b = redis.call('TIME') return {a[1] == b[1], redis.call('GET', 'k')}";
    ticks.execute(1, std::vector<std::string_view>{"EVAL", script, "0"}, out);
    EXPECT_EQ(shown(out), "*2|:1|$1|v|");
}

TEST_F(engine_test, the_clock_may_go_back)
{
    ask({"SET", "a", "x", "PX", "1000"});
    now_ -= 5s;
    EXPECT_EQ(ask({"PTTL", "a"}), ":6000|");
}

TEST_F(engine_test, inspection_shows_the_existing_keys_by_name)
{
    ask({"HSET", "b", "f", "v"});
    ask({"SET", "a", "x", "PXAT", "1700000000500"});
    ask({"RPUSH", "c", "x"});
    ask({"PEXPIRE", "c", "5"});
    pass(6ms);
    const auto keys = engine_.keys();
    ASSERT_EQ(keys.size(), 2U);
    EXPECT_EQ(keys[0].name, "a");
    EXPECT_EQ(keys[0].type, "string");
    EXPECT_EQ(keys[0].ends, 1'700'000'000'500ms);
    EXPECT_EQ(keys[1].name, "b");
    EXPECT_EQ(keys[1].type, "hash");
    EXPECT_FALSE(keys[1].ends);
}

TEST_F(engine_test, loss_of_data_removes_the_keys_but_not_the_scripts)
{
    ask({"SET", "a", "x"});
    ask({"SCRIPT", "LOAD", "return 1"});
    engine_.lose_data();
    EXPECT_EQ(ask({"EXISTS", "a"}), ":0|");
    EXPECT_EQ(ask({"EVALSHA", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "0"}), ":1|");
    engine_.flush_scripts();
    EXPECT_EQ(ask({"EVALSHA", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "0"}),
              "-NOSCRIPT No matching script. Please use EVAL.|");
}

TEST_F(engine_test, a_restart_forgets_scripts_and_subscriptions_and_data_unless_kept)
{
    ask({"SET", "a", "x"});
    ask({"SCRIPT", "LOAD", "return 1"});
    ask({"SUBSCRIBE", "c"});
    engine_.restart(true);
    EXPECT_EQ(ask({"EXISTS", "a"}), ":1|");
    EXPECT_EQ(ask({"SCRIPT", "EXISTS", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db"}), "*1|:0|");
    EXPECT_EQ(ask({"PUBLISH", "c", "m"}), ":0|");
    engine_.restart(false);
    EXPECT_EQ(ask({"EXISTS", "a"}), ":0|");
}

TEST_F(engine_test, an_old_snapshot_restores_the_old_keys)
{
    ask({"SET", "a", "then", "PX", "1000"});
    const auto then = engine_.save();
    ask({"SET", "a", "now"});
    ask({"SET", "b", "now"});
    engine_.restore(then);
    EXPECT_EQ(ask({"GET", "a"}), "$4|then|");
    EXPECT_EQ(ask({"PTTL", "a"}), ":1000|");
    EXPECT_EQ(ask({"EXISTS", "b"}), ":0|");
    pass(2s);
    engine_.restore(then);
    EXPECT_EQ(ask({"EXISTS", "a"}), ":0|");
}

TEST_F(engine_test, a_message_reaches_the_subscribers_in_the_order_of_their_subscription)
{
    std::vector<std::pair<session, std::string>> got;
    engine_.on_push(
        [&](session who, std::string_view bytes) { got.emplace_back(who, shown(bytes)); });
    EXPECT_EQ(ask({"SUBSCRIBE", "a", "b"}, 7), ">3|$9|subscribe|$1|a|:1|>3|$9|subscribe|$1|b|:2|");
    ask({"SUBSCRIBE", "a"}, 3);
    EXPECT_EQ(ask({"PUBLISH", "a", "hi"}, 9), ":2|");
    const std::string message = ">3|$7|message|$1|a|$2|hi|";
    EXPECT_EQ(got, (decltype(got){{7, message}, {3, message}}));
}

TEST_F(engine_test, a_script_can_publish)
{
    std::vector<session> got;
    engine_.on_push([&](session who, std::string_view) { got.push_back(who); });
    ask({"SUBSCRIBE", "a"}, 7);
    EXPECT_EQ(eval("return redis.call('PUBLISH', 'a', 'm')"), ":1|");
    EXPECT_EQ(got, std::vector<session>{7});
}

TEST_F(engine_test, a_session_that_left_or_unsubscribed_gets_nothing)
{
    ask({"SUBSCRIBE", "a", "b"}, 7);
    EXPECT_EQ(ask({"UNSUBSCRIBE", "a"}, 7), ">3|$11|unsubscribe|$1|a|:1|");
    EXPECT_EQ(ask({"PUBLISH", "a", "m"}), ":0|");
    EXPECT_EQ(ask({"UNSUBSCRIBE"}, 7), ">3|$11|unsubscribe|$1|b|:0|");
    EXPECT_EQ(ask({"UNSUBSCRIBE"}, 7), ">3|$11|unsubscribe|_|:0|");
    ask({"SUBSCRIBE", "a"}, 7);
    engine_.disconnect(7);
    EXPECT_EQ(ask({"PUBLISH", "a", "m"}), ":0|");
}

TEST_F(engine_test, bytes_are_answered_request_by_request_and_an_incomplete_request_is_left)
{
    const std::string one = "*1\r\n$4\r\nPING\r\n";
    std::string out;
    EXPECT_EQ(engine_.execute_bytes(1, one + one + "*1\r\n$4\r\nPI", out), 2 * one.size());
    EXPECT_EQ(shown(out), "+PONG|+PONG|");
}

TEST_F(engine_test, bytes_that_are_not_a_request_are_refused)
{
    for (const std::string_view bytes : {"?\r\n", "+PING\r\n", "*1\r\n:1\r\n"}) {
        std::string out;
        EXPECT_EQ(engine_.execute_bytes(1, bytes, out), bytes.size());
        EXPECT_TRUE(out.starts_with("-ERR Protocol error")) << bytes;
    }
}

TEST_F(engine_test, hello_returns_the_facts_that_a_client_needs)
{
    EXPECT_EQ(ask({"HELLO", "3", "SETNAME", "me"}, 5),
              "%7|$6|server|$5|redis|$7|version|$6|7.0.15|$5|proto|:3|$2|id|:5|$4|mode|"
              "$10|standalone|$4|role|$6|master|$7|modules|*0|");
    EXPECT_EQ(ask({"HELLO", "2"}), "-NOPROTO unsupported protocol version|");
}

TEST_F(engine_test, an_observer_with_a_pattern_gets_messages_and_is_not_counted_as_a_listener)
{
    std::vector<std::pair<session, std::string>> pushed;
    engine_.on_push(
        [&](session who, std::string_view bytes) { pushed.emplace_back(who, shown(bytes)); });
    EXPECT_EQ(ask({"PSUBSCRIBE", "pawl:*"}, 7), ">3|$10|psubscribe|$6|pawl:*|:1|");
    ask({"SUBSCRIBE", "pawl:a"}, 3);
    EXPECT_EQ(ask({"PUBSUB", "NUMSUB", "pawl:a", "pawl:b"}), "*4|$6|pawl:a|:1|$6|pawl:b|:0|");
    EXPECT_EQ(ask({"PUBSUB", "NUMSUB"}), "*0|");
    EXPECT_EQ(ask({"PUBLISH", "pawl:a", "x"}), ":2|");
    EXPECT_EQ(ask({"PUBLISH", "pawl:b", "x"}), ":1|");
    EXPECT_EQ(ask({"PUBLISH", "other", "x"}), ":0|");
    const std::vector<std::pair<session, std::string>> expected{
        {3, ">3|$7|message|$6|pawl:a|$1|x|"},
        {7, ">4|$8|pmessage|$6|pawl:*|$6|pawl:a|$1|x|"},
        {7, ">4|$8|pmessage|$6|pawl:*|$6|pawl:b|$1|x|"}};
    EXPECT_EQ(pushed, expected);
    engine_.disconnect(7);
    EXPECT_EQ(ask({"PUBLISH", "pawl:b", "x"}), ":0|");
}

TEST_F(engine_test, listeners_at_a_replica_get_messages_and_are_not_counted)
{
    std::vector<std::string> pushed;
    engine_.on_push([&](session, std::string_view bytes) { pushed.push_back(shown(bytes)); });
    ask({"SUBSCRIBE", "pawl:a"}, 3);
    engine_.listeners_elsewhere(true);
    EXPECT_EQ(ask({"PUBSUB", "NUMSUB", "pawl:a"}), "*2|$6|pawl:a|:0|");
    EXPECT_EQ(ask({"PUBLISH", "pawl:a", "x"}), ":0|");
    EXPECT_EQ(pushed, std::vector<std::string>{">3|$7|message|$6|pawl:a|$1|x|"});
    engine_.listeners_elsewhere(false);
    EXPECT_EQ(ask({"PUBLISH", "pawl:a", "x"}), ":1|");
}

}  // namespace
}  // namespace pawl::store::memory
