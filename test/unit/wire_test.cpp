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
    operation ask(verb what, layout layout = layout::plain) const
    {
        return {.what = what, .layout = layout, .keys = &keys_, .holder = "me", .lease = 30s};
    }

    core::lock_keys keys_ = core::keys_of("a");
    core::lock_keys other_ = core::keys_of("b");
};

TEST_F(wire, an_acquire_names_both_keys_and_says_whether_it_is_a_repeat)
{
    auto request = ask(verb::acquire);
    using words = std::vector<std::string>;
    EXPECT_EQ(written({request}),
              (words{"EVALSHA", std::string{redis::scripts::plain_acquire.sha}, "2", "a",
                     "pawl:fence:{a}", "me", "30000", "86400000", "0", "0"}));
    request.repeated = true;
    request.layout = layout::hash;
    const auto repeated = written({request});
    EXPECT_EQ(repeated[1], redis::scripts::hash_acquire.sha);
    EXPECT_EQ(repeated[8], "1");
}

TEST_F(wire, an_acquire_says_until_when_it_is_wanted_by_the_servers_clock)
{
    auto request = ask(verb::acquire);
    request.until = base::boot_time{10s};
    server_clock clock{0.05};
    clock.heard(1'000'000ms, base::boot_time{9s});
    // A second later, and 5 % of it for the drift.
    EXPECT_EQ(written({request}, script_form::by_sha, new_server, clock).back(), "1001050");
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
    EXPECT_TRUE(text.starts_with("local holder"));
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
    EXPECT_EQ(read(one, "*3\r\n:0\r\n:250\r\n:5\r\n")[0].what, verdict::busy);
    EXPECT_EQ(read(one, "*3\r\n:0\r\n:250\r\n:5\r\n")[0].busy_for, 250ms);
    EXPECT_EQ(read(one, "*3\r\n:0\r\n:-1\r\n:5\r\n")[0].busy_for, -1ms);
    EXPECT_EQ(read(one, "*3\r\n:-1\r\n:0\r\n:5\r\n")[0].what, verdict::unavailable);
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
    for (const std::string reply : {":1\r\n", "*0\r\n", "*3\r\n:1\r\n:0\r\n:5\r\n",
                                    "*3\r\n:1\r\n$1\r\nx\r\n:5\r\n", "*3\r\n:2\r\n:5\r\n:5\r\n",
                                    "*2\r\n:1\r\n:17\r\n", "$-1\r\n", "+OK\r\n", "*1\r\n:1\r\n"}) {
        EXPECT_EQ(read({ask(verb::acquire)}, reply)[0].what, verdict::refused) << reply;
    }
    for (const std::string reply : {"+OK\r\n", ":7\r\n", "*1\r\n:1\r\n", "$-1\r\n"}) {
        EXPECT_EQ(read({ask(verb::release)}, reply)[0].what, verdict::refused) << reply;
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
    EXPECT_EQ(of("READONLY You can't write"), verdict::refused);
    EXPECT_EQ(of("LOADING Redis is loading"), verdict::unavailable);
    EXPECT_EQ(of("BUSY Redis is busy running a script"), verdict::unavailable);
    EXPECT_EQ(of("MASTERDOWN Link with MASTER is down"), verdict::unavailable);
}

}  // namespace
}  // namespace pawl::store
