#include "store/redis/wire.h"

#include <gtest/gtest.h>

namespace pawl::store {
namespace {

using namespace std::chrono_literals;
using core::operation;
using core::outcome;
using core::verb;
using core::verdict;

constexpr redis::server_facts new_server{.major_version = 7};
constexpr redis::server_facts old_server{.major_version = 6};

// The words of one request, by the parser that also reads replies.
std::vector<std::string> words_of(const std::string& request)
{
    redis::reply_parser parser;
    EXPECT_EQ(parser.parse(request), redis::parse_status::complete);
    EXPECT_EQ(parser.consumed(), request.size());
    std::vector<std::string> words;
    parser.reply(request).for_each([&](const auto& word) { words.emplace_back(word.text()); });
    return words;
}

std::vector<std::string> written(const std::vector<operation>& what,
                                 script_form form = script_form::by_sha,
                                 redis::server_facts server = new_server,
                                 const server_clock& clock = server_clock{0})
{
    std::string out;
    append_operations(out, what, form, server, clock);
    return words_of(out);
}

std::vector<outcome> read(const std::vector<operation>& what, const std::string& reply)
{
    redis::reply_parser parser;
    EXPECT_EQ(parser.parse(reply), redis::parse_status::complete);
    return read_outcomes(what, parser.reply(reply));
}

class wire : public testing::Test {
protected:
    using word_list = std::vector<std::string>;

    operation ask(verb what, layout layout = layout::plain) const
    {
        return {.what = what, .layout = layout, .keys = &keys_, .holder = "me", .lease = 30s};
    }

