// How long a hold may last, and the heartbeat that its renewals depend on.
#include "core/deadline.h"
#include "core/lease_table.h"

#include "unit/at.h"

#include <gtest/gtest.h>

namespace pawl::core {
namespace {

using namespace std::chrono_literals;
using test::always;
using test::at;

const hold_reply renewed{hold_status::done};
const hold_reply silence{
    failure{.what = failure_kind::no_reply, .detail = "silence", .maybe_executed = true}};

class holding : public testing::Test {
protected:
    [[nodiscard]] static lease_ptr make_lease(std::chrono::milliseconds longest_hold,
                                              std::chrono::milliseconds heartbeat)
    {
        auto lease = std::make_shared<core::lease>();
        lease->what = std::make_shared<const object>(object{.name = "a"});
        lease->holder = "me";
        lease->length = 3000ms;
        lease->longest_hold = std::chrono::duration_cast<duration32>(longest_hold);
        lease->heartbeat = std::chrono::duration_cast<duration32>(heartbeat);
        return lease;
    }

    [[nodiscard]] std::vector<lease_ptr> take_due(base::boot_time now)
    {
        table_.expire(now, changes_);
        return table_.take_due(now, 10'000);
    }

    // The lease is due now; it is renewed, for as long as the hold may last. Returns that length.
    std::chrono::milliseconds renew(const lease_ptr& lease, base::boot_time now)
    {
        EXPECT_EQ(take_due(now), std::vector{lease});
        const auto length = lease->capped(lease->length, now, drift);
        table_.on_renewal(lease, renewed, length, now, now, changes_);
        return length;
    }

    static constexpr double drift = 0.01;
    lease_table table_{drift, 3s, always(1)};
    transitions changes_;
};

TEST(lease_until, has_a_deadline_that_is_not_before_the_end_and_hardly_after_it)
{
    for (const double drift : {0.0, 0.01, 0.5}) {
        for (const auto left : {1ms, 7ms, 1000ms, 86'400'000ms, 2'592'000'000ms}) {
            const auto length = lease_until(at(0) + left, at(0), drift);
            EXPECT_GE(local_deadline(at(0), length, drift), at(0) + left) << drift;
            EXPECT_LE(local_deadline(at(0), length, drift), at(0) + left + 3ms) << drift;
        }
        EXPECT_GE(lease_until(at(0), at(1000), drift), 1ms) << "the end has passed";
    }
}

TEST_F(holding, a_hold_is_renewed_up_to_its_longest_time_and_lost_then)
{
    const auto lease = make_lease(5000ms, 0ms);
    table_.add(lease, at(0));
    EXPECT_EQ(renew(lease, at(1000)), 3000ms);
    EXPECT_EQ(renew(lease, at(2000)), 3000ms);
    EXPECT_EQ(lease->deadline.load(), at(4968));
    EXPECT_EQ(renew(lease, at(3000)), 2024ms) << "until 5000, with drift and rounding";
    EXPECT_EQ(lease->valid_until(), at(5000));
    EXPECT_EQ(table_.next_wake(), at(5000)) << "another renewal would be of no use";
    EXPECT_TRUE(take_due(at(4999)).empty());
    EXPECT_TRUE(changes_.empty());
    table_.expire(at(5000), changes_);
    ASSERT_EQ(changes_.size(), 1U);
    EXPECT_EQ(changes_[0].from, hold_state::held);
    EXPECT_EQ(changes_[0].to, hold_state::lost);
    EXPECT_EQ(changes_[0].why, cause::held_too_long);
    EXPECT_EQ(table_.size(), 0U);
}

TEST_F(holding, a_lease_that_ends_before_the_longest_time_has_expired)
{
    const auto lease = make_lease(5000ms, 0ms);
    table_.add(lease, at(0));
    static_cast<void>(take_due(at(1000)));
    table_.expire(at(2968), changes_);
    EXPECT_EQ(changes_.back().to, hold_state::lost);
    EXPECT_EQ(changes_.back().why, cause::expired);
}

TEST_F(holding, the_time_of_a_hold_begins_anew_when_the_lock_is_passed_on)
{
    const auto lease = make_lease(5000ms, 0ms);
    table_.add(lease, at(0));
    renew(lease, at(1000));
    renew(lease, at(2000));
    renew(lease, at(3000));
    table_.rest(lease);
    EXPECT_EQ(lease->valid_until(), lease->deadline.load()) << "no hold, so nothing to limit";
    table_.pass_on(lease, 1, at(3500));
    EXPECT_EQ(lease->hold_ends.load(), at(8500));
    EXPECT_EQ(take_due(at(3500)), std::vector{lease}) << "the renewals had ended";
}

TEST_F(holding, an_extension_does_not_reach_beyond_the_longest_time)
{
    const auto lease = make_lease(5000ms, 0ms);
    table_.add(lease, at(0));
    table_.extended(lease, 60s, at(100), changes_);
    EXPECT_EQ(lease->valid_until(), at(5000));
    EXPECT_EQ(table_.next_wake(), at(5000));
}

// The answer to the renewal for the hold before: the server was asked for less than a whole lease.
TEST_F(holding, a_renewal_that_was_shortened_for_one_hold_is_not_longer_for_the_next)
{
    const auto lease = make_lease(3000ms, 0ms);
    table_.add(lease, at(0));
    ASSERT_EQ(take_due(at(1000)), std::vector{lease});
    const auto length = lease->capped(lease->length, at(1000), drift);
    EXPECT_EQ(length, 2024ms);
    table_.rest(lease);
    table_.pass_on(lease, 1, at(1100));
    table_.on_renewal(lease, renewed, length, at(1000), at(1200), changes_);
    EXPECT_LT(lease->deadline.load(), at(3002));
    EXPECT_EQ(take_due(at(1200)), std::vector{lease}) << "the new hold may last until 4100";
}

TEST_F(holding, a_lease_that_is_over_can_be_passed_on_and_stays_out_of_the_table)
{
    const auto lease = make_lease(3000ms, 0ms);
    table_.add(lease, at(0));
    table_.expire(at(3000), changes_);
    table_.pass_on(lease, 1, at(3001));
    EXPECT_EQ(table_.size(), 0U);
}

TEST_F(holding, a_lease_is_renewed_while_its_holder_makes_progress)
{
    const auto lease = make_lease(0ms, 500ms);
    table_.add(lease, at(0));
    lease->beaten_at = at(500);
    renew(lease, at(1000));
    lease->beaten_at = at(1990);
    renew(lease, at(2000));
    EXPECT_TRUE(changes_.empty());
}

TEST_F(holding, without_progress_a_renewal_is_left_out_and_the_lease_is_lost_at_its_deadline)
{
    const auto lease = make_lease(0ms, 500ms);
    table_.add(lease, at(0));
    lease->beaten_at = at(499);
    EXPECT_TRUE(take_due(at(1000)).empty());
    ASSERT_EQ(changes_.size(), 1U);
    EXPECT_EQ(changes_[0].to, hold_state::jeopardy);
    EXPECT_EQ(changes_[0].why, cause::no_beat);
    EXPECT_EQ(table_.next_wake(), at(1250)) << "a twelfth of the lease later";
    EXPECT_TRUE(take_due(at(1250)).empty());
    EXPECT_EQ(changes_.size(), 1U) << "still in jeopardy: it was reported already";
    table_.expire(at(2968), changes_);
    ASSERT_EQ(changes_.size(), 2U);
    EXPECT_EQ(changes_[1].to, hold_state::lost);
    EXPECT_EQ(changes_[1].why, cause::no_beat);
}

TEST_F(holding, a_lease_is_renewed_again_when_its_holder_goes_on)
{
    const auto lease = make_lease(0ms, 500ms);
    table_.add(lease, at(0));
    EXPECT_TRUE(take_due(at(1000)).empty());
    lease->beaten_at = at(1100);
    renew(lease, at(1250));
    ASSERT_EQ(changes_.size(), 2U);
    EXPECT_EQ(changes_[1].from, hold_state::jeopardy);
    EXPECT_EQ(changes_[1].to, hold_state::held);
    EXPECT_EQ(lease->why.load(), cause::none);
}

TEST_F(holding, a_holder_that_went_on_is_not_blamed_when_the_server_is_silent)
{
    const auto lease = make_lease(0ms, 500ms);
    table_.add(lease, at(0));
    EXPECT_TRUE(take_due(at(1000)).empty());
    lease->beaten_at = at(1100);
    EXPECT_EQ(take_due(at(1250)), std::vector{lease});
    table_.on_renewal(lease, silence, lease->length, at(1250), at(1300), changes_);
    EXPECT_EQ(lease->why.load(), cause::no_reply);
    table_.expire(at(2968), changes_);
    EXPECT_EQ(changes_.back().why, cause::expired);
}

TEST_F(holding, a_lease_without_progress_is_not_renewed_early_together_with_another)
{
    const auto working = make_lease(0ms, 0ms);
    const auto stuck = make_lease(0ms, 500ms);
    table_.add(working, at(0));
    table_.add(stuck, at(300));
    EXPECT_EQ(take_due(at(1000)), std::vector{working});
    EXPECT_EQ(stuck->state.load(), hold_state::held) << "its own renewal is not due yet";
    stuck->beaten_at = at(1000);
    const auto other = make_lease(0ms, 0ms);
    table_.add(other, at(50));
    EXPECT_EQ(take_due(at(1050)), (std::vector{other, stuck}));
}

TEST_F(holding, a_hold_with_a_bare_majority_that_makes_no_progress_is_lost_for_that_reason)
{
    const auto lease = make_lease(0ms, 1500ms);
    table_.add(lease, at(0));
    ASSERT_EQ(take_due(at(1000)), std::vector{lease});
    table_.on_renewal(lease, bare_majority{}, 3000ms, at(1000), at(1000), changes_);
    EXPECT_TRUE(take_due(at(2000)).empty()) << "the last beat was at 0";
    EXPECT_TRUE(take_due(at(5000)).empty());
    ASSERT_EQ(changes_.size(), 2U);
    EXPECT_EQ(changes_[0].why, cause::bare_majority);
    EXPECT_EQ(changes_[1].to, hold_state::lost);
    EXPECT_EQ(changes_[1].why, cause::no_beat);
}

TEST_F(holding, an_idle_lease_is_renewed_without_progress_and_the_next_hold_begins_with_a_beat)
{
    const auto lease = make_lease(0ms, 500ms);
    table_.add(lease, at(0));
    table_.rest(lease);
    renew(lease, at(1000));
    table_.pass_on(lease, 1, at(1600));
    renew(lease, at(2000));
    EXPECT_TRUE(take_due(at(3000)).empty());
    EXPECT_EQ(lease->why.load(), cause::no_beat);
}

}  // namespace
}  // namespace pawl::core
