// Requests that replicas must acknowledge: what is sent, and what the replies mean.
#include "unit/one_server_fixture.h"

namespace pawl::store {
namespace {

class acknowledged_by : public one_server {
protected:
    explicit acknowledged_by(acknowledgement wanted = 2)
        : one_server{{.acks = {.wanted = wanted, .longest = 300ms}}}
    {
    }

    [[nodiscard]] core::acquire_reply acquire_with(const std::string& script,
                                                   const std::string& wait)
    {
        record_.requests.clear();
        record_.replies = {script, wait};
        return acquire(base::boot_time{100s});
    }

    template <class Request>
    auto ask(const Request& what)
    {
        record_.requests.clear();
        return std::get<typename Request::reply>(
            server_.execute(core::exchange_request{what}, base::boot_time{101s}, nullptr));
    }

    core::claim mine_{&object_, "me"};
    const std::string granted_ = "$23\r\n1 5000000000 5000000000\r\n";
};

TEST_F(acknowledged_by, two_replicas_is_a_wait_in_the_same_write)
{
    const auto got = acquire_with(granted_, ":2\r\n");
    EXPECT_EQ(std::get<core::granted>(got).fence, 5'000'000'000U);
    ASSERT_EQ(record_.requests.size(), 2U);
    EXPECT_EQ(record_.requests[0].front(), "EVALSHA");
    EXPECT_EQ(record_.requests[1], (words{"WAIT", "2", "300"}));
}

TEST_F(acknowledged_by, too_few_replicas_is_no_grant)
{
    const auto got = std::get<core::unacknowledged>(acquire_with(granted_, ":1\r\n")).why;
    EXPECT_EQ(got.what, core::failure_kind::unavailable);
    EXPECT_EQ(got.detail, "acknowledged by 1 of 2 replicas");
    EXPECT_TRUE(got.maybe_executed);
}

TEST_F(acknowledged_by, a_wait_that_is_refused_is_no_grant)
{
    using kind = core::failure_kind;
    const auto why = [this](const std::string& error) {
        return std::get<core::unacknowledged>(acquire_with(granted_, error)).why.what;
    };
    EXPECT_EQ(why("-NOPERM no\r\n"), kind::refused);
    EXPECT_EQ(why("-UNBLOCKED force unblock from blocking operation\r\n"), kind::elsewhere);
}

TEST_F(acknowledged_by, a_lock_that_is_busy_is_busy_however_many)
{
    EXPECT_TRUE(
        std::holds_alternative<core::busy>(acquire_with("$16\r\n0 100 5000000000\r\n", ":0\r\n")));
}

TEST_F(acknowledged_by, a_script_that_is_unknown_is_sent_with_another_wait)
{
    record_.replies = {"-NOSCRIPT No matching script.\r\n", ":0\r\n", granted_, ":2\r\n"};
    static_cast<void>(granted(base::boot_time{100s}));
    ASSERT_EQ(record_.requests.size(), 4U);
    EXPECT_EQ(record_.requests[2].front(), "EVAL");
    EXPECT_EQ(record_.requests[3].front(), "WAIT");
}

TEST_F(acknowledged_by, replicas_is_waited_for_no_longer_than_the_request_and_the_lease_allow)
{
    const auto limit = [this](std::chrono::milliseconds lease, std::chrono::milliseconds time) {
        auto what = asked(base::boot_time{100s});
        what.lease = lease;
        what.until = what.sent + time;
        record_.requests.clear();
        record_.replies = {granted_, ":2\r\n"};
        static_cast<void>(acquire(what));
        return record_.requests[1][2];
    };
    EXPECT_EQ(limit(30s, 90ms), "30");
    EXPECT_EQ(limit(1200ms, 1s), "100");
    EXPECT_EQ(limit(5ms, 1s), "1") << "0 would be for ever";
}

TEST_F(acknowledged_by, replicas_is_never_a_bare_acquire)
{
    static_cast<void>(acquire_with(granted_, ":2\r\n"));
    record_.requests.clear();
    record_.replies = {granted_, ":2\r\n"};
    static_cast<void>(acquire(base::boot_time{100'500ms}, 5'001'000'000));
    EXPECT_EQ(record_.requests[0].front(), "EVALSHA");
    EXPECT_EQ(record_.asked_about, 0U);
}

TEST_F(acknowledged_by, nobody_is_a_wait_at_a_gate)
{
    const core::object gate{.name = "a", .kind = core::object_kind::latch, .expected = 1};
    record_.replies = {"$15\r\n1 17 5000000000\r\n"};
    auto what = asked(base::boot_time{100s});
    what.mine.what = &gate;
    EXPECT_TRUE(std::holds_alternative<core::granted>(acquire(what)));
    EXPECT_EQ(record_.requests.size(), 1U);
}

// ── Renewals ────────────────────────────────────────────────────────────────────────────────────

TEST_F(acknowledged_by, all_renewals_of_a_batch_is_one_wait)
{
    const core::object hash{.name = "h", .layout = layout::hash};
    core::renew_request all{.all = {{.mine = mine_, .lease = 30s},
                                    {.mine = {&hash, "me"}, .lease = 1200ms},
                                    {.mine = mine_, .lease = 30s}}};
    const auto renew = [&] {
        record_.requests.clear();
        return std::get<core::renew_request::reply>(
            server_.execute(all, base::boot_time{101s}, nullptr));
    };
    using enum core::hold_status;
    record_.replies = {"*2\r\n:1\r\n:0\r\n", "*1\r\n:1\r\n", ":2\r\n"};
    EXPECT_EQ(renew(), (core::renew_request::reply{done, done, vanished}));
    ASSERT_EQ(record_.requests.size(), 3U);
    EXPECT_EQ(record_.requests[2], (words{"WAIT", "2", "100"})) << "for the shortest lease";

    record_.replies = {"*2\r\n:1\r\n:0\r\n", "*1\r\n:1\r\n", ":1\r\n"};
    auto got = renew();
    EXPECT_EQ(std::get<core::failure>(got[0]).detail, "acknowledged by 1 of 2 replicas");
    EXPECT_TRUE(std::holds_alternative<core::failure>(got[1]));
    EXPECT_EQ(std::get<core::hold_status>(got[2]), vanished) << "that needs no replica";

    record_.replies = {"*2\r\n:1\r\n:0\r\n", "*1\r\n:1\r\n"};
    got = renew();
    EXPECT_TRUE(std::holds_alternative<core::failure>(got[0])) << "the wait had no answer";
    EXPECT_EQ(std::get<core::hold_status>(got[2]), vanished);
}

TEST_F(acknowledged_by, an_extension_is_a_wait)
{
    record_.replies = {"*1\r\n:1\r\n", ":2\r\n"};
    const core::extend_request what{.mine = mine_, .lease = 30s};
    EXPECT_EQ(ask(what), core::hold_reply{core::hold_status::done});
    EXPECT_EQ(record_.requests[1].front(), "WAIT");
    record_.replies = {"*1\r\n:1\r\n", ":0\r\n"};
    EXPECT_EQ(std::get<core::failure>(ask(what)).what, core::failure_kind::unavailable);
    record_.replies = {"-NOSCRIPT no\r\n", ":0\r\n", "*1\r\n:0\r\n", ":0\r\n"};
    EXPECT_EQ(ask(what), core::hold_reply{core::hold_status::vanished});
}

TEST_F(acknowledged_by, a_release_is_not_waited_for)
{
    record_.replies = {":1\r\n"};
    EXPECT_EQ(ask(core::release_request{.mine = mine_}), core::hold_reply{core::hold_status::done});
    EXPECT_EQ(record_.requests.size(), 1U);
}

TEST_F(acknowledged_by, a_lock_that_is_kept_does_not_have_a_new_lease)
{
    record_.replies = {"$12\r\n1 5000000000\r\n"};
    const auto got = ask(core::keep_request{.mine = mine_, .lease = 30s});
    EXPECT_FALSE(std::get<core::kept>(got).lease_restarts);
    EXPECT_EQ(record_.requests.size(), 1U);
}

TEST_F(acknowledged_by, replicas_has_a_connection_of_its_own_on_the_loop)
{
    const auto submit = [this](core::request what) {
        server_.submit(std::move(what), 1s, [] { return true; }, [](const core::reply&) {});
    };
    submit(asked(base::boot_time{100s}));
    submit(core::renew_request{.all = {{.mine = mine_, .lease = 30s}}});
    submit(core::exchange_request{core::extend_request{.mine = mine_, .lease = 30s}});
    EXPECT_EQ(record_.submitted_apart, 3U);
    submit(core::exchange_request{core::release_request{.mine = mine_}});
    submit(core::exchange_request{core::check_request{.mine = mine_}});
    EXPECT_EQ(record_.submitted, 2U);
}

// ── A majority ──────────────────────────────────────────────────────────────────────────────────

class acknowledged_by_majority : public acknowledged_by {
protected:
    acknowledged_by_majority() : acknowledged_by{acknowledgement::majority()} {}

    // How many replicas the server was told to wait for, if it says that it has so many.
    std::string needed(unsigned replicas)
    {
        record_.about.replicas = replicas;
        now_ += 2s;
        // It is asked with the first of these.
        for (int i = 0; i < 2; ++i) {
            record_.requests.clear();
            record_.replies = {granted_, ":9\r\n"};
            static_cast<void>(acquire(now_));
        }
        return record_.requests.back().at(1);
    }

    base::boot_time now_{100s};
};

TEST_F(acknowledged_by_majority, is_more_than_half_of_all_servers)
{
    EXPECT_EQ(needed(0), "1") << "a primary alone is no majority";
    EXPECT_EQ(needed(1), "1");
    EXPECT_EQ(needed(2), "1");
    EXPECT_EQ(needed(3), "2");
    EXPECT_EQ(needed(4), "2");
    EXPECT_EQ(needed(5), "3");
}

TEST_F(acknowledged_by_majority, counts_replicas_that_are_away)
{
    EXPECT_EQ(needed(4), "2");
    EXPECT_EQ(needed(1), "2");
}

TEST_F(acknowledged_by_majority, is_checked_with_the_number_in_the_same_answer)
{
    record_.about.replicas = 4;
    const auto got = acquire_with(granted_, ":1\r\n");
    EXPECT_EQ(std::get<core::unacknowledged>(got).why.detail, "acknowledged by 1 of 2 replicas");
}

TEST_F(acknowledged_by_majority, needs_the_right_to_ask)
{
    record_.info_error = "-NOPERM no permissions to run the 'info' command\r\n";
    const auto got = std::get<core::unacknowledged>(acquire_with(granted_, ":1\r\n")).why;
    EXPECT_EQ(got.what, core::failure_kind::refused);
}

// ── What a server says about itself ─────────────────────────────────────────────────────────────

TEST(replication, is_read_from_the_text_of_info)
{
    const auto got = read_replication(
        "# Replication\r\nrole:master\r\nconnected_slaves:2\r\n"
        "slave0:ip=::1,port=1,state=online,offset=1,lag=0\r\nmaster_replid2:0000\r\n"
        "master_replid:abc\r\nmaster_repl_offset:5\r\n");
    ASSERT_TRUE(got);
    EXPECT_TRUE(got->primary);
    EXPECT_EQ(got->replicas, 2U);
    EXPECT_EQ(got->history, "abc");
}

TEST(replication, that_lacks_a_line_or_has_no_number_is_not_read)
{
    for (const auto* const text : {"", "role:master\r\n", "role:master\r\nconnected_slaves:1\r\n",
                                   "role:master\r\nconnected_slaves:x\r\nmaster_replid:a\r\n",
                                   "role:master\r\nconnected_slaves:1\r\nmaster_replid:\r\n",
                                   "xrole:master\r\nconnected_slaves:1\r\nmaster_replid:a\r\n"}) {
        EXPECT_FALSE(read_replication(text)) << text;
    }
}

}  // namespace
}  // namespace pawl::store
