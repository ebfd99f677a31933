#include "core/give_back.h"

#include "unit/at.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

namespace pawl::core {
namespace {

using namespace std::chrono_literals;
using test::at;
using kind = step::kind;

const hold_reply done{hold_status::done};
const hold_reply gone{hold_status::vanished};
const hold_reply silence{failure{.what = failure_kind::no_reply, .maybe_executed = true}};
const hold_reply refused{failure{.what = failure_kind::refused}};

class giving_back : public testing::Test {
protected:
    giving_back()
    {
        lease_->what = std::make_shared<const object>(object{.name = "a"});
        lease_->holder = "me";
        lease_->length = 3000ms;
        lease_->fence = 7;
        lease_->has_reserve = true;
    }

    // A machine that starts at 0.
    [[nodiscard]] give_back_machine machine(base::boot_time wanted_until = {},
                                            giving how = giving::first_time)
    {
        give_back_machine made{lease_, wanted_until, how, 300ms};
        const auto step = made.start(at(0));
        EXPECT_EQ(step.what, kind::send);
        first_ = std::get<release_request>(std::get<exchange_request>(step.request));
        return made;
    }

    std::shared_ptr<lease> lease_ = std::make_shared<lease>();
    release_request first_;
};

TEST_F(giving_back, ends_with_the_first_answer_if_no_request_can_arrive_any_more)
{
    for (const auto& answer : {done, gone, refused}) {
        auto m = machine();
        EXPECT_TRUE(m.is_awaited());
        EXPECT_EQ(m.answered(answer, at(501)).what, kind::finish);
        EXPECT_FALSE(m.is_awaited());
    }
}

TEST_F(giving_back, reports_the_used_fences_only_the_first_time)
{
    auto m = machine();
    EXPECT_EQ(first_.used, 7U);
    EXPECT_TRUE(first_.has_reserve);
    ASSERT_EQ(m.answered(silence, at(300)).what, kind::pause);
    const auto step = m.on_time(at(800));
    const auto& again = std::get<release_request>(std::get<exchange_request>(step.request));
    EXPECT_EQ(again.used, 0U) << "other holders may have had the lock since, with higher fences";
    EXPECT_FALSE(again.has_reserve);

    static_cast<void>(machine({}, giving::again));
    EXPECT_EQ(first_.used, 0U) << "a release was sent before";
}

// After the answer, only a delayed begin can make this holder run again. Its caller knows nothing of that run.
TEST_F(giving_back, uses_up_the_period_of_a_run_until_it_is_answered)
{
    lease_->used_up = true;
    auto m = machine(at(60'000));
    EXPECT_TRUE(first_.used_up);
    const auto sent_after = [&m](const hold_reply& got, base::boot_time now) {
        EXPECT_EQ(m.answered(got, now).what, kind::pause);
        const auto step = m.on_time(now + 500ms);
        return std::get<release_request>(std::get<exchange_request>(step.request)).used_up;
    };
    EXPECT_TRUE(sent_after(silence, at(300)));
    EXPECT_TRUE(sent_after(refused, at(1000))) << "the server has not changed the mark";
    EXPECT_FALSE(sent_after(gone, at(2000)));
    EXPECT_FALSE(sent_after(silence, at(3000)));
}

TEST_F(giving_back, is_repeated_without_an_answer_until_the_lease_would_have_ended)
{
    auto m = machine();
    auto now = at(300);
    auto step = m.answered(silence, now);
    int tries = 1;
    while (step.what == kind::pause) {
        EXPECT_EQ(step.until, now + 500ms);
        EXPECT_EQ(m.on_time(step.until).what, kind::send);
        now = step.until;
        step = m.answered(silence, now);
        ++tries;
    }
    EXPECT_EQ(step.what, kind::finish);
    EXPECT_EQ(tries, 6) << "from 300 to 2800 ms, twice a second";
}

TEST_F(giving_back, lasts_as_long_as_the_longest_lease_that_was_asked_for)
{
    lease_->longest = 10s;
    auto m = machine();
    EXPECT_EQ(m.answered(silence, at(9000)).what, kind::pause);
    EXPECT_EQ(m.answered(silence, at(9500)).what, kind::finish);
}

TEST_F(giving_back, of_a_waiter_for_a_condition_is_repeated_until_it_is_answered)
{
    const std::string condition = "more";
    lease_->what = std::make_shared<const object>(object{.name = "a", .condition = &condition});
    auto m = machine();
    auto now = at(300);
    auto pause = 500ms;
    while (now < at(600'000)) {
        const auto step = m.answered(silence, now);
        ASSERT_EQ(step.what, kind::pause) << "the notification does not end with the lease";
        EXPECT_EQ(step.until, now + pause);
        now = step.until;
        EXPECT_EQ(m.on_time(now).what, kind::send);
        pause = std::min<std::chrono::milliseconds>(2 * pause, 4s);
    }
    EXPECT_FALSE(m.is_awaited()) << "but close() does not wait for it";
    EXPECT_EQ(m.answered(gone, now).what, kind::finish);
}

TEST_F(giving_back, of_a_waiter_for_a_condition_ends_with_its_client)
{
    const std::string condition = "more";
    lease_->what = std::make_shared<const object>(object{.name = "a", .condition = &condition});
    auto m = machine();
    EXPECT_EQ(m.answered(silence, at(20'000)).what, kind::pause);
    EXPECT_EQ(m.on_cancel(at(20'001), {}).what, kind::finish);
}

TEST_F(giving_back, is_repeated_after_an_answer_while_a_request_may_still_arrive)
{
    auto m = machine(at(60'000));
    auto now = at(0);
    for (const auto pause : {500ms, 1000ms, 2000ms, 4000ms, 4000ms}) {
        const auto step = m.answered(gone, now);
        ASSERT_EQ(step.what, kind::pause);
        EXPECT_EQ(step.until, now + pause);
        now = step.until;
    }
}

TEST_F(giving_back, is_done_once_more_when_no_request_can_arrive_any_more)
{
    auto m = machine(at(2000));
    EXPECT_EQ(m.answered(gone, at(0)).until, at(500));
    EXPECT_EQ(m.answered(gone, at(500)).until, at(1500));
    EXPECT_EQ(m.answered(gone, at(1500)).until, at(2500));
    EXPECT_EQ(m.answered(gone, at(2501)).what, kind::finish);
}

// Its waiter may have had two places in the queue.
TEST_F(giving_back, is_done_twice_if_its_acquire_was_repeated_long_ago)
{
    const auto long_ago = at(-10'000);
    for (const auto how : {giving::first_time, giving::again}) {
        auto m = machine(long_ago, how);
        ASSERT_EQ(m.answered(done, at(1)).what, kind::pause);
        ASSERT_EQ(m.on_time(at(501)).what, kind::send);
        EXPECT_EQ(m.answered(gone, at(502)).what, kind::finish);
    }
}

TEST_F(giving_back, is_waited_for_during_two_command_limits_and_goes_on_after_that)
{
    auto m = machine();
    EXPECT_EQ(m.answered(silence, at(599)).what, kind::pause);
    EXPECT_TRUE(m.is_awaited());
    EXPECT_EQ(m.answered(silence, at(600)).what, kind::pause);
    EXPECT_FALSE(m.is_awaited());
}

}  // namespace
}  // namespace pawl::core
