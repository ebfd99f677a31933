// What acquire_machine puts into its requests, and what it says about a place in the queue in the end.
#include "core/acquire.h"

#include "unit/at.h"
#include "unit/sent.h"

#include <gtest/gtest.h>

#include <chrono>

namespace pawl::core {
namespace {

using namespace std::chrono_literals;
using test::always;
using test::at;
using test::sent;

class an_acquire : public testing::Test {
protected:
    acquire_machine machine() { return acquire_machine{plan_, random_}; }

    object object_{.name = "stock:42"};
    base::random_unit random_ = always(1);
    acquire_plan plan_{.mine = {&object_, "me"},
                       .lease = 1000ms,
                       .poll_interval = 100ms,
                       .command_limit = 300ms,
                       .drift = 0.01,
                       .limit = time_limit::never(),
                       .joins = true,
                       .client = "client",
                       .hint = {.value = 17}};
};

TEST_F(an_acquire, has_the_hint_of_the_last_grant)
{
    EXPECT_EQ(sent(machine().start(at(0))).hint.value, 17U);
}

TEST_F(an_acquire, has_no_hint_if_numbers_are_to_be_set_aside)
{
    plan_.reserve = 1;
    EXPECT_FALSE(sent(machine().start(at(0))).hint);
}

TEST_F(an_acquire, has_no_hint_if_no_waiter_may_be_overtaken)
{
    plan_.fair = true;
    auto m = machine();
    EXPECT_FALSE(sent(m.start(at(0))).hint);
    static_cast<void>(m.on_cancel(at(1), {}));
    EXPECT_LT(m.result().wanted_until, at(0) + latest_execution)
        << "a request without a hint is not executed that late";
}

TEST_F(an_acquire, asks_for_a_place_only_while_the_client_hears_of_grants)
{
    auto m = machine();
    m.hears(false);
    EXPECT_FALSE(sent(m.start(at(0))).wait);
    const auto step = m.answered(busy{}, at(1));
    ASSERT_EQ(step.what, step::kind::pause);
    m.hears(true);
    EXPECT_TRUE(sent(m.on_time(step.until)).wait);
}

TEST_F(an_acquire, without_an_answer_must_be_cleaned_up)
{
    auto m = machine();
    const auto step = m.start(at(0));
    static_cast<void>(m.on_time(step.until));
    static_cast<void>(m.on_cancel(at(1), {}));
    EXPECT_TRUE(m.result().uncertain);

    auto cancelled = machine();
    static_cast<void>(cancelled.start(at(0)));
    static_cast<void>(cancelled.on_cancel(at(1), "gone"));
    EXPECT_TRUE(cancelled.result().uncertain);
    EXPECT_EQ(cancelled.result().detail, "gone");
}

TEST_F(an_acquire, that_is_handed_over_while_a_request_is_under_way_says_until_when_that_may_arrive)
{
    plan_.hint = {};
    auto m = machine();
    const auto first = m.start(at(0));
    static_cast<void>(m.on_granted({.holder = "me", .fence = 5, .at = at(10)}, at(20)));
    EXPECT_FALSE(m.result().failure);
    EXPECT_EQ(m.result().fence, 5U);
    EXPECT_EQ(m.result().wanted_until, first.until) << "until then it may take the lock once more";
}

TEST_F(an_acquire, with_a_hint_that_is_handed_over_meanwhile_may_arrive_much_later)
{
    auto m = machine();
    static_cast<void>(m.start(at(0)));
    static_cast<void>(m.on_granted({.holder = "me", .fence = 5, .at = at(10)}, at(20)));
    EXPECT_EQ(m.result().wanted_until, at(20) + latest_execution);
}

TEST_F(an_acquire, that_is_cancelled_after_an_old_grant_must_be_cleaned_up)
{
    auto m = machine();
    static_cast<void>(m.start(at(0)));
    static_cast<void>(m.answered(busy{.queued = true}, at(1)));
    ASSERT_EQ(m.on_granted({.holder = "me", .fence = 5, .at = at(10)}, at(900)).what,
              step::kind::send)
        << "too much of the lease is over";
    ASSERT_EQ(m.on_cancel(at(900), {}).what, step::kind::finish);
    EXPECT_EQ(m.result().failure, errc::cancelled);
    EXPECT_TRUE(m.result().uncertain);
}

TEST_F(an_acquire, says_which_holder_it_replaces)
{
    plan_.joins = false;
    plan_.instead_of = claim{nullptr, "old"};
    auto m = machine();
    EXPECT_EQ(sent(m.start(at(0))).instead_of->holder, "old");
}

}  // namespace
}  // namespace pawl::core