    core::lock_keys keys_ = core::keys_of("a");
    core::lock_keys other_ = core::keys_of("b");
};

TEST_F(wire, an_acquire_names_all_keys_of_the_lock_and_says_whether_it_is_a_repeat)
{
    auto request = ask(verb::acquire);
    EXPECT_EQ(written({request}),
              (word_list{"EVALSHA", std::string{redis::scripts::plain_acquire.sha}, "4", "a",
                         "pawl:fence:{a}", "pawl:queue:{a}", "pawl:waiters:{a}", "me", "30000", "0",
                         "0"}));
    request.repeated = true;
    request.layout = layout::hash;
    const auto repeated = written({request});
    EXPECT_EQ(repeated[1], redis::scripts::hash_acquire.sha);
    EXPECT_EQ(repeated[10], "1");
}

TEST_F(wire, an_acquire_says_how_it_would_wait)
{
    auto request = ask(verb::acquire);
    request.join = true;
    request.stay = 1500ms;
    request.client = "0123456789abcdef";
    request.reserve = 1000;
    const auto unfair = written({request});
    EXPECT_EQ((word_list{unfair.begin() + 10, unfair.end()}),
              (word_list{"2", "0123456789abcdef", "1000", "1500"}));
    request.fair = true;
    EXPECT_EQ(written({request})[10], "6");
}

TEST_F(wire, an_acquire_does_not_say_what_goes_without_saying)
{
    const auto last_words = [](const operation& request) {
        const auto words = written({request});
        return word_list{words.begin() + 10, words.end()};
    };
    auto request = ask(verb::acquire);
    request.client = "0123456789abcdef";
    request.stay = 30s;
    EXPECT_EQ(last_words(request), (word_list{"0"})) << "who does not wait is not told";
    request.join = true;
    EXPECT_EQ(last_words(request), (word_list{"2", "0123456789abcdef"}));
    request.join = false;
    request.repeated = true;
    EXPECT_EQ(last_words(request), (word_list{"1", "0123456789abcdef"})) << "he may have a place";
    request.repeated = false;
    request.reserve = 7;
    EXPECT_EQ(last_words(request), (word_list{"0", "", "7"}));
    request.join = true;
    request.reserve = 0;
    request.lease = 20ms;
    request.stay = 1500ms;
    EXPECT_EQ(last_words(request), (word_list{"2", "0123456789abcdef"}));
    request.stay = 20ms;
    EXPECT_EQ(last_words(request), (word_list{"2", "0123456789abcdef", "0", "20"}));
}

TEST_F(wire, an_acquire_says_until_when_it_is_wanted_by_the_servers_clock)
{
    auto request = ask(verb::acquire);
    request.until = base::boot_time{10s};
    server_clock clock{0.05};
    clock.heard(1'000'000ms, base::boot_time{9s});
    // A second later, and 5 % of it for the drift, and what was cut off after the millisecond.
    EXPECT_EQ(written({request}, script_form::by_sha, new_server, clock)[9], "1001051");
}

TEST_F(wire, to_keep_a_lock_says_which_numbers_were_used_and_how_many_are_wanted)
{
    auto request = ask(verb::keep, layout::hash);
    request.used = 17;
    request.reserve = 1000;
    request.reserved = 20;
    EXPECT_EQ(written({request}),
              (word_list{"EVALSHA", std::string{redis::scripts::hash_keep.sha}, "4", "a",
                         "pawl:fence:{a}", "pawl:queue:{a}", "pawl:waiters:{a}", "me", "0", "17",
                         "30000", "", "", "1000", "20"}));
    request.announce = true;
    EXPECT_EQ(written({request})[8], "1");
    request.holder = "m\"e";
    const auto loud = written({request});
    EXPECT_EQ(loud[8], "3");
    EXPECT_EQ(loud[11], "a");
    EXPECT_EQ(loud[12], "m\\\"e");
}

TEST_F(wire, a_release_announces_itself_if_it_is_to)
{
    auto request = ask(verb::release);
    const auto last_words = [](const operation& what) {
        const auto words = written({what});
        return word_list{words.begin() + 7, words.end()};
    };
    EXPECT_EQ(last_words(request), (word_list{"me", "0", "0"}));
    request.used = 17;
    request.announce = true;
    EXPECT_EQ(last_words(request), (word_list{"me", "1", "17"}));
    const auto keys = core::keys_of("say \"a\"");
    request.keys = &keys;
    EXPECT_EQ(last_words(request), (word_list{"me", "3", "17", "", R"(say \"a\")", "me"}));
}

TEST_F(wire, a_release_says_which_numbers_were_used_and_which_place_is_given_up)
{
    auto request = ask(verb::release, layout::hash);
    request.used = 17;
    request.has_reserve = true;
    request.place = "me 0123456789abcdef 30000 1000";
    EXPECT_EQ(written({request}),
              (word_list{"EVALSHA", std::string{redis::scripts::hash_release.sha}, "4", "a",
                         "pawl:fence:{a}", "pawl:queue:{a}", "pawl:waiters:{a}", "me", "4", "17",
                         "me 0123456789abcdef 30000 1000"}));
}

TEST_F(wire, a_script_that_the_server_does_not_know_is_sent_in_full)
{
    const auto words = written({ask(verb::release)}, script_form::in_full);
    EXPECT_EQ(words[0], "EVAL");
    EXPECT_TRUE(words[1].starts_with("#!lua flags=allow-oom\n"));
}

TEST_F(wire, an_old_server_gets_scripts_without_flags)
{
    EXPECT_EQ(written({ask(verb::release)}, script_form::by_sha, old_server)[1],
              redis::scripts::plain_release.sha_without_flags);
    const auto text = written({ask(verb::release)}, script_form::in_full, old_server)[1];
    EXPECT_TRUE(text.starts_with("if redis.call("));
}

TEST_F(wire, many_renewals_are_one_request)
{
    auto second = ask(verb::renew);
    second.keys = &other_;
    second.holder = "you";
    second.lease = 5s;
    const auto words = written({ask(verb::renew), second});
    EXPECT_EQ((std::vector<std::string>{words.begin() + 2, words.end()}),
              (std::vector<std::string>{"2", "a", "b", "me", "30000", "you", "5000"}));
}

TEST_F(wire, replies_to_an_acquire)
{
    const auto one = std::vector{ask(verb::acquire)};
    EXPECT_EQ(read(one, "*3\r\n:1\r\n:17\r\n:5\r\n")[0].what, verdict::done);
    EXPECT_EQ(read(one, "*3\r\n:1\r\n:17\r\n:5\r\n")[0].fence, 17U);
    EXPECT_FALSE(read(one, "*3\r\n:1\r\n:17\r\n:5\r\n")[0].found);
    EXPECT_EQ(read(one, "*3\r\n:2\r\n:17\r\n:5\r\n")[0].what, verdict::done);
    EXPECT_EQ(read(one, "*3\r\n:2\r\n:17\r\n:5\r\n")[0].fence, 17U);
    EXPECT_TRUE(read(one, "*3\r\n:2\r\n:17\r\n:5\r\n")[0].found);
    EXPECT_EQ(read(one, "*3\r\n:0\r\n:250\r\n:5\r\n")[0].what, verdict::busy);
    EXPECT_EQ(read(one, "*3\r\n:0\r\n:250\r\n:5\r\n")[0].busy_for, 250ms);
    EXPECT_EQ(read(one, "*3\r\n:0\r\n:-1\r\n:5\r\n")[0].busy_for, -1ms);
    EXPECT_EQ(read(one, "*3\r\n:-1\r\n:0\r\n:5\r\n")[0].what, verdict::unavailable);
}

TEST_F(wire, who_wanted_to_join_and_finds_it_busy_is_in_the_queue)
{
    auto request = ask(verb::acquire);
    EXPECT_FALSE(read({request}, "*3\r\n:0\r\n:250\r\n:5\r\n")[0].queued);
    request.join = true;
    EXPECT_TRUE(read({request}, "*3\r\n:0\r\n:250\r\n:5\r\n")[0].queued);
    EXPECT_FALSE(read({request}, "*3\r\n:1\r\n:17\r\n:5\r\n")[0].queued);
    EXPECT_FALSE(read({request}, "*3\r\n:-1\r\n:0\r\n:5\r\n")[0].queued);
}

TEST_F(wire, replies_to_the_wish_to_keep_a_lock)
{
    const auto one = std::vector{ask(verb::keep)};
    EXPECT_EQ(read(one, "*3\r\n:1\r\n:17\r\n:5\r\n")[0].what, verdict::done);
    EXPECT_EQ(read(one, "*3\r\n:1\r\n:17\r\n:5\r\n")[0].fence, 17U);
    EXPECT_EQ(read(one, "*3\r\n:2\r\n:0\r\n:5\r\n")[0].what, verdict::busy) << "handed over";
    EXPECT_EQ(read(one, "*3\r\n:0\r\n:0\r\n:5\r\n")[0].what, verdict::vanished);
    EXPECT_EQ(read(one, "*3\r\n:-1\r\n:0\r\n:5\r\n")[0].what, verdict::taken);
    EXPECT_EQ(read(one, "*3\r\n:-2\r\n:0\r\n:5\r\n")[0].what, verdict::superseded);
}

TEST_F(wire, replies_to_the_others)
{
    const auto one = std::vector{ask(verb::release)};
    EXPECT_EQ(read(one, ":1\r\n")[0].what, verdict::done);
    EXPECT_EQ(read(one, ":0\r\n")[0].what, verdict::vanished);
    EXPECT_EQ(read(one, ":-1\r\n")[0].what, verdict::taken);
    const auto four = std::vector<operation>(4, ask(verb::renew));
    const auto outcomes = read(four, "*4\r\n:1\r\n:0\r\n:-1\r\n:-2\r\n");
    EXPECT_EQ(outcomes[0].what, verdict::done);
    EXPECT_EQ(outcomes[1].what, verdict::vanished);
    EXPECT_EQ(outcomes[2].what, verdict::taken);
    EXPECT_EQ(outcomes[3].what, verdict::not_a_lock);
}

TEST_F(wire, replies_that_make_no_sense_grant_nothing)
{
    for (const std::string reply :
         {":1\r\n", "*0\r\n", "*3\r\n:1\r\n:0\r\n:5\r\n", "*3\r\n:1\r\n$1\r\nx\r\n:5\r\n",
          "*3\r\n:2\r\n:0\r\n:5\r\n", "*3\r\n:3\r\n:5\r\n:5\r\n", "*2\r\n:1\r\n:17\r\n", "$-1\r\n",
          "+OK\r\n", "*1\r\n:1\r\n"}) {
        EXPECT_EQ(read({ask(verb::acquire)}, reply)[0].what, verdict::refused) << reply;
    }
    for (const std::string reply : {"+OK\r\n", ":7\r\n", "*1\r\n:1\r\n", "$-1\r\n"}) {
        EXPECT_EQ(read({ask(verb::release)}, reply)[0].what, verdict::refused) << reply;
    }
    for (const std::string reply : {":1\r\n", "*3\r\n:1\r\n:0\r\n:5\r\n", "*2\r\n:1\r\n:17\r\n",
                                    "*3\r\n:3\r\n:0\r\n:5\r\n", "*3\r\n:-3\r\n:0\r\n:5\r\n"}) {
        EXPECT_EQ(read({ask(verb::keep)}, reply)[0].what, verdict::refused) << reply;
    }
    const auto two = std::vector<operation>(2, ask(verb::renew));
    EXPECT_EQ(read(two, "*1\r\n:1\r\n")[1].what, verdict::refused);
}

TEST_F(wire, errors_are_told_apart)
{
    const auto of = [&](const std::string& text) {
        return read({ask(verb::acquire)}, "-" + text + "\r\n")[0].what;
    };
    EXPECT_EQ(of("WRONGTYPE Operation against a key"), verdict::not_a_lock);
    EXPECT_EQ(of("ERR Error running script: WRONGTYPE Operation"), verdict::not_a_lock);
    EXPECT_EQ(of("OOM command not allowed"), verdict::refused);
    EXPECT_EQ(of("NOPERM no"), verdict::refused);
    EXPECT_EQ(of("READONLY You can't write"), verdict::unavailable);
    EXPECT_EQ(of("ERR Error running script (call to f_1): @user_script:5: @user_script: 5: "
                 "-READONLY You can't write against a read only replica."),
              verdict::unavailable);
    EXPECT_EQ(of("UNBLOCKED force unblock from blocking operation"), verdict::unavailable);
    EXPECT_EQ(of("NOREPLICAS Not enough good replicas to write."), verdict::unavailable);
    EXPECT_EQ(of("MOVED 866 127.0.0.1:7001"), verdict::refused);
    EXPECT_EQ(of("ERR unknown command 'READONLY'"), verdict::refused);
    EXPECT_EQ(of("LOADING Redis is loading"), verdict::unavailable);
    EXPECT_EQ(of("BUSY Redis is busy running a script"), verdict::unavailable);
    EXPECT_EQ(of("MASTERDOWN Link with MASTER is down"), verdict::unavailable);
}

TEST_F(wire, a_busy_reply_says_whose_the_holder_is)
{
    using core::held_by;
    const auto one = std::vector{ask(verb::acquire)};
    const auto holder = [&](const std::string& code) {
        const auto got = read(one, "*3\r\n:" + code + "\r\n:250\r\n:5\r\n")[0];
        EXPECT_EQ(got.what, verdict::busy);
        EXPECT_EQ(got.busy_for, 250ms);
        return got.holder;
    };
    EXPECT_EQ(holder("0"), held_by::pawl);
    EXPECT_EQ(holder("-2"), held_by::foreign);
    EXPECT_EQ(holder("-3"), held_by::no_lock);
}

TEST_F(wire, numbers_from_the_server_cannot_overflow_anything)
{
    const auto one = std::vector{ask(verb::acquire)};
    const auto left = [&](const std::string& number) {
        return read(one, "*3\r\n:-2\r\n:" + number + "\r\n:5\r\n")[0].busy_for;
    };
    EXPECT_EQ(left("9000000000000000"), 24h);
    EXPECT_EQ(left("9223372036854775807"), 24h);
    EXPECT_EQ(left("-9223372036854775808"), -1ms);

    for (const std::string fence : {"9007199254740993", "9223372036854775807", "-5"}) {
        const auto got = read(one, "*3\r\n:1\r\n:" + fence + "\r\n:5\r\n")[0];
        EXPECT_EQ(got.what, verdict::refused);
        EXPECT_TRUE(got.maybe_executed) << "the lock was taken, and is to be given back";
        EXPECT_FALSE(read_message("grant me " + fence + " 1700000000000 a"));
    }
    EXPECT_TRUE(read_message("grant me 17 1700000000000 a"));
    for (const std::string time : {"9223372036854775807", "9000000000000000", "-1", "0"}) {
        EXPECT_FALSE(read_message("grant me 17 " + time + " a")) << time;
        const auto reply = "*3\r\n:1\r\n:17\r\n:" + time + "\r\n";
        redis::reply_parser parser;
        EXPECT_EQ(parser.parse(reply), redis::parse_status::complete);
        EXPECT_FALSE(read_time(parser.reply(reply))) << time;
    }
}

TEST(outcomes, of_a_request_to_nobody_say_that_there_is_no_server)
{
    const auto got = outcome_of({redis::failure_kind::nobody_listens, "refused", false});
    EXPECT_EQ(got.what, verdict::unreachable);
    EXPECT_TRUE(got.no_server);
    EXPECT_FALSE(got.maybe_executed);
}

}  // namespace
}  // namespace pawl::store
