// Waiting in the server's queue, in acquire_machine.
#include "unit/acquire_wait_fixture.h"

#include <cstdint>

namespace pawl::core {
namespace {

const failure no_answer{
    .what = failure_kind::no_reply, .detail = "silence", .maybe_executed = true};

granted found(std::uint64_t fence)
{
    return {.fence = fence, .found = true};
}

// ── In the queue ────────────────────────────────────────────────────────────────────────────────

TEST_F(waiting_in_the_queue, is_requested_with_all_values_that_the_server_needs)
{
    auto m = machine();
    const auto step = m.start(at(0));
    ASSERT_EQ(step.what, kind::send);
    EXPECT_TRUE(sent(step).wait);
    EXPECT_TRUE(sent(step).fair);
    EXPECT_EQ(sent(step).client, "client");
    EXPECT_EQ(sent(step).reserve, 7U);
    EXPECT_EQ(sent(step).wait, 9s) << "three times the interval of looks";
    EXPECT_FALSE(sent(step).repeated);
}

TEST_F(waiting_in_the_queue, is_not_requested_by_a_caller_that_does_not_wait)
{
    auto m = machine(time_limit::now());
    EXPECT_FALSE(sent(m.start(at(0))).wait);
}

TEST_F(waiting_in_the_queue, lasts_until_it_is_time_to_look_again)
{
    auto m = machine();
    static_cast<void>(m.start(at(0)));
    auto step = m.answered(queued(), at(5));
    ASSERT_EQ(step.what, kind::wait);
    EXPECT_EQ(step.until, at(5 + 3000)) << "a third of the lease";
    step = m.on_time(step.until);
    ASSERT_EQ(step.what, kind::send);
    EXPECT_TRUE(sent(step).wait) << "it renews the place";
    EXPECT_TRUE(sent(step).repeated) << "the lock may have been handed over meanwhile";
    EXPECT_EQ(sent(step).mine.holder, "me");
    step = m.answered(queued(), at(3010));
    ASSERT_EQ(step.what, kind::wait);
    EXPECT_EQ(step.until, at(3010 + 3000));
}

TEST_F(waiting_in_the_queue, for_too_few_nodes_of_a_quorum_ends_with_what_is_wrong_at_them)
{
    auto short_of = queued();
    short_of.shortage = "1 of 3 nodes can vote";
    auto m = machine(time_limit::after(100ms));
    static_cast<void>(m.start(at(0)));
    auto step = m.answered(short_of, at(1));
    ASSERT_EQ(step.what, kind::wait);
    ASSERT_EQ(m.on_time(at(100)).what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::no_quorum);
    EXPECT_EQ(m.result().detail, "1 of 3 nodes can vote");
    EXPECT_TRUE(m.result().uncertain) << "it has places";
}

TEST_F(waiting_in_the_queue, is_timed_out_if_enough_nodes_can_vote_again_at_the_end)
{
    auto short_of = queued();
    short_of.shortage = "1 of 3 nodes can vote";
    auto m = machine(time_limit::after(10s));
    static_cast<void>(m.start(at(0)));
    static_cast<void>(m.answered(short_of, at(1)));
    ASSERT_EQ(m.on_time(at(3001)).what, kind::send);
    ASSERT_EQ(m.answered(queued(), at(3002)).what, kind::wait);
    ASSERT_EQ(m.on_time(at(10'000)).what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::timed_out);
    EXPECT_EQ(m.result().detail, "");
}

TEST_F(waiting_in_the_queue, behind_a_holder_names_the_missing_nodes_of_a_quorum_at_the_end)
{
    auto behind = queued();
    behind.missing = "redis://c: no answer";
    auto m = machine(time_limit::after(10s));
    static_cast<void>(m.start(at(0)));
    static_cast<void>(m.answered(behind, at(1)));
    ASSERT_EQ(m.on_time(at(3001)).what, kind::send);
    behind.missing = "redis://b: no answer";
    ASSERT_EQ(m.answered(behind, at(3002)).what, kind::wait);
    ASSERT_EQ(m.on_time(at(10'000)).what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::timed_out);
    EXPECT_EQ(m.result().detail, "redis://b: no answer");
}

TEST_F(waiting_in_the_queue, names_no_nodes_that_answer_again)
{
    auto behind = queued();
    behind.missing = "redis://c: no answer";
    auto m = machine(time_limit::after(10s));
    static_cast<void>(m.start(at(0)));
    static_cast<void>(m.answered(behind, at(1)));
    ASSERT_EQ(m.on_time(at(3001)).what, kind::send);
    ASSERT_EQ(m.answered(queued(), at(3002)).what, kind::wait);
    ASSERT_EQ(m.on_time(at(10'000)).what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::timed_out);
    EXPECT_EQ(m.result().detail, "");
}

TEST_F(waiting_in_the_queue, looks_twice_a_second_at_most)
{
    EXPECT_EQ(look_interval(10ms), 500ms);
    EXPECT_EQ(look_interval(1500ms), 500ms);
    EXPECT_EQ(look_interval(1503ms), 501ms);
    EXPECT_EQ(look_interval(30s), 10s);
    auto m = machine(time_limit::never(), 10ms);
    EXPECT_EQ(sent(m.start(at(0))).wait, 1500ms);
    EXPECT_EQ(m.answered(queued(), at(1)).until, at(501));
}

TEST_F(waiting_in_the_queue, has_a_place_for_a_lease_but_not_too_short_a_time)
{
    EXPECT_EQ(place_lifetime(1ms), 1500ms);
    EXPECT_EQ(place_lifetime(1499ms), 1500ms);
    EXPECT_EQ(place_lifetime(1500ms), 1500ms);
    EXPECT_EQ(place_lifetime(1501ms), 1501ms);
    EXPECT_EQ(place_lifetime(30s), 30s);
    for (const auto lease : {1ms, 1499ms, 1501ms, 1502ms, 30'000ms}) {
        EXPECT_LE(3 * look_interval(lease), place_lifetime(lease)) << lease.count();
        EXPECT_LT(place_lifetime(lease), 3 * look_interval(lease) + 3ms) << lease.count();
        EXPECT_EQ(sent(machine(time_limit::never(), lease).start(at(0))).wait,
                  place_lifetime(lease))
            << lease.count();
    }
}

TEST_F(waiting_in_the_queue, looks_no_later_than_the_end_of_the_holders_lease)
{
    auto m = machine();
    static_cast<void>(m.start(at(0)));
    EXPECT_EQ(m.answered(queued(20ms), at(5)).until, at(5 + 20 + 1));
    static_cast<void>(m.on_time(at(26)));
    EXPECT_EQ(m.answered(queued(0ms), at(27)).until, at(28)) << "the lease is about to end";
    static_cast<void>(m.on_time(at(28)));
    EXPECT_EQ(m.answered(queued(1h), at(30)).until, at(3030));
    static_cast<void>(m.on_time(at(3030)));
    EXPECT_EQ(m.answered(queued(-1ms), at(3040)).until, at(6040)) << "the lease never ends";
}

TEST_F(waiting_in_the_queue, ends_at_the_callers_limit)
{
    auto m = machine(time_limit::after(60ms));
    static_cast<void>(m.start(at(0)));
    const auto step = m.answered(queued(), at(5));
    ASSERT_EQ(step.what, kind::wait);
    EXPECT_EQ(step.until, at(60));
    ASSERT_EQ(m.on_time(at(60)).what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::timed_out);
    EXPECT_TRUE(m.result().uncertain) << "the place must be given up";
}

TEST_F(waiting_in_the_queue, keeps_no_place_beyond_the_callers_limit)
{
    auto m = machine(time_limit::after(5s));
    EXPECT_EQ(sent(m.start(at(0))).wait, 5s);
    static_cast<void>(m.answered(queued(), at(1)));
    EXPECT_EQ(sent(m.on_time(at(3001))).wait, 1999ms);
    static_cast<void>(m.answered(queued(998ms), at(3001)));
    EXPECT_EQ(sent(m.on_time(at(4000) + 1ns)).wait, 1000ms) << "rounded up";
}

TEST_F(waiting_in_the_queue, keeps_a_place_for_a_millisecond_at_least)
{
    auto m = machine(time_limit::after(1ns));
    EXPECT_EQ(sent(m.start(at(0))).wait, 1ms);
    // A repeat that is sent after the limit has passed, because a message came too late.
    auto late = waiting(time_limit::after(60ms));
    EXPECT_EQ(sent(late.on_granted(notice(at(61) - 3s), at(61))).wait, 1ms);
}

// ── A message about a grant ─────────────────────────────────────────────────────────────────────

TEST_F(waiting_in_the_queue, ends_with_a_grant_that_counts_from_the_hand_over)
{
    auto m = waiting();
    ASSERT_EQ(m.on_granted(notice(at(500)), at(510)).what, kind::finish);
    EXPECT_FALSE(m.result().failure);
    EXPECT_EQ(m.result().fence, 17U);
    EXPECT_EQ(m.result().sent, at(500)) << "not from the arrival of the message";
    EXPECT_FALSE(m.result().unheard);
}

TEST_F(waiting_in_the_queue, accepts_a_grant_if_a_quarter_of_the_lease_has_passed)
{
    auto m = waiting();
    ASSERT_EQ(m.on_granted(notice(at(500)), at(500 + 2250)).what, kind::finish);
    EXPECT_EQ(m.result().sent, at(500));
    auto at_once = waiting();
    EXPECT_EQ(at_once.on_granted(notice(at(500)), at(500)).what, kind::finish);
}

TEST_F(waiting_in_the_queue, asks_again_after_a_message_that_is_too_old)
{
    auto m = waiting();
    const auto now = at(500 + 2250) + 1ns;
    const auto step = m.on_granted(notice(at(500)), now);
    ASSERT_EQ(step.what, kind::send);
    EXPECT_TRUE(sent(step).repeated) << "so that it finds its own grant";
    EXPECT_TRUE(sent(step).wait) << "in case the lease has ended";
    EXPECT_EQ(sent(step).sent, now);
    ASSERT_EQ(m.answered(found(18), now + 5ms).what, kind::finish);
    EXPECT_EQ(m.result().fence, 18U);
    EXPECT_EQ(m.result().sent, now);
}

TEST_F(waiting_in_the_queue, asks_again_after_a_message_from_the_future)
{
    auto m = waiting();
    const auto step = m.on_granted(notice(at(500) + 1ns), at(500));
    ASSERT_EQ(step.what, kind::send) << "the server's clock was set back";
    EXPECT_TRUE(sent(step).repeated);
}

TEST_F(waiting_in_the_queue, asks_again_after_a_message_with_an_unknown_time)
{
    auto m = waiting();
    EXPECT_EQ(m.on_granted(notice({}), at(500)).what, kind::send);
}

TEST_F(waiting_in_the_queue, waits_on_if_an_old_grant_has_ended)
{
    auto m = waiting();
    static_cast<void>(m.on_granted(notice(at(500) - 3s), at(500)));
    EXPECT_EQ(m.answered(queued(), at(501)).what, kind::wait);
}

TEST_F(waiting_in_the_queue, finds_a_grant_whose_message_got_lost)
{
    auto m = waiting();
    auto step = m.on_time(at(3001));
    ASSERT_EQ(step.what, kind::send);
    ASSERT_EQ(m.answered(found(18), at(3005)).what, kind::finish);
    EXPECT_FALSE(m.result().failure);
    EXPECT_EQ(m.result().fence, 18U);
    EXPECT_EQ(m.result().sent, at(3001));
    EXPECT_TRUE(m.result().unheard);
}

TEST_F(waiting_in_the_queue, is_not_needed_to_find_the_grant_of_a_request_whose_reply_got_lost)
{
    auto m = machine();
    static_cast<void>(m.start(at(0)));
    const auto step = m.answered(no_answer, at(100));
    static_cast<void>(m.on_time(step.until));
    ASSERT_EQ(m.answered(found(18), at(120)).what, kind::finish);
    EXPECT_FALSE(m.result().unheard) << "there was no message to miss";
}

TEST_F(waiting_in_the_queue, may_end_with_a_grant_without_a_hand_over)
{
    auto m = waiting();
    static_cast<void>(m.on_time(at(3001)));
    ASSERT_EQ(m.answered(granted{.fence = 18}, at(3005)).what, kind::finish);
    EXPECT_FALSE(m.result().unheard) << "the holder's lease had ended";
}

// ── Giving up ───────────────────────────────────────────────────────────────────────────────────

TEST_F(waiting_in_the_queue, that_is_cancelled_leaves_a_place_but_no_request_on_its_way)
{
    auto m = waiting();
    ASSERT_EQ(m.on_cancel(at(9000), {}).what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::cancelled);
    EXPECT_TRUE(m.result().uncertain);
    EXPECT_EQ(m.result().wanted_until, base::boot_time{}) << "every request was answered";
}

TEST_F(waiting_in_the_queue,
       that_is_cancelled_after_a_lost_reply_reports_until_when_the_request_may_arrive)
{
    auto m = waiting();
    auto step = m.on_time(at(3001));
    const auto wanted_until = step.until;
    static_cast<void>(m.answered(no_answer, wanted_until));
    static_cast<void>(m.on_cancel(at(9000), {}));
    EXPECT_TRUE(m.result().uncertain);
    EXPECT_EQ(m.result().wanted_until, wanted_until);
}

TEST_F(waiting_in_the_queue, that_is_refused_at_a_later_look_leaves_a_place)
{
    auto m = waiting();
    static_cast<void>(m.on_time(at(3001)));
    ASSERT_EQ(m.answered(failure{.what = failure_kind::refused, .detail = "OOM"}, at(3002)).what,
              kind::finish);
    EXPECT_EQ(m.result().failure, errc::refused);
    EXPECT_TRUE(m.result().uncertain);
    EXPECT_EQ(m.result().wanted_until, base::boot_time{});
}

TEST_F(waiting_in_the_queue, has_new_patience_at_each_look)
{
    auto m = waiting();
    auto step = m.on_time(at(3001));
    EXPECT_EQ(step.until, at(3101));
    EXPECT_EQ(m.answered(no_answer, at(3101)).what, kind::pause);
}

TEST_F(waiting_in_the_queue, has_new_patience_after_an_old_message)
{
    auto m = waiting();
    auto step = m.on_granted(notice(at(2900) - 3s), at(2900));
    ASSERT_EQ(step.what, kind::send);
    step = m.answered(no_answer, step.until);
    EXPECT_EQ(step.what, kind::pause) << "one lost reply does not end it";
}

}  // namespace
}  // namespace pawl::core
