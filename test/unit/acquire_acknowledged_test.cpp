// A lock that the server has granted, but that too few replicas have acknowledged.
#include "unit/acquire_fixture.h"
#include "unit/acquire_wait_fixture.h"

namespace pawl::core {
namespace {

unacknowledged too_few(failure_kind what = failure_kind::unavailable)
{
    return {{.what = what, .detail = "acknowledged by 0 of 1 replicas", .maybe_executed = true}};
}

TEST_F(acquiring, asks_again_if_too_few_replicas_have_acknowledged_the_grant)
{
    auto m = machine(time_limit::never());
    static_cast<void>(m.start(at(0)));
    const auto pause = m.answered(too_few(), at(50));
    EXPECT_EQ(pause.what, kind::pause);
    const auto again = m.on_time(pause.until);
    ASSERT_EQ(again.what, kind::send);
    EXPECT_TRUE(sent(again).repeated) << "the server has the lock for this holder";
    EXPECT_EQ(m.answered(granted{.fence = 18, .found = true}, pause.until + 1ms).what,
              kind::finish);
    EXPECT_FALSE(m.result().failure);
    EXPECT_FALSE(m.result().unacknowledged);
    EXPECT_EQ(m.result().fence, 18U);
    EXPECT_EQ(m.result().sent, pause.until) << "the deadline counts from what was acknowledged";
}

TEST_F(acquiring, fails_and_is_given_back_if_it_is_never_acknowledged)
{
    auto m = machine(time_limit::never());
    auto now = at(0);
    auto step = m.start(now);
    for (int i = 0; i < 100 && step.what != kind::finish; ++i) {
        if (step.what == kind::send) {
            now += 40ms;
            step = m.answered(too_few(), now);
        } else {
            now = step.until;
            step = m.on_time(now);
        }
    }
    ASSERT_EQ(step.what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::unreachable);
    EXPECT_EQ(m.result().detail, "acknowledged by 0 of 1 replicas");
    EXPECT_TRUE(m.result().uncertain) << "it must be released";
    EXPECT_TRUE(m.result().unacknowledged);
    EXPECT_EQ(m.result().wanted_until, base::boot_time{}) << "no request is on its way";
    EXPECT_LE(now, at(400)) << "within the command limit, and one more try";
}

TEST_F(acquiring, says_why_it_was_not_acknowledged_even_if_the_last_try_had_no_answer)
{
    auto m = machine(time_limit::never());
    static_cast<void>(m.start(at(0)));
    const auto pause = m.answered(too_few(), at(290));
    const auto end = pause.what == kind::pause ? m.on_time(pause.until) : pause;
    const auto last = end.what == kind::send ? m.answered(no_answer, at(500)) : end;
    ASSERT_EQ(last.what, kind::finish);
    EXPECT_EQ(m.result().detail, "acknowledged by 0 of 1 replicas");
}

TEST_F(acquiring, fails_at_once_if_the_server_refuses_to_wait_for_replicas)
{
    auto m = machine(time_limit::never());
    static_cast<void>(m.start(at(0)));
    EXPECT_EQ(m.answered(too_few(failure_kind::refused), at(5)).what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::refused);
    EXPECT_TRUE(m.result().uncertain);
}

TEST_F(acquiring, is_tried_twice_by_a_caller_that_does_not_wait)
{
    auto m = machine(time_limit::now());
    static_cast<void>(m.start(at(0)));
    const auto pause = m.answered(too_few(), at(5));
    ASSERT_EQ(pause.what, kind::pause);
    static_cast<void>(m.on_time(pause.until));
    EXPECT_EQ(m.answered(too_few(), pause.until + 5ms).what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::unreachable);
}

TEST_F(waiting_in_the_queue, asks_once_more_if_the_hand_over_is_not_acknowledged)
{
    auto m = waiting();
    auto told = notice(at(1'000));
    told.acknowledged = false;
    const auto again = m.on_granted(told, at(1'001));
    ASSERT_EQ(again.what, kind::send);
    EXPECT_TRUE(sent(again).repeated);
    EXPECT_EQ(m.answered(granted{.fence = 18, .found = true}, at(1'003)).what, kind::finish);
    EXPECT_EQ(m.result().fence, 18U);
    EXPECT_EQ(m.result().sent, at(1'001));
    EXPECT_FALSE(m.result().unheard) << "the message was heard";
}

TEST_F(waiting_in_the_queue, does_not_hold_what_was_handed_over_and_never_acknowledged)
{
    auto m = waiting();
    auto told = notice(at(1'000));
    told.acknowledged = false;
    static_cast<void>(m.on_granted(told, at(1'001)));
    const auto pause = m.answered(too_few(), at(1'290));
    const auto end = pause.what == kind::pause ? m.on_time(pause.until) : pause;
    const auto last = end.what == kind::send ? m.answered(too_few(), at(1'500)) : end;
    ASSERT_EQ(last.what, kind::finish);
    EXPECT_TRUE(m.result().failure);
    EXPECT_TRUE(m.result().uncertain);
}

TEST_F(waiting_in_the_queue, at_a_gate_ends_with_the_message)
{
    object_.kind = object_kind::latch;
    auto m = waiting();
    auto told = notice(at(1'000));
    told.acknowledged = false;
    EXPECT_EQ(m.on_granted(told, at(1'001)).what, kind::finish);
}

}  // namespace
}  // namespace pawl::core
