// Scripts in the in-process Redis: what they see, how their values are converted, what they may do.
#include "redis/scripts.h"
#include "unit/engine_fixture.h"

namespace pawl::store::memory {
namespace {

using engine_script = engine_test;

TEST_F(engine_script, values_become_replies)
{
    EXPECT_EQ(eval("return {1, 2.9, -2.9, 'x', true, false, {ok='fine'}, {err='BAD luck'}}"),
              "*8|:1|:2|:-2|$1|x|:1|_|+fine|-BAD luck|");
    EXPECT_EQ(eval("return {1, nil, 3}"), "*1|:1|");
    EXPECT_EQ(eval("return"), "_|");
    EXPECT_EQ(eval("return 0/0"), ":-9223372036854775808|");
    EXPECT_EQ(eval("return {double=1.5}"), ",1.5|");
    EXPECT_EQ(eval("return {map={a=1}}"), "%1|$1|a|:1|");
}

TEST_F(engine_script, replies_become_values)
{
    ask({"HSET", "h", "f", "1"});
    ask({"ZADD", "z", "1.5", "m"});
    EXPECT_EQ(eval("return redis.call('GET', 'none') == false"), ":1|");
    EXPECT_EQ(eval("return redis.call('SET', 'a', 1).ok"), "$2|OK|");
    EXPECT_EQ(eval("return redis.call('HGETALL', 'h')"), "*2|$1|f|$1|1|");
    EXPECT_EQ(eval("return redis.call('ZRANGE', 'z', 0, -1, 'WITHSCORES')"), "*2|$1|m|$3|1.5|");
    EXPECT_EQ(eval("redis.setresp(3) return redis.call('HGETALL', 'h').map.f"), "$1|1|");
    EXPECT_EQ(eval("redis.setresp(3) return redis.call('ZSCORE', 'z', 'm').double == 1.5"), "#t|");
    EXPECT_EQ(eval("redis.setresp(3) return redis.call('GET', 'none') == nil"), "#t|");
}

TEST_F(engine_script, numbers_are_passed_with_17_digits)
{
    EXPECT_EQ(eval("redis.call('SET', 'a', 0.1) return redis.call('GET', 'a')"),
              "$19|0.10000000000000001|");
    EXPECT_EQ(eval("redis.call('SET', 'a', 1e15) return redis.call('GET', 'a')"),
              "$16|1000000000000000|");
    EXPECT_EQ(eval("redis.call('SET', 'a', 1e20) return redis.call('GET', 'a')"), "$5|1e+20|");
}

TEST_F(engine_script, keys_and_arguments)
{
    EXPECT_EQ(ask({"EVAL", "return {#KEYS, KEYS[2], ARGV[1], #ARGV}", "2", "a", "b", "c"}),
              "*4|:2|$1|b|$1|c|:1|");
    EXPECT_EQ(ask({"EVAL", "return 1", "2", "a"}),
              "-ERR Number of keys can't be greater than number of args|");
    EXPECT_EQ(ask({"EVAL", "return 1", "-1"}), "-ERR Number of keys can't be negative|");
}

TEST_F(engine_script, an_error_names_the_script_and_the_line)
{
    ask({"SET", "a", "x"});
    EXPECT_EQ(eval("return redis.call('HGET', 'a', 'f')"),
              "-WRONGTYPE Operation against a key holding the wrong kind of value script: "
              "f82e31bde34e3d75e28f5f5e3e085e49aee4ad09, on @user_script:1.|");
    EXPECT_NE(eval("\n\nlocal f\nf()")
                  .find("-ERR user_script:4: attempt to call local 'f' (a nil "
                        "value) script: "),
              std::string::npos);
    EXPECT_EQ(eval("return ("),
              "-ERR Error compiling script (new function): user_script:1: unexpected symbol near "
              "'<eof>'|");
}

TEST_F(engine_script, an_error_keeps_what_was_written)
{
    eval("redis.call('SET', 'a', 'x') error('enough')");
    EXPECT_EQ(ask({"GET", "a"}), "$1|x|");
}

TEST_F(engine_script, a_caught_error_is_a_value)
{
    ask({"SET", "a", "x"});
    EXPECT_EQ(eval("return redis.pcall('HGET', 'a', 'f').err"),
              "$65|WRONGTYPE Operation against a key holding the wrong kind of value|");
    EXPECT_EQ(eval("local fine, text = pcall(redis.call, 'NOPE') return {fine, text}"),
              "*2|_|$44|ERR Unknown Redis command called from script|");
}

TEST_F(engine_script, globals_can_neither_be_created_nor_changed)
{
    const auto says = [&](std::string_view script, std::string_view text) {
        const auto reply = eval(script);
        EXPECT_NE(reply.find(text), std::string::npos) << script << ": " << reply;
    };
    says("return nope", "Script attempted to access nonexistent global variable 'nope'");
    for (const auto* const script :
         {"x = 1", "KEYS = 1", "redis.call = 1", "string.len = 1", "_G.x = 1", "rawset(_G, 'x', 1)",
          "setmetatable(_G, {})", "setmetatable(redis, {})"}) {
        says(script, "Attempt to modify a readonly table");
    }
    for (const auto* const name : {"os", "io", "print", "dofile", "require", "debug", "setfenv"}) {
        says(std::string{"return "} + name, "nonexistent global variable");
    }
}

TEST_F(engine_script, random_numbers_are_the_same_each_time)
{
    EXPECT_EQ(eval("math.randomseed(1) return math.random(1000)"), ":42|");
    EXPECT_EQ(eval("math.randomseed(1) return math.random(1000)"), ":42|");
}

TEST_F(engine_script, the_first_line_is_checked)
{
    EXPECT_EQ(eval("#!lua\nreturn 1"), ":1|");
    EXPECT_EQ(eval("#!lua flags=allow-oom,no-cluster\nreturn 1"), ":1|");
    EXPECT_EQ(eval("#!lua flags=fast\nreturn 1"), "-ERR Unexpected flag in script shebang: fast|");
    EXPECT_EQ(eval("#!lua name=x\nreturn 1"), "-ERR Unknown lua shebang option: name=x|");
    EXPECT_EQ(eval("#!js\nreturn 1"), "-ERR Unexpected engine in script shebang: #!js|");
    EXPECT_EQ(eval("#!lua"), "-ERR Invalid script shebang|");
    EXPECT_NE(eval("#!lua flags=no-writes\nreturn redis.call('DEL', 'a')")
                  .find("Write commands are not allowed from read-only scripts."),
              std::string::npos);
}

constexpr std::string_view no_memory = "OOM command not allowed when used memory > 'maxmemory'.";

TEST_F(engine_script, when_memory_is_full_only_commands_that_need_memory_are_refused)
{
    ask({"SET", "a", "1"});
    engine_.refuse_writes(true);
    EXPECT_EQ(ask({"SET", "b", "1"}), "-" + std::string{no_memory} + "|");
    EXPECT_EQ(ask({"PEXPIRE", "a", "1000"}), ":1|");
    EXPECT_EQ(ask({"DEL", "a"}), ":1|");
    engine_.refuse_writes(false);
    EXPECT_EQ(ask({"SET", "b", "1"}), "+OK|");
}

TEST_F(engine_script, when_memory_is_full_a_script_with_a_shebang_needs_the_flag)
{
    engine_.refuse_writes(true);
    EXPECT_EQ(eval("#!lua\nreturn 1"), "-" + std::string{no_memory} + "|");
    EXPECT_EQ(eval("#!lua flags=no-writes\nreturn 1"), ":1|");
    EXPECT_EQ(eval("#!lua flags=allow-oom\nreturn redis.call('SET', 'a', 1)"), "+OK|");
}

TEST_F(engine_script, when_memory_is_full_a_script_without_a_shebang_runs_until_it_needs_memory)
{
    engine_.refuse_writes(true);
    EXPECT_EQ(eval("return redis.call('EXISTS', 'a')"), ":0|");
    EXPECT_TRUE(eval("return redis.call('SET', 'a', 1)").starts_with("-" + std::string{no_memory}));
    EXPECT_EQ(eval("redis.call('DEL', 'a') return redis.call('SET', 'a', 1)"), "+OK|");
}

TEST_F(engine_script, pawls_scripts_have_the_same_hash_as_on_a_server)
{
    namespace ours = redis::scripts;
    for (const auto* const each :
         {&ours::plain_acquire, &ours::plain_renew, &ours::plain_check, &ours::plain_keep,
          &ours::plain_release, &ours::hash_acquire, &ours::hash_set_count, &ours::hash_renew,
          &ours::hash_check, &ours::hash_keep, &ours::hash_release}) {
        EXPECT_EQ(ask({"SCRIPT", "LOAD", each->text}), "$40|" + std::string{each->sha} + "|");
        EXPECT_EQ(ask({"SCRIPT", "LOAD", each->text_without_flags()}),
                  "$40|" + std::string{each->sha_without_flags} + "|");
    }
}

TEST_F(engine_script, pawls_scripts_acquire_and_release_a_lock)
{
    using redis::scripts::plain_acquire;
    using redis::scripts::plain_release;
    EXPECT_EQ(ask({"SCRIPT", "LOAD", plain_acquire.text}),
              "$40|" + std::string{plain_acquire.sha} + "|");
    ask({"SCRIPT", "LOAD", plain_release.text});
    const auto acquire = [&](std::string_view holder) {
        return ask({"EVALSHA", plain_acquire.sha, "3", "a", "f", "q", holder, "0", "0",
                    "0000000000000x00000000000000000000100"});
    };
    const auto release = [&](std::string_view holder) {
        return ask({"EVALSHA", plain_release.sha, "3", "a", "f", "q", holder, "0"});
    };
    EXPECT_EQ(acquire("me"), "$35|1 1700000000000000 1700000000000000|");
    EXPECT_EQ(acquire("you"), "$23|-2 100 1700000000000000|");
    EXPECT_EQ(release("you"), ":-1|");
    EXPECT_EQ(release("me"), ":1|");
    EXPECT_EQ(acquire("you"), "$35|1 1700000000000001 1700000000000000|");
}

}  // namespace
}  // namespace pawl::store::memory
