// acquire_machine: the hint of the last grant, and requests that may be executed late.
#include "unit/acquire_fixture.h"

namespace pawl::core {
namespace {

class acquiring_with_a_hint : public acquiring {
protected:
    acquire_machine hinted()
    {
        return acquire_machine{{.mine = {&object_, "me"},
                                .lease = 1000ms,
                                .poll_interval = 100ms,
                                .command_limit = 300ms,
                                .drift = 0.01,
                                .limit = time_limit::never(),
                                .hint = {.value = 17}},
                               random_ = always(1)};
    }
};

TEST_F(acquiring_with_a_hint, passes_it_with_the_first_request_only)
{
    auto m = hinted();
    const auto first = sent(m.start(at(0)));
    EXPECT_EQ(first.hint.value, 17U);
    EXPECT_TRUE(first.first);
    static_cast<void>(m.answered(others_hold_it(), at(1)));
    const auto second = sent(m.on_time(at(100)));
    EXPECT_FALSE(second.hint);
    EXPECT_FALSE(second.first);
}

TEST_F(acquiring_with_a_hint, passes_it_again_with_the_repeat_of_an_unanswered_request)
{
    auto m = hinted();
    static_cast<void>(m.start(at(0)));
    const auto step = m.answered(no_answer, at(100));
    ASSERT_EQ(step.what, kind::pause);
    const auto second = sent(m.on_time(step.until));
    EXPECT_TRUE(second.repeated);
    EXPECT_FALSE(second.first);
    EXPECT_EQ(second.hint.value, 17U) << "the store knows what may have happened to the first";
}

TEST_F(acquiring_with_a_hint, may_be_executed_much_later_if_the_store_says_so)
{
    auto m = hinted();
    static_cast<void>(m.start(at(0)));
    auto silence = no_answer;
    silence.maybe_late = true;
    const auto step = m.answered(silence, at(100));
    static_cast<void>(m.on_time(step.until));
    ASSERT_EQ(m.answered(grant(7), at(150)).what, kind::finish);
    EXPECT_EQ(m.result().wanted_until, at(100) + latest_execution);
    EXPECT_FALSE(m.result().hint);
}

TEST_F(acquiring_with_a_hint, may_be_executed_much_later_if_its_time_is_over_or_it_is_cancelled)
{
    auto late = hinted();
    const auto step = late.start(at(0));
    ASSERT_EQ(late.on_time(step.until).what, kind::pause);
    static_cast<void>(late.on_cancel(at(105), {}));
    EXPECT_TRUE(late.result().uncertain);
    EXPECT_EQ(late.result().wanted_until, step.until + latest_execution);

    auto cancelled = hinted();
    static_cast<void>(cancelled.start(at(0)));
    ASSERT_EQ(cancelled.on_cancel(at(50), {}).what, kind::finish);
    EXPECT_EQ(cancelled.result().failure, errc::cancelled);
    EXPECT_TRUE(cancelled.result().uncertain) << "the request is under way";
    EXPECT_EQ(cancelled.result().wanted_until, at(50) + latest_execution);
}

TEST_F(acquiring, returns_the_stores_hint_if_the_first_answer_was_a_grant)
{
    auto m = machine(time_limit::never());
    static_cast<void>(m.start(at(0)));
    static_cast<void>(m.answered(grant(7), at(1)));
    EXPECT_EQ(m.result().hint.value, 7U);
    auto later = machine(time_limit::never());
    static_cast<void>(later.start(at(0)));
    static_cast<void>(later.answered(others_hold_it(), at(1)));
    static_cast<void>(later.on_time(at(100)));
    static_cast<void>(later.answered(grant(7), at(101)));
    EXPECT_FALSE(later.result().hint);
}

}  // namespace
}  // namespace pawl::core
