// The commands of the in-process Redis, with their difficult cases.
// test/integration/engine_differential_test.cpp compares them with a real server.
#include "store/memory/glob.h"
#include "unit/engine_fixture.h"

namespace pawl::store::memory {
namespace {

using engine_commands = engine_test;

constexpr auto wrong_type = "-WRONGTYPE Operation against a key holding the wrong kind of value|";

TEST_F(engine_commands, an_unknown_command_is_named_in_the_error)
{
    EXPECT_EQ(ask({"NOPE", "a", "b"}),
              "-ERR unknown command 'NOPE', with args beginning with: 'a' 'b' |");
    EXPECT_EQ(ask({"SCRIPT", "NOPE"}), "-ERR unknown subcommand 'NOPE'. Try SCRIPT HELP.|");
    EXPECT_EQ(ask({"GET"}), "-ERR wrong number of arguments for 'get' command|");
    EXPECT_EQ(ask({"script", "load"}), "-ERR wrong number of arguments for 'script|load' command|");
}

TEST_F(engine_commands, set_with_options)
{
    EXPECT_EQ(ask({"SET", "a", "1", "XX"}), "_|");
    EXPECT_EQ(ask({"SET", "a", "1", "NX", "PX", "1000"}), "+OK|");
    EXPECT_EQ(ask({"SET", "a", "2", "NX"}), "_|");
    EXPECT_EQ(ask({"SET", "a", "2", "KEEPTTL"}), "+OK|");
    EXPECT_EQ(ask({"PTTL", "a"}), ":1000|");
    EXPECT_EQ(ask({"SET", "a", "3", "GET"}), "$1|2|");
    EXPECT_EQ(ask({"PTTL", "a"}), ":-1|");
    EXPECT_EQ(ask({"SET", "a", "3", "NX", "XX"}), "-ERR syntax error|");
    EXPECT_EQ(ask({"SET", "a", "3", "PX", "5", "KEEPTTL"}), "-ERR syntax error|");
    EXPECT_EQ(ask({"SET", "a", "3", "PX", "0"}), "-ERR invalid expire time in 'set' command|");
    EXPECT_EQ(ask({"SET", "a", "3", "PX", "x"}), "-ERR value is not an integer or out of range|");
}

TEST_F(engine_commands, a_part_of_a_text)
{
    ask({"SET", "s", "abcdef"});
    EXPECT_EQ(ask({"GETRANGE", "s", "0", "2"}), "$3|abc|");
    EXPECT_EQ(ask({"GETRANGE", "s", "-2", "-1"}), "$2|ef|");
    EXPECT_EQ(ask({"GETRANGE", "s", "4", "100"}), "$2|ef|");
    EXPECT_EQ(ask({"GETRANGE", "s", "3", "1"}), "$0||");
    EXPECT_EQ(ask({"GETRANGE", "s", "-1", "-3"}), "$0||");
    EXPECT_EQ(ask({"GETRANGE", "s", "0", "-100"}), "$1|a|");
    EXPECT_EQ(ask({"GETRANGE", "none", "0", "1"}), "$0||");
}

TEST_F(engine_commands, a_scan_ends_at_once)
{
    ask({"SET", "b", "x"});
    ask({"RPUSH", "a", "x"});
    EXPECT_EQ(ask({"SCAN", "0"}), "*2|$1|0|*2|$1|a|$1|b|");
    EXPECT_EQ(ask({"SCAN", "0", "MATCH", "b*", "COUNT", "10"}), "*2|$1|0|*1|$1|b|");
    EXPECT_EQ(ask({"SCAN", "0", "TYPE", "list"}), "*2|$1|0|*1|$1|a|");
    EXPECT_EQ(ask({"SCAN", "x"}), "-ERR invalid cursor|");
    EXPECT_EQ(ask({"SCAN", "0", "COUNT", "0"}), "-ERR syntax error|");
    EXPECT_EQ(ask({"SCAN", "0", "COUNT"}), "-ERR syntax error|");
}

TEST_F(engine_commands, keys_of_other_types_are_refused)
{
    ask({"SET", "s", "x"});
    ask({"RPUSH", "l", "x"});
    EXPECT_EQ(ask({"GET", "l"}), wrong_type);
    EXPECT_EQ(ask({"HGET", "s", "f"}), wrong_type);
    EXPECT_EQ(ask({"LPUSH", "s", "f"}), wrong_type);
    EXPECT_EQ(ask({"ZADD", "s", "1", "f"}), wrong_type);
    EXPECT_EQ(ask({"SET", "l", "x"}), "+OK|");
}

TEST_F(engine_commands, an_expiry_in_the_past_deletes)
{
    ask({"SET", "a", "x"});
    EXPECT_EQ(ask({"PEXPIRE", "a", "0"}), ":1|");
    EXPECT_EQ(ask({"DBSIZE"}), ":0|");
}

TEST_F(engine_commands, numbers)
{
    EXPECT_EQ(ask({"INCRBY", "n", "9223372036854775807"}), ":9223372036854775807|");
    EXPECT_EQ(ask({"INCR", "n"}), "-ERR increment or decrement would overflow|");
    ask({"SET", "n", "07"});
    EXPECT_EQ(ask({"INCR", "n"}), "-ERR value is not an integer or out of range|");
    EXPECT_EQ(ask({"HINCRBY", "h", "f", "-5"}), ":-5|");
}

TEST_F(engine_commands, an_empty_aggregate_is_removed)
{
    ask({"HSET", "h", "a", "1"});
    ask({"RPUSH", "l", "a", "b"});
    ask({"ZADD", "z", "1", "a"});
    EXPECT_EQ(ask({"HDEL", "h", "a"}), ":1|");
    EXPECT_EQ(ask({"LPOP", "l", "5"}), "*2|$1|a|$1|b|");
    EXPECT_EQ(ask({"ZPOPMIN", "z"}), "*2|$1|a|,1|");
    EXPECT_EQ(ask({"EXISTS", "h", "l", "z"}), ":0|");
}

TEST_F(engine_commands, lists)
{
    EXPECT_EQ(ask({"RPUSH", "l", "a", "b", "a", "c", "a"}), ":5|");
    EXPECT_EQ(ask({"LREM", "l", "-1", "a"}), ":1|");
    EXPECT_EQ(ask({"LRANGE", "l", "0", "-1"}), "*4|$1|a|$1|b|$1|a|$1|c|");
    EXPECT_EQ(ask({"LINDEX", "l", "-1"}), "$1|c|");
    EXPECT_EQ(ask({"LPUSH", "l", "z"}), ":5|");
    EXPECT_EQ(ask({"RPOP", "l"}), "$1|c|");
    EXPECT_EQ(ask({"LRANGE", "l", "-100", "0"}), "*1|$1|z|");
    EXPECT_EQ(ask({"LSET", "l", "-1", "z"}), "+OK|");
    EXPECT_EQ(ask({"LRANGE", "l", "0", "-1"}), "*4|$1|z|$1|a|$1|b|$1|z|");
    EXPECT_EQ(ask({"LSET", "l", "4", "x"}), "-ERR index out of range|");
    EXPECT_EQ(ask({"LSET", "none", "0", "x"}), "-ERR no such key|");
    EXPECT_EQ(ask({"LPOS", "l", "z"}), ":0|");
    EXPECT_EQ(ask({"LPOS", "l", "z", "RANK", "-1"}), ":3|");
    EXPECT_EQ(ask({"LPOS", "l", "z", "RANK", "-2", "MAXLEN", "3"}), "_|");
    EXPECT_EQ(ask({"LPOS", "l", "z", "RANK", "-2", "MAXLEN", "4"}), ":0|");
}

TEST_F(engine_commands, sorted_sets)
{
    EXPECT_EQ(ask({"ZADD", "z", "2", "b", "1", "c", "1", "a"}), ":3|");
    EXPECT_EQ(ask({"ZRANGE", "z", "0", "-1", "WITHSCORES"}),
              "*3|*2|$1|a|,1|*2|$1|c|,1|*2|$1|b|,2|");
    EXPECT_EQ(ask({"ZRANGEBYSCORE", "z", "(1", "+inf"}), "*1|$1|b|");
    EXPECT_EQ(ask({"ZRANGEBYSCORE", "z", "-inf", "5", "LIMIT", "1", "1"}), "*1|$1|c|");
    EXPECT_EQ(ask({"ZRANGE", "z", "0", "0", "REV"}), "*1|$1|b|");
    EXPECT_EQ(ask({"ZRANK", "z", "b"}), ":2|");
    EXPECT_EQ(ask({"ZADD", "z", "GT", "CH", "1", "b", "5", "a"}), ":1|");
    EXPECT_EQ(ask({"ZSCORE", "z", "a"}), ",5|");
    EXPECT_EQ(ask({"ZREMRANGEBYSCORE", "z", "1", "2"}), ":2|");
    EXPECT_EQ(ask({"ZCARD", "z"}), ":1|");
}

TEST_F(engine_commands, a_hash_keeps_the_order_of_its_fields)
{
    ask({"HSET", "h", "z", "1", "a", "2"});
    ask({"HSET", "h", "z", "3"});
    EXPECT_EQ(ask({"HGETALL", "h"}), "%2|$1|z|$1|3|$1|a|$1|2|");
}

TEST(engine_glob, patterns)
{
    EXPECT_TRUE(matches("*", ""));
    EXPECT_TRUE(matches("a*c*e", "abcde"));
    EXPECT_TRUE(matches("a*bc", "abbc"));
    EXPECT_FALSE(matches("a*c", "ab"));
    EXPECT_TRUE(matches("h[a-c]t", "hat"));
    EXPECT_FALSE(matches("h[^a-c]t", "hat"));
    EXPECT_TRUE(matches("h?t", "hut"));
    EXPECT_TRUE(matches("\\*", "*"));
    EXPECT_FALSE(matches("\\*", "x"));
    EXPECT_TRUE(matches("{a}*", "{a}b"));
}

}  // namespace
}  // namespace pawl::store::memory
