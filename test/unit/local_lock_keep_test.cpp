// core::local_lock: asking the server whether the lock may stay.
#include "unit/local_lock_fixture.h"

#include <optional>

namespace pawl::core {
namespace {

const keep_reply no_answer{failure{.what = failure_kind::no_reply, .maybe_executed = true}};

class a_local_lock_that_asks : public a_local_lock {
protected:
    // Held, with a caller in line. Ten milliseconds later the server must be asked.
    a_local_lock_that_asks()
    {
        EXPECT_EQ(lock_.arrive(true, at(0)).what, kind::ask);
        waiter_ = wait_in_line(lock_);
        lease_ = grant(lock_);
        const auto ended = lock_.release(lease_, at(10));
        EXPECT_EQ(ended.what, ending::keep);
        asked_ = ended.request;
        EXPECT_EQ(lock_.take_effects().resting, lease_);
    }

    local_lock lock_{usual};
    local_lock::ticket waiter_{};
    lease_ptr lease_;
    keep_request asked_;
};

TEST_F(a_local_lock_that_asks, says_which_numbers_it_used_and_which_it_has)
{
    EXPECT_EQ(asked_.mine.holder, "me");
    EXPECT_EQ(asked_.used, 7U);
    EXPECT_EQ(asked_.reserved, 7U + local_queue::most_passes);
    EXPECT_EQ(asked_.reserve, local_queue::most_passes);
}

TEST_F(a_local_lock_that_asks, goes_on_with_new_numbers_if_it_may_stay)
{
    lock_.kept(lease_, core::kept{.fence = 2000}, at(10), at(11));
    const auto effects = lock_.take_effects();
    EXPECT_TRUE(effects.ended.empty());
    EXPECT_EQ(lock_.to_wake(at(11)), waiter_);
    EXPECT_EQ(lock_.look(waiter_, at(11)).fence, 2000U);
}

TEST_F(a_local_lock_that_asks, is_over_if_the_server_handed_it_to_another_client)
{
    lock_.kept(lease_, handed_over{}, at(10), at(11));
    const auto effects = lock_.take_effects();
    ASSERT_EQ(effects.ended.size(), 1U);
    EXPECT_EQ(effects.ended[0].to_server, std::nullopt);
    EXPECT_EQ(lock_.to_wake(at(11)), waiter_);
    EXPECT_EQ(lock_.look(waiter_, at(11)).what, kind::ask);
}

// Its waiter may have had two places in the queue, and the second one has it now.
TEST_F(a_local_lock_that_asks, is_given_back_again_if_its_acquire_was_repeated_long_ago)
{
    lease_->wanted_until = at(5);
    lock_.kept(lease_, handed_over{}, at(10), at(11));
    EXPECT_EQ(lock_.take_effects().ended.at(0).to_server, giving::again);
}

TEST_F(a_local_lock_that_asks, is_given_back_again_while_an_old_request_may_arrive)
{
    lease_->wanted_until = at(500);
    lock_.kept(lease_, handed_over{}, at(10), at(11));
    const auto effects = lock_.take_effects();
    ASSERT_EQ(effects.ended.size(), 1U);
    EXPECT_EQ(effects.ended[0].to_server, giving::again);
}

TEST_F(a_local_lock_that_asks, tells_all_callers_if_the_server_is_silent)
{
    lock_.kept(lease_, no_answer, at(10), at(300));
    const auto effects = lock_.take_effects();
    ASSERT_EQ(effects.ended.size(), 1U);
    EXPECT_EQ(effects.ended[0].to_server, giving::again);
    EXPECT_TRUE(effects.wake_all);
    const auto mine = lock_.look(waiter_, at(300));
    EXPECT_EQ(mine.what, kind::give_up);
    EXPECT_EQ(mine.why.code, errc::unreachable);
}

TEST_F(a_local_lock_that_asks, lets_the_next_caller_ask_if_nothing_could_be_sent)
{
    lock_.kept(lease_, no_answer, base::boot_time{}, at(11));
    const auto effects = lock_.take_effects();
    EXPECT_FALSE(effects.wake_all);
    EXPECT_EQ(lock_.to_wake(at(11)), waiter_);
    EXPECT_EQ(lock_.look(waiter_, at(11)).what, kind::ask);
}

TEST_F(a_local_lock_that_asks, gives_it_back_if_the_lease_ended_before_the_answer)
{
    lock_.kept(lease_, core::kept{.fence = 2000}, at(10), at(1000));
    const auto effects = lock_.take_effects();
    ASSERT_EQ(effects.ended.size(), 1U);
    EXPECT_EQ(effects.ended[0].to_server, giving::again);
    EXPECT_EQ(lock_.look(waiter_, at(1000)).what, kind::ask);
}

}  // namespace
}  // namespace pawl::core
