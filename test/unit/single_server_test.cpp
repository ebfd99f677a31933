// What a single_server sends, and what it makes of the replies.
#include "unit/one_server_fixture.h"

namespace pawl::store {
namespace {

TEST_F(one_server, is_told_until_when_an_acquire_is_wanted_if_its_time_is_known)
{
    record_.replies = {"$16\r\n0 100 5000000000\r\n", "$15\r\n1 17 5060000000\r\n"};
    static_cast<void>(busy(base::boot_time{100s}));
    static_cast<void>(granted(base::boot_time{160s}));
    ASSERT_EQ(record_.requests.size(), 2U);
    EXPECT_EQ(wanted_until(0), "0");
    EXPECT_EQ(wanted_until(1), "0000005061001000");
}

TEST_F(one_server, gives_no_place_in_the_queue_before_its_time_is_known)
{
    record_.replies = {"$16\r\n0 100 5000000000\r\n", "$16\r\n0 100 5060000000\r\n"};
    auto waiting = asked(base::boot_time{100s});
    waiting.wait = 30s;
    EXPECT_FALSE(std::get<core::busy>(acquire(waiting)).queued);
    waiting.sent = base::boot_time{160s};
    EXPECT_TRUE(std::get<core::busy>(acquire(waiting)).queued);
    ASSERT_EQ(record_.requests.size(), 2U);
    EXPECT_EQ(record_.requests[0].at(8), "0");
    EXPECT_EQ(record_.requests[1].at(8), "18");
    EXPECT_TRUE(record_.requests[1].at(9).starts_with("0000005090001x"));
}

TEST_F(one_server, whose_clock_was_stepped_is_asked_again_with_the_right_time)
{
    record_.replies = {"$16\r\n0 100 5000000000\r\n", "$15\r\n-1 0 9000000000\r\n",
                       "$15\r\n1 17 9000000000\r\n"};
    static_cast<void>(busy(base::boot_time{100s}));
    static_cast<void>(granted(base::boot_time{100s}));
    ASSERT_EQ(record_.requests.size(), 3U);
    EXPECT_EQ(wanted_until(2), "0000009001001000");
}

TEST_F(one_server, that_rejects_everything_as_late_is_not_asked_forever)
{
    record_.replies = std::deque<std::string>(10, "$15\r\n-1 0 9000000000\r\n");
    EXPECT_EQ(failed(base::boot_time{100s}).what, core::failure_kind::unavailable);
    EXPECT_LE(record_.requests.size(), 3U);
}

TEST_F(one_server, that_does_not_know_a_script_gets_it_once)
{
    record_.replies = {"-NOSCRIPT No matching script.\r\n", "$15\r\n-1 0 9000000000\r\n",
                       "$15\r\n1 17 9000000000\r\n"};
    static_cast<void>(granted(base::boot_time{100s}));
    ASSERT_EQ(record_.requests.size(), 3U);
    EXPECT_EQ(record_.requests[0].front(), "EVALSHA");
    EXPECT_EQ(record_.requests[1].front(), "EVAL");
    EXPECT_EQ(record_.requests[2].front(), "EVALSHA");
}

// ── Plain commands ──────────────────────────────────────────────────────────────────────────────

class questions : public one_server {
protected:
    // How often it was sent. There is no answer.
    std::size_t sent_for(std::optional<script_question> script)
    {
        record_.is_sent = true;
        std::vector<server_question> all;
        all.push_back({server_.shown(), {{"TIME"}}, std::move(script)});
        const auto got = server_.ask(all, base::boot_time{101s});
        EXPECT_TRUE(got.at(0).problem);
        return record_.requests.size() / (record_.requests.back().front() == "TIME" ? 1 : 2);
    }
};

TEST_F(questions, are_repeated_after_a_broken_connection)
{
    EXPECT_EQ(sent_for(std::nullopt), 2U);
}

TEST_F(questions, with_a_script_are_not_repeated)
{
    EXPECT_EQ(sent_for(script_question{&redis::scripts::members_break, {"a", "f", "q"}, {"me"}}),
              1U);
}

// ── Renewals ────────────────────────────────────────────────────────────────────────────────────

class many_renewals : public one_server {
protected:
    core::renew_request::reply renew(std::vector<const core::object*> locks)
    {
        core::renew_request all;
        for (const auto* const each : locks)
            all.all.push_back({.mine = {each, "me"}, .lease = 30s});
        return std::get<core::renew_request::reply>(
            server_.execute(std::move(all), base::boot_time{101s}, nullptr));
    }

    core::object hash_{.name = "h", .layout = layout::hash};
    core::object other_{.name = "b"};
};

TEST_F(many_renewals, are_one_call_for_each_layout)
{
    record_.replies = {"*2\r\n:1\r\n:0\r\n", "*1\r\n:-1\r\n"};
    using enum core::hold_status;
    EXPECT_EQ(renew({&object_, &hash_, &other_}),
              (core::renew_request::reply{done, taken, vanished}))
        << "in the order of the requests";
    ASSERT_EQ(record_.requests.size(), 2U);
    EXPECT_EQ(record_.requests[0][2], "2");
    EXPECT_EQ(record_.requests[1][1], redis::scripts::hash_renew.sha);
}

TEST_F(many_renewals, that_are_refused_together_are_tried_one_by_one)
{
    record_.replies = {"-NOPERM no\r\n", "-NOPERM no\r\n", "*1\r\n:1\r\n"};
    const auto got = renew({&object_, &other_});
    EXPECT_EQ(std::get<core::failure>(got[0]).what, core::failure_kind::refused);
    EXPECT_EQ(std::get<core::hold_status>(got[1]), core::hold_status::done);
    EXPECT_EQ(record_.requests.size(), 3U);
}

TEST_F(many_renewals, with_an_unknown_script_are_sent_in_full_where_needed)
{
    record_.replies = {"*1\r\n:1\r\n", "-NOSCRIPT No matching script.\r\n", "*1\r\n:1\r\n"};
    using enum core::hold_status;
    EXPECT_EQ(renew({&object_, &hash_}), (core::renew_request::reply{done, done}));
    ASSERT_EQ(record_.requests.size(), 3U);
    EXPECT_EQ(record_.requests[2][0], "EVAL");
    EXPECT_TRUE(record_.requests[2][1].starts_with("#!lua"));
}

TEST_F(many_renewals, that_were_answered_in_part_keep_those_answers)
{
    record_.is_sent = true;
    record_.replies = {"*1\r\n:1\r\n"};
    const auto got = renew({&object_, &hash_});
    EXPECT_EQ(std::get<core::hold_status>(got[0]), core::hold_status::done);
    EXPECT_TRUE(std::get<core::failure>(got[1]).maybe_executed);
}

}  // namespace
}  // namespace pawl::store
