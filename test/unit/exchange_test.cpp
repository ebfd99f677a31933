#include "core/exchange.h"

#include "unit/at.h"

#include <gtest/gtest.h>

namespace pawl::core {
namespace {

using namespace std::chrono_literals;
using test::always;
using test::at;
using kind = exchange_step::kind;

const outcome lost_reply{.what = verdict::no_reply, .fence = 0, .maybe_executed = true};
const outcome not_sent{.what = verdict::unreachable};

class exchanging : public testing::Test {
protected:
    exchange_machine machine(verb what)
    {
        return {
            {.what = what, .layout = layout::plain, .keys = &keys_, .holder = "me", .lease = 1s},
            300ms,
            random_};
    }

    lock_keys keys_ = keys_of("a");
    base::random_unit random_ = always(1);
};

TEST_F(exchanging, an_answer_ends_it)
{
    for (const auto answer : {verdict::done, verdict::vanished, verdict::taken, verdict::refused}) {
        auto m = machine(verb::release);
        ASSERT_EQ(m.start(at(0)).what, kind::send);
        ASSERT_EQ(m.on_outcome({.what = answer}, at(1)).what, kind::finish);
        EXPECT_EQ(m.result().what, answer);
    }
}

TEST_F(exchanging, a_release_repeated_after_a_lost_reply_counts_as_released_when_the_lock_is_gone)
{
    for (const auto answer : {verdict::vanished, verdict::taken}) {
        auto m = machine(verb::release);
        static_cast<void>(m.start(at(0)));
        auto step = m.on_outcome(lost_reply, at(100));
        ASSERT_EQ(step.what, kind::pause);
        ASSERT_EQ(m.on_pause_over(step.until).what, kind::send);
        static_cast<void>(m.on_outcome({.what = answer}, at(120)));
        EXPECT_EQ(m.result().what, verdict::done);
    }
}

TEST_F(exchanging, a_release_repeated_after_a_lost_reply_does_not_say_which_numbers_were_used)
{
    // By then others may have had the lock, and higher numbers.
    for (const auto& first : {lost_reply, not_sent}) {
        exchange_machine m{{.what = verb::release, .used = 7, .has_reserve = true}, 300ms, random_};
        static_cast<void>(m.start(at(0)));
        static_cast<void>(m.on_pause_over(m.on_outcome(first, at(100)).until));
        EXPECT_EQ(m.request().used, first.maybe_executed ? 0U : 7U);
        EXPECT_EQ(m.request().has_reserve, !first.maybe_executed);
    }
}

TEST_F(exchanging, a_release_that_never_left_the_first_time_finds_a_real_loss)
{
    auto m = machine(verb::release);
    static_cast<void>(m.start(at(0)));
    const auto step = m.on_outcome(not_sent, at(1));
    static_cast<void>(m.on_pause_over(step.until));
    static_cast<void>(m.on_outcome({.what = verdict::vanished}, at(20)));
    EXPECT_EQ(m.result().what, verdict::vanished);
}

TEST_F(exchanging, a_renewal_repeated_after_a_lost_reply_is_not_excused)
{
    auto m = machine(verb::renew);
    static_cast<void>(m.start(at(0)));
    const auto step = m.on_outcome(lost_reply, at(100));
    static_cast<void>(m.on_pause_over(step.until));
    static_cast<void>(m.on_outcome({.what = verdict::vanished}, at(120)));
    EXPECT_EQ(m.result().what, verdict::vanished);
}

TEST_F(exchanging, a_wish_to_keep_a_lock_that_is_repeated_and_finds_it_gone_had_it_handed_over)
{
    for (const auto answer : {verdict::vanished, verdict::taken}) {
        auto m = machine(verb::keep);
        static_cast<void>(m.start(at(0)));
        const auto step = m.on_outcome(lost_reply, at(100));
        ASSERT_EQ(step.what, kind::pause);
        ASSERT_EQ(m.on_pause_over(step.until).what, kind::send);
        ASSERT_EQ(m.on_outcome({.what = answer}, at(120)).what, kind::finish);
        EXPECT_EQ(m.result().what, verdict::busy) << "as good as released";
        EXPECT_FALSE(m.result().maybe_executed);
    }
}

TEST_F(exchanging, a_wish_to_keep_a_lock_that_was_heard_at_once_finds_a_real_loss)
{
    for (const auto answer : {verdict::vanished, verdict::taken}) {
        auto m = machine(verb::keep);
        static_cast<void>(m.start(at(0)));
        const auto step = m.on_outcome(not_sent, at(1));
        static_cast<void>(m.on_pause_over(step.until));
        static_cast<void>(m.on_outcome({.what = answer}, at(20)));
        EXPECT_EQ(m.result().what, answer);
    }
}

TEST_F(exchanging,
       a_lock_that_may_be_kept_has_a_new_fence_and_counts_from_the_try_that_was_answered)
{
    auto m = machine(verb::keep);
    static_cast<void>(m.start(at(0)));
    const auto step = m.on_outcome(lost_reply, at(100));
    static_cast<void>(m.on_pause_over(step.until));
    static_cast<void>(m.on_outcome({.what = verdict::done, .fence = 17}, at(120)));
    EXPECT_EQ(m.result().what, verdict::done);
    EXPECT_EQ(m.result().fence, 17U);
    EXPECT_EQ(m.sent(), step.until);
}

TEST_F(exchanging, a_lock_that_was_handed_over_is_not_asked_for_again)
{
    auto m = machine(verb::keep);
    static_cast<void>(m.start(at(0)));
    ASSERT_EQ(m.on_outcome({.what = verdict::busy}, at(1)).what, kind::finish);
    EXPECT_EQ(m.result().what, verdict::busy);
}

TEST_F(exchanging, it_counts_from_the_try_that_was_answered)
{
    auto m = machine(verb::renew);
    static_cast<void>(m.start(at(0)));
    const auto step = m.on_outcome(lost_reply, at(100));
    static_cast<void>(m.on_pause_over(step.until));
    static_cast<void>(m.on_outcome({.what = verdict::done}, at(130)));
    EXPECT_EQ(m.sent(), step.until);
}

TEST_F(exchanging, patience_ends_it_without_an_answer_and_remembers_that_something_was_sent)
{
    auto m = machine(verb::release);
    static_cast<void>(m.start(at(0)));
    auto step = m.on_outcome(lost_reply, at(200));
    step = m.on_pause_over(step.until);
    ASSERT_EQ(m.on_outcome(not_sent, at(299)).what, kind::finish) << "no time for another try";
    EXPECT_EQ(m.result().what, verdict::unreachable);
    EXPECT_TRUE(m.result().maybe_executed);
}

TEST_F(exchanging, pauses_grow_but_stay_within_patience)
{
    auto m = machine(verb::check);
    static_cast<void>(m.start(at(0)));
    auto now = at(0);
    auto last = 0ns;
    for (int i = 0; i < 4; ++i) {
        const auto step = m.on_outcome(not_sent, now);
        ASSERT_EQ(step.what, kind::pause);
        EXPECT_GT(step.until - now, last);
        last = step.until - now;
        now = step.until;
        static_cast<void>(m.on_pause_over(now));
    }
    EXPECT_LE(m.on_outcome(not_sent, now).until, at(300));
}

TEST_F(exchanging, a_cancelled_one_is_not_repeated)
{
    auto m = machine(verb::renew);
    static_cast<void>(m.start(at(0)));
    EXPECT_EQ(m.on_outcome({.what = verdict::cancelled}, at(1)).what, kind::finish);
    EXPECT_EQ(m.result().what, verdict::cancelled);
}

}  // namespace
}  // namespace pawl::core
