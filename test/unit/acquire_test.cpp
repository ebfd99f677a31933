// acquire_machine: requests, repetitions, limits and failures.
#include "unit/acquire_fixture.h"

namespace pawl::core {
namespace {

TEST_F(acquiring, a_grant_counts_from_before_the_request_was_sent)
{
    auto m = machine(time_limit::now());
    auto step = m.start(at(0));
    ASSERT_EQ(step.what, kind::send);
    EXPECT_FALSE(sent(step).repeated);
    step = m.answered(grant(7), at(200));
    ASSERT_EQ(step.what, kind::finish);
    EXPECT_FALSE(m.result().failure);
    EXPECT_EQ(m.result().fence, 7U);
    EXPECT_EQ(m.result().sent, at(0));
}

TEST_F(acquiring, a_grant_that_arrives_just_before_its_deadline_is_valid)
{
    acquire_machine m{{.mine = {&object_, "me"},
                       .lease = 1000ms,
                       .poll_interval = 100ms,
                       .command_limit = 3000ms,
                       .drift = 0.01},
                      random_ = always(1)};
    static_cast<void>(m.start(at(0)));
    ASSERT_EQ(m.answered(grant(7), at(987)).what, kind::finish);
    EXPECT_FALSE(m.result().failure);
}

TEST_F(acquiring, a_grant_that_arrives_after_its_own_deadline_is_not_valid)
{
    auto m = machine(time_limit::never());
    static_cast<void>(m.start(at(0)));
    ASSERT_EQ(m.answered(grant(7), at(988)).what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::unreachable);
    EXPECT_TRUE(m.result().uncertain) << "the lock may be held on the server";
}

TEST_F(acquiring, a_late_grant_within_patience_is_repeated_and_counts_from_the_repeat)
{
    random_ = always(1);
    acquire_machine m{{.mine = {&object_, "me"},
                       .lease = 100ms,
                       .poll_interval = 100ms,
                       .command_limit = 3000ms,
                       .drift = 0.01,
                       .limit = time_limit::now()},
                      random_};
    static_cast<void>(m.start(at(0)));
    auto step = m.answered(grant(7), at(97));
    ASSERT_EQ(step.what, kind::send);
    EXPECT_TRUE(sent(step).repeated);
    step = m.answered(grant(8), at(120));
    ASSERT_EQ(step.what, kind::finish);
    EXPECT_EQ(m.result().fence, 8U);
    EXPECT_EQ(m.result().sent, at(97));
}

TEST_F(acquiring, trying_without_waiting_gives_up_when_it_is_busy)
{
    auto m = machine(time_limit::now());
    static_cast<void>(m.start(at(0)));
    ASSERT_EQ(m.answered(others_hold_it(), at(1)).what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::busy);
    EXPECT_FALSE(m.result().uncertain);
}

TEST_F(acquiring, a_busy_lock_is_asked_for_again_after_a_jittered_pause)
{
    for (const auto& [jitter, pause] : {std::pair{0.0, 50}, std::pair{1.0, 100}}) {
        auto m = machine(time_limit::never(), jitter);
        static_cast<void>(m.start(at(0)));
        const auto step = m.answered(others_hold_it(10s), at(5));
        ASSERT_EQ(step.what, kind::pause);
        EXPECT_EQ(step.until, at(5 + pause));
        EXPECT_EQ(m.on_time(step.until).what, kind::send);
    }
}

TEST_F(acquiring, the_next_poll_is_no_later_than_the_end_of_the_holders_lease)
{
    auto m = machine(time_limit::never());
    static_cast<void>(m.start(at(0)));
    EXPECT_EQ(m.answered(others_hold_it(20ms), at(5)).until, at(5 + 20 + 1));
}

TEST_F(acquiring, waiting_ends_at_the_callers_limit)
{
    auto m = machine(time_limit::after(60ms));
    static_cast<void>(m.start(at(0)));
    const auto step = m.answered(others_hold_it(), at(5));
    ASSERT_EQ(step.what, kind::pause);
    EXPECT_LE(step.until, at(61));
    ASSERT_EQ(m.on_time(at(61)).what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::timed_out);
}

TEST_F(acquiring, a_lost_reply_is_followed_by_a_repeat_that_says_so)
{
    auto m = machine(time_limit::now());
    static_cast<void>(m.start(at(0)));
    auto step = m.answered(no_answer, at(100));
    ASSERT_EQ(step.what, kind::pause);
    EXPECT_EQ(step.until, at(110)) << "the first back-off";
    step = m.on_time(step.until);
    ASSERT_EQ(step.what, kind::send);
    EXPECT_TRUE(sent(step).repeated);
    EXPECT_EQ(sent(step).mine.holder, "me") << "the same request, not a new one";
    ASSERT_EQ(m.answered(grant(9), at(120)).what, kind::finish);
    EXPECT_FALSE(m.result().failure);
    EXPECT_EQ(m.result().sent, at(110)) << "the lease counts from the answered attempt";
}

TEST_F(acquiring, a_request_after_one_that_was_never_sent_is_not_a_repeat)
{
    auto m = machine(time_limit::now());
    static_cast<void>(m.start(at(0)));
    auto step = m.answered(never_sent, at(1));
    step = m.on_time(step.until);
    EXPECT_FALSE(sent(step).repeated);
}

TEST_F(acquiring,
       a_silent_server_is_unreachable_at_the_end_of_the_patience_and_the_lock_is_given_back)
{
    auto m = machine(time_limit::never());
    auto step = m.start(at(0));
    EXPECT_EQ(step.until, at(100)) << "a third: there must be time for another connection";
    step = m.answered(no_answer, at(300));
    ASSERT_EQ(step.what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::unreachable);
    EXPECT_EQ(m.result().detail, "silence");
    EXPECT_TRUE(m.result().uncertain);
}

TEST_F(acquiring, a_repeated_try_may_use_all_that_is_left_of_patience)
{
    auto m = machine(time_limit::never());
    static_cast<void>(m.start(at(0)));
    auto step = m.answered(no_answer, at(100));
    step = m.on_time(step.until);
    ASSERT_EQ(step.what, kind::send);
    EXPECT_EQ(step.until, at(300))
        << "a new connection may take longer than a third on a slow network";
}

TEST_F(acquiring, every_answer_renews_the_patience)
{
    auto m = machine(time_limit::never());
    static_cast<void>(m.start(at(0)));
    auto step = m.answered(others_hold_it(), at(250));
    step = m.on_time(at(350));
    step = m.answered(never_sent, at(400));
    EXPECT_EQ(step.what, kind::pause) << "patience counts from the last answer, at 250";
}

TEST_F(acquiring, a_pause_longer_than_patience_does_not_use_it_up)
{
    auto m = machine(time_limit::never());
    static_cast<void>(m.start(at(0)));
    static_cast<void>(m.answered(others_hold_it(), at(1)));
    // The process was stopped, or the poll interval is long.
    static_cast<void>(m.on_time(at(5000)));
    EXPECT_EQ(m.answered(never_sent, at(5100)).what, kind::pause) << "there is a second attempt";
}

TEST_F(acquiring, a_holder_given_by_the_user_is_never_taken_for_its_own_grant)
{
    random_ = always(1);
    acquire_machine m{{.mine = {&object_, "job"},
                       .lease = 1000ms,
                       .poll_interval = 100ms,
                       .command_limit = 300ms,
                       .drift = 0.01,
                       .limit = time_limit::now(),
                       .own_holder = false},
                      random_};
    static_cast<void>(m.start(at(0)));
    auto step = m.answered(never_sent, at(1));
    ASSERT_EQ(step.what, kind::pause) << "nothing was sent, so it can be repeated";
    step = m.on_time(step.until);
    EXPECT_FALSE(sent(step).repeated);
    ASSERT_EQ(m.answered(no_answer, at(50)).what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::unreachable);
}

TEST_F(acquiring, cancelling_a_pause_after_a_clean_answer_leaves_nothing_behind)
{
    auto m = machine(time_limit::never());
    static_cast<void>(m.start(at(0)));
    static_cast<void>(m.answered(others_hold_it(), at(1)));
    ASSERT_EQ(m.on_cancel(at(9000), {}).what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::cancelled);
    EXPECT_FALSE(m.result().uncertain);
}

TEST_F(acquiring, cancelling_while_a_request_is_under_way_must_be_cleaned_up)
{
    auto m = machine(time_limit::never());
    static_cast<void>(m.start(at(0)));
    ASSERT_EQ(
        m.answered(failure{.what = failure_kind::cancelled, .maybe_executed = true}, at(1)).what,
        kind::finish);
    EXPECT_EQ(m.result().failure, errc::cancelled);
    EXPECT_TRUE(m.result().uncertain);
}

TEST_F(acquiring, after_a_lost_reply_the_lock_is_given_back_even_after_a_busy_answer)
{
    // The first request may still be on its way, and be granted when the holder releases the lock.
    auto m = machine(time_limit::never());
    static_cast<void>(m.start(at(0)));
    auto step = m.answered(no_answer, at(100));
    step = m.on_time(step.until);
    step = m.answered(others_hold_it(), at(120));
    step = m.on_time(step.until);
    EXPECT_TRUE(sent(step).repeated);
    static_cast<void>(m.on_cancel(at(9000), {}));
    EXPECT_TRUE(m.result().uncertain);
}

TEST_F(acquiring, a_refusal_is_final)
{
    auto m = machine(time_limit::never());
    static_cast<void>(m.start(at(0)));
    ASSERT_EQ(m.answered(failure{.what = failure_kind::refused, .detail = "OOM"}, at(1)).what,
              kind::finish);
    EXPECT_EQ(m.result().failure, errc::refused);
    EXPECT_EQ(m.result().detail, "OOM");
}

TEST_F(acquiring, a_caller_that_does_not_wait_is_told_at_once_that_there_is_no_server)
{
    auto nobody = never_sent;
    nobody.no_server = true;
    auto m = machine(time_limit::now());
    static_cast<void>(m.start(at(0)));
    EXPECT_EQ(m.answered(nobody, at(1)).what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::unreachable);
    EXPECT_EQ(m.result().detail, "connection refused");

    auto patient = machine(time_limit::after(200ms));
    static_cast<void>(patient.start(at(0)));
    EXPECT_EQ(patient.answered(nobody, at(1)).what, kind::pause);
}

TEST_F(acquiring, a_key_of_another_type_is_not_a_lock)
{
    auto m = machine(time_limit::never());
    static_cast<void>(m.start(at(0)));
    static_cast<void>(m.answered(failure{.what = failure_kind::not_a_lock}, at(1)));
    EXPECT_EQ(m.result().failure, errc::not_a_lock);
}

TEST_F(acquiring, a_short_limit_still_gives_the_server_time_to_answer_once)
{
    auto m = machine(time_limit::after(5ms));
    EXPECT_EQ(m.start(at(0)).until, at(100));
}

TEST_F(acquiring, a_request_without_an_answer_in_time_is_repeated)
{
    auto m = machine(time_limit::now());
    const auto first = m.start(at(0));
    const auto step = m.on_time(first.until);
    ASSERT_EQ(step.what, kind::pause);
    EXPECT_TRUE(sent(m.on_time(step.until)).repeated);
    ASSERT_EQ(m.answered(grant(9), at(120)).what, kind::finish);
    EXPECT_FALSE(m.result().failure);
    EXPECT_EQ(m.result().wanted_until, at(300)) << "the time of the last request";
}

// ── At once ─────────────────────────────────────────────────────────────────────────────────────

TEST_F(acquiring, an_error_from_the_server_leaves_no_request_on_its_way)
{
    for (const auto what : {failure_kind::refused, failure_kind::not_a_lock}) {
        auto m = machine(time_limit::now());
        static_cast<void>(m.start(at(0)));
        const failure error{.what = what, .maybe_executed = true};  // in part
        ASSERT_EQ(m.answered(error, at(1)).what, kind::finish);
        EXPECT_TRUE(m.result().uncertain) << "a partial effect is undone";
        EXPECT_EQ(m.result().wanted_until, base::boot_time{}) << "but only once";
    }
}

TEST_F(acquiring, a_caller_that_does_not_wait_fails_after_two_temporary_errors_of_the_server)
{
    auto m = machine(time_limit::now());
    static_cast<void>(m.start(at(0)));
    const failure not_now{.what = failure_kind::unavailable, .detail = "a replica"};
    auto step = m.answered(not_now, at(1));
    ASSERT_EQ(step.what, kind::pause) << "another connection may lead to another server";
    step = m.on_time(step.until);
    ASSERT_EQ(step.what, kind::send);
    ASSERT_EQ(m.answered(not_now, at(20)).what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::unreachable);
    EXPECT_EQ(m.result().detail, "a replica");
    EXPECT_FALSE(m.result().uncertain);
}

TEST_F(acquiring, a_caller_that_does_not_wait_repeats_after_errors_that_may_pass)
{
    auto m = machine(time_limit::now());
    auto step = m.start(at(0));
    for (int i = 0; i < 3; ++i) {
        step = m.answered(failure{.what = failure_kind::unreachable, .detail = "EMFILE"}, at(i));
        ASSERT_EQ(step.what, kind::pause);
        step = m.on_time(at(i));
    }
}

TEST_F(acquiring, a_server_that_goes_away_is_not_reported_as_a_busy_lock)
{
    auto m = machine(time_limit::now());
    static_cast<void>(m.start(at(0)));
    auto no_lock = others_hold_it();
    no_lock.holder = held_by::no_lock;
    auto step = m.answered(no_lock, at(1));
    ASSERT_NE(step.what, kind::finish) << "it asks once more";
    step = m.on_time(step.until);
    const failure gone{.what = failure_kind::unreachable, .no_server = true};
    ASSERT_EQ(m.answered(gone, at(50)).what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::unreachable);
}

TEST_F(acquiring, a_waiter_is_patient_with_a_server_that_is_not_ready)
{
    auto m = machine(time_limit::never());
    auto step = m.start(at(0));
    for (int i = 0; i < 4; ++i) {
        step = m.answered(failure{.what = failure_kind::unavailable}, at(1 + i));
        ASSERT_EQ(step.what, kind::pause);
        step = m.on_time(at(2 + i));
    }
}

}  // namespace
}  // namespace pawl::core
