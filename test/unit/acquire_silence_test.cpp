// acquire_machine: how long the server was silent.
#include "unit/acquire_fixture.h"

namespace pawl::core {
namespace {

TEST_F(acquiring, that_ends_with_the_patience_reports_since_when_the_server_was_silent)
{
    auto m = machine(time_limit::never());
    static_cast<void>(m.start(at(0)));
    ASSERT_EQ(m.answered(others_hold_it(), at(50)).what, kind::pause);
    ASSERT_EQ(m.on_time(at(150)).what, kind::send);
    ASSERT_EQ(m.answered(no_answer, at(450)).what, kind::finish);
    ASSERT_TRUE(m.result().silence);
    EXPECT_EQ(m.result().silence->since, at(150));
    EXPECT_TRUE(m.result().silence->out_of_patience);
}

TEST_F(acquiring, that_ends_with_the_callers_limit_reports_since_when_the_server_was_silent)
{
    auto m = machine(time_limit::after(100ms));
    static_cast<void>(m.start(at(0)));
    ASSERT_EQ(m.answered(no_answer, at(100)).what, kind::finish);
    ASSERT_EQ(m.result().failure, errc::unreachable);
    ASSERT_TRUE(m.result().silence);
    EXPECT_EQ(m.result().silence->since, at(0));
    EXPECT_FALSE(m.result().silence->out_of_patience);
}

TEST_F(acquiring, that_is_cancelled_reports_whether_an_answer_was_missing)
{
    auto while_it_asks = machine(time_limit::never());
    static_cast<void>(while_it_asks.start(at(0)));
    static_cast<void>(while_it_asks.answered(failure{.what = failure_kind::cancelled}, at(50)));
    ASSERT_TRUE(while_it_asks.result().silence);
    EXPECT_FALSE(while_it_asks.result().silence->out_of_patience);

    auto while_it_waits = machine(time_limit::never());
    static_cast<void>(while_it_waits.start(at(0)));
    static_cast<void>(while_it_waits.answered(others_hold_it(), at(50)));
    static_cast<void>(while_it_waits.on_cancel(at(60), {}));
    EXPECT_FALSE(while_it_waits.result().silence);
}

TEST_F(acquiring, that_is_refused_reports_no_silence)
{
    auto m = machine(time_limit::never());
    static_cast<void>(m.start(at(0)));
    static_cast<void>(m.answered(failure{.what = failure_kind::refused}, at(50)));
    EXPECT_FALSE(m.result().silence);
}

TEST_F(acquiring, after_others_got_no_answer_has_only_the_rest_of_the_command_limit)
{
    random_ = always(1);
    acquire_machine m{{.mine = {&object_, "me"},
                       .lease = 1000ms,
                       .poll_interval = 100ms,
                       .command_limit = 300ms,
                       .drift = 0.01,
                       .limit = time_limit::never(),
                       .silent_before = 290ms},
                      random_};
    const auto step = m.start(at(1000));
    ASSERT_EQ(step.what, kind::send);
    EXPECT_EQ(step.until, at(1100)) << "there is always one short attempt";
    ASSERT_EQ(m.answered(no_answer, at(1100)).what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::unreachable);
    ASSERT_TRUE(m.result().silence);
    EXPECT_EQ(m.result().silence->since, at(710));
    EXPECT_TRUE(m.result().silence->out_of_patience);
}

}  // namespace
}  // namespace pawl::core
