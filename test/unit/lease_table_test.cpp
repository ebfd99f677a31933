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

lease_ptr make_lease(std::chrono::milliseconds length = 3000ms, bool renew = true)
{
    auto lease = std::make_shared<core::lease>();
    lease->what = std::make_shared<const object>(object{.name = "a"});
    lease->holder = "me";
    lease->length = length;
    lease->renew = renew;
    return lease;
}

class table_of_leases : public testing::Test {
protected:
    [[nodiscard]] std::vector<lease_ptr> take_due(base::boot_time now)
    {
        return take_due(now, table_);
    }
    [[nodiscard]] std::vector<lease_ptr> take_due(base::boot_time now, lease_table& from)
    {
        from.expire(now, changes_);
        return from.take_due(now, 10'000);
    }

    lease_table table_{0.01, 3s, always(1)};
    transitions changes_;
};

TEST_F(table_of_leases, all_leases_are_due_at_once_when_the_store_has_moved)
{
    const auto one = make_lease();
    const auto other = make_lease(60s);
    const auto fixed = make_lease(60s, false);
    for (const auto& each : {one, other, fixed}) table_.add(each, at(0));
    const auto under_way = take_due(at(1000));
    ASSERT_EQ(under_way, std::vector{one});
    table_.renew_soon(at(1100));
    EXPECT_EQ(take_due(at(1100)), std::vector{other});
    EXPECT_TRUE(changes_.empty());
}

TEST_F(table_of_leases, a_lease_is_due_after_a_third_and_lost_at_its_deadline)
{
    const auto lease = make_lease();
    table_.add(lease, at(0));
    EXPECT_EQ(lease->deadline.load(), at(3000 - 30 - 2));
    EXPECT_EQ(table_.next_wake(), at(1000));
    EXPECT_TRUE(take_due(at(999)).empty());
    EXPECT_EQ(take_due(at(1000)), std::vector{lease});
    EXPECT_EQ(table_.next_wake(), at(1750)) << "when the renewal under way will be overdue";
    table_.expire(at(2967), changes_);
    EXPECT_NE(lease->state.load(), hold_state::lost);
    changes_.clear();
    table_.expire(at(2968), changes_);
    ASSERT_EQ(changes_.size(), 1U);
    EXPECT_EQ(changes_[0].to, hold_state::lost);
    EXPECT_EQ(changes_[0].why, cause::expired);
    EXPECT_EQ(table_.size(), 0U);
}

TEST_F(table_of_leases, a_lease_whose_holder_is_being_exchanged_is_not_lost_if_a_renewal_misses_it)
{
    const auto lease = make_lease();
    table_.add(lease, at(0));
    ASSERT_EQ(take_due(at(1000)).size(), 1U);
    lease->changing = true;
    table_.on_renewal(lease, hold_status::vanished, lease->length, at(1000), at(1010), changes_);
    EXPECT_TRUE(changes_.empty());
    EXPECT_EQ(lease->state.load(), hold_state::held);
    // The exchange failed: the next renewal counts.
    lease->changing = false;
    ASSERT_EQ(take_due(at(1300)).size(), 1U) << "soon";
    table_.on_renewal(lease, hold_status::vanished, lease->length, at(1300), at(1310), changes_);
    EXPECT_EQ(lease->state.load(), hold_state::lost);
}

TEST_F(table_of_leases, a_renewal_counts_from_when_it_was_sent_not_from_its_answer)
{
    const auto lease = make_lease();
    table_.add(lease, at(0));
    static_cast<void>(take_due(at(1000)));
    table_.on_renewal(lease, renewed, lease->length, at(1000), at(1400), changes_);
    EXPECT_EQ(lease->deadline.load(), at(1000 + 3000 - 32));
    EXPECT_EQ(table_.next_wake(), at(2000));
    EXPECT_TRUE(changes_.empty());
}

TEST_F(table_of_leases, a_renewal_under_way_is_not_started_twice)
{
    const auto lease = make_lease();
    table_.add(lease, at(0));
    EXPECT_EQ(take_due(at(1000)).size(), 1U);
    EXPECT_TRUE(take_due(at(1500)).empty());
    EXPECT_TRUE(take_due(at(1749)).empty());
}

TEST_F(table_of_leases, a_failed_renewal_is_jeopardy_once_and_repeated_until_it_succeeds)
{
    const auto lease = make_lease();
    table_.add(lease, at(0));
    static_cast<void>(take_due(at(1000)));
    table_.on_renewal(lease, silence, lease->length, at(1000), at(1500), changes_);
    ASSERT_EQ(changes_.size(), 1U);
    EXPECT_EQ(changes_[0].to, hold_state::jeopardy);
    EXPECT_EQ(changes_[0].why, cause::no_reply);
    EXPECT_EQ(changes_[0].detail, "silence");
    EXPECT_EQ(table_.next_wake(), at(1750)) << "a twelfth of the lease later";

    EXPECT_EQ(take_due(at(1750)).size(), 1U);
    table_.on_renewal(lease, silence, lease->length, at(1750), at(1800), changes_);
    EXPECT_EQ(changes_.size(), 1U) << "still in jeopardy: it was reported already";

    EXPECT_EQ(take_due(at(2050)).size(), 1U);
    table_.on_renewal(lease, renewed, lease->length, at(2050), at(2060), changes_);
    ASSERT_EQ(changes_.size(), 2U);
    EXPECT_EQ(changes_[1].from, hold_state::jeopardy);
    EXPECT_EQ(changes_[1].to, hold_state::held);
    EXPECT_EQ(lease->why.load(), cause::none);
}

TEST_F(table_of_leases, a_bare_majority_is_jeopardy_until_a_renewal_finds_more)
{
    const auto lease = make_lease();
    table_.add(lease, at(0));
    for (const auto now : {at(1000), at(2000)}) {
        ASSERT_EQ(take_due(now).size(), 1U);
        table_.on_renewal(lease, bare_majority{"c: no answer"}, lease->length, now, now, changes_);
        ASSERT_EQ(changes_.size(), 1U) << "it is reported once";
        EXPECT_EQ(changes_[0].to, hold_state::jeopardy);
        EXPECT_EQ(changes_[0].why, cause::bare_majority);
        EXPECT_EQ(changes_[0].detail, "c: no answer");
        EXPECT_EQ(lease->deadline.load(), now + 3000ms - 32ms) << "it is renewed";
    }
    ASSERT_EQ(take_due(at(3000)).size(), 1U);
    table_.on_renewal(lease, renewed, lease->length, at(3000), at(3000), changes_);
    ASSERT_EQ(changes_.size(), 2U);
    EXPECT_EQ(changes_[1].to, hold_state::held);
}

TEST_F(table_of_leases, an_extension_does_not_end_the_jeopardy_of_a_bare_majority)
{
    const auto lease = make_lease();
    table_.add(lease, at(0));
    static_cast<void>(take_due(at(1000)));
    table_.on_renewal(lease, bare_majority{"c: no answer"}, lease->length, at(1000), at(1000),
                      changes_);
    table_.extended(lease, 3000ms, at(1100), changes_);
    EXPECT_EQ(changes_.size(), 1U);
    EXPECT_EQ(lease->state.load(), hold_state::jeopardy);
    EXPECT_EQ(lease->deadline.load(), at(1100 + 3000 - 32));
}

TEST_F(table_of_leases, a_failed_renewal_after_a_bare_majority_is_the_new_reason_for_jeopardy)
{
    const auto lease = make_lease();
    table_.add(lease, at(0));
    static_cast<void>(take_due(at(1000)));
    table_.on_renewal(lease, bare_majority{"c: no answer"}, lease->length, at(1000), at(1000),
                      changes_);
    static_cast<void>(take_due(at(2000)));
    table_.on_renewal(lease, silence, lease->length, at(2000), at(2500), changes_);
    EXPECT_EQ(lease->why.load(), cause::no_reply);
    table_.extended(lease, 3000ms, at(2600), changes_);
    EXPECT_EQ(lease->state.load(), hold_state::held);
}

TEST_F(table_of_leases,
       an_overdue_renewal_is_jeopardy_and_sent_again_and_its_late_answer_still_counts)
{
    const auto lease = make_lease();
    table_.add(lease, at(0));
    static_cast<void>(take_due(at(1000)));
    table_.expire(at(1750), changes_);
    ASSERT_EQ(changes_.size(), 1U);
    EXPECT_EQ(changes_[0].to, hold_state::jeopardy);
    EXPECT_EQ(changes_[0].why, cause::no_reply);
    EXPECT_EQ(take_due(at(2000)).size(), 1U);

    // The first renewal is answered after all. It counts from when it was sent.
    table_.on_renewal(lease, renewed, lease->length, at(1000), at(2100), changes_);
    EXPECT_EQ(lease->state.load(), hold_state::held);
    EXPECT_EQ(lease->deadline.load(), at(1000 + 3000 - 32));
    EXPECT_TRUE(lease->under_way) << "the second has no answer yet";

    table_.on_renewal(lease, renewed, lease->length, at(2000), at(2200), changes_);
    EXPECT_EQ(lease->deadline.load(), at(2000 + 3000 - 32));
    EXPECT_FALSE(lease->under_way);
}

TEST_F(table_of_leases, a_late_failure_of_a_renewal_that_was_given_up_changes_nothing)
{
    const auto lease = make_lease();
    table_.add(lease, at(0));
    static_cast<void>(take_due(at(1000)));
    table_.expire(at(1750), changes_);
    static_cast<void>(take_due(at(2000)));
    const auto wake = table_.next_wake();
    table_.on_renewal(lease, silence, lease->length, at(1000), at(2100), changes_);
    EXPECT_EQ(table_.next_wake(), wake);
    EXPECT_TRUE(lease->under_way);
}

TEST_F(table_of_leases, a_negative_answer_of_the_server_is_a_loss_with_its_cause)
{
    for (const auto& [said, why] : {std::pair{hold_status::vanished, cause::vanished},
                                    std::pair{hold_status::taken, cause::taken},
                                    std::pair{hold_status::not_a_lock, cause::not_a_lock}}) {
        const auto lease = make_lease();
        table_.add(lease, at(0));
        static_cast<void>(take_due(at(1000)));
        changes_.clear();
        table_.on_renewal(lease, said, lease->length, at(1000), at(1001), changes_);
        ASSERT_EQ(changes_.size(), 1U);
        EXPECT_EQ(lease->state.load(), hold_state::lost);
        EXPECT_EQ(lease->why.load(), why);
    }
}

TEST_F(table_of_leases, a_released_lease_is_not_renewed_and_a_late_answer_changes_nothing)
{
    const auto lease = make_lease();
    table_.add(lease, at(0));
    static_cast<void>(take_due(at(1000)));
    EXPECT_TRUE(table_.release(lease, changes_));
    EXPECT_EQ(table_.next_wake(), base::boot_time::max());
    changes_.clear();
    table_.on_renewal(lease, hold_status::vanished, lease->length, at(1000), at(1100), changes_);
    EXPECT_TRUE(changes_.empty());
    EXPECT_EQ(lease->state.load(), hold_state::released);
    EXPECT_FALSE(table_.release(lease, changes_)) << "only once";
}

TEST_F(table_of_leases, a_lost_lease_does_not_come_back)
{
    const auto lease = make_lease();
    table_.add(lease, at(0));
    static_cast<void>(take_due(at(1000)));
    table_.expire(at(3000), changes_);
    changes_.clear();
    table_.on_renewal(lease, renewed, lease->length, at(1000), at(3001), changes_);
    table_.extended(lease, 1h, at(3001), changes_);
    EXPECT_TRUE(changes_.empty());
    EXPECT_EQ(lease->state.load(), hold_state::lost);
}

TEST_F(table_of_leases, a_lease_without_renewals_is_never_due_but_can_be_lost)
{
    const auto lease = make_lease(300ms, false);
    table_.add(lease, at(0));
    EXPECT_EQ(table_.next_wake(), lease->deadline.load());
    EXPECT_TRUE(take_due(at(290)).empty());
    table_.expire(at(300), changes_);
    EXPECT_EQ(changes_.size(), 1U);
}

TEST_F(table_of_leases, an_extension_postpones_renewal_and_a_renewal_does_not_shorten_it)
{
    const auto lease = make_lease();
    table_.add(lease, at(0));
    table_.extended(lease, 60s, at(100), changes_);
    const auto deadline = lease->deadline.load();
    EXPECT_EQ(deadline, at(100 + 60'000 - 600 - 2));
    EXPECT_EQ(table_.next_wake(), at(100 + 60'000 - 2000)) << "when two thirds of a lease are left";
    EXPECT_EQ(take_due(at(58'100)).size(), 1U);
    table_.on_renewal(lease, renewed, lease->length, at(58'100), at(58'110), changes_);
    EXPECT_GT(lease->deadline.load(), deadline);
}

TEST_F(table_of_leases,
       a_renewal_sent_before_an_extension_and_answered_after_keeps_the_longer_deadline)
{
    const auto lease = make_lease();
    table_.add(lease, at(0));
    static_cast<void>(take_due(at(1000)));
    table_.extended(lease, 60s, at(1001), changes_);
    const auto deadline = lease->deadline.load();
    table_.on_renewal(lease, renewed, lease->length, at(1000), at(1010), changes_);
    EXPECT_EQ(lease->deadline.load(), deadline);
    EXPECT_EQ(table_.next_wake(), at(1001 + 60'000 - 2000));
}

TEST_F(table_of_leases, leases_taken_at_many_times_soon_share_their_renewals)
{
    std::vector<lease_ptr> leases;
    for (int i = 0; i < 1000; ++i) {
        leases.push_back(make_lease());
        table_.add(leases.back(), at(i));  // spread over a whole renewal period
    }
    int batches = 0;
    std::size_t renewals = 0;
    for (auto now = table_.next_wake(); now < at(10'000); now = table_.next_wake()) {
        const auto due = take_due(now);
        ++batches;
        renewals += due.size();
        for (const auto& lease : due)
            table_.on_renewal(lease, renewed, lease->length, now, now, changes_);
    }
    EXPECT_TRUE(changes_.empty());
    EXPECT_GE(renewals, 9U * 1000U);
    EXPECT_LE(batches, 2 * 10) << "at most two batches in each period";
}

TEST_F(table_of_leases, leases_that_do_not_fit_into_a_request_stay_due_in_order)
{
    std::vector<lease_ptr> leases;
    for (int i = 0; i < 10; ++i) {
        leases.push_back(make_lease());
        table_.add(leases.back(), at(i));
    }
    table_.expire(at(1009), changes_);
    EXPECT_EQ(table_.take_due(at(1009), 4), std::vector(leases.begin(), leases.begin() + 4));
    EXPECT_TRUE(table_.release(leases[4], changes_));
    EXPECT_EQ(table_.take_due(at(1100), 4), std::vector(leases.begin() + 5, leases.begin() + 9));
    EXPECT_EQ(table_.take_due(at(1200), 4), std::vector(leases.begin() + 9, leases.end()));
    EXPECT_TRUE(table_.take_due(at(1300), 4).empty());
}

TEST_F(table_of_leases, a_due_lease_that_does_not_fit_into_a_request_is_lost_at_its_deadline)
{
    const auto first = make_lease();
    const auto second = make_lease();
    table_.add(first, at(0));
    table_.add(second, at(0));
    table_.expire(at(1000), changes_);
    EXPECT_EQ(table_.take_due(at(1000), 1), std::vector{first});
    table_.on_renewal(first, renewed, first->length, at(1000), at(1001), changes_);
    table_.expire(at(2968), changes_);
    EXPECT_EQ(second->state.load(), hold_state::lost);
    EXPECT_EQ(first->state.load(), hold_state::held);
    EXPECT_EQ(take_due(at(2968)), std::vector{first});
}

TEST_F(table_of_leases, the_number_of_outstanding_renewals_is_limited)
{
    constexpr auto most = lease_table::most_under_way;
    std::vector<lease_ptr> leases;
    for (std::size_t i = 0; i <= most; ++i) {
        leases.push_back(make_lease());
        table_.add(leases.back(), at(0));
    }
    EXPECT_EQ(take_due(at(1000)).size(), most);
    EXPECT_TRUE(take_due(at(1001)).empty());
    EXPECT_EQ(table_.next_wake(), at(1750)) << "not before an answer";
    table_.on_renewal(leases[0], renewed, leases[0]->length, at(1000), at(1002), changes_);
    EXPECT_LE(table_.next_wake(), at(1002));
    EXPECT_EQ(take_due(at(1002)), std::vector{leases[most]});
}

TEST_F(table_of_leases, overdue_and_ended_renewals_do_not_count)
{
    constexpr auto most = lease_table::most_under_way;
    std::vector<lease_ptr> leases;
    for (std::size_t i = 0; i < most + 2; ++i) {
        leases.push_back(make_lease());
        table_.add(leases.back(), at(0));
    }
    EXPECT_EQ(take_due(at(1000)).size(), most);
    EXPECT_TRUE(table_.release(leases[0], changes_));
    EXPECT_LE(table_.next_wake(), at(1000));
    EXPECT_EQ(take_due(at(1000)), std::vector{leases[most]});
    EXPECT_EQ(take_due(at(1750)), std::vector{leases[most + 1]}) << "although there was no answer";
}

TEST_F(table_of_leases, an_extended_lease_is_not_due_any_more)
{
    const auto lease = make_lease();
    table_.add(lease, at(0));
    table_.expire(at(1000), changes_);
    table_.extended(lease, 3000ms, at(1000), changes_);
    EXPECT_TRUE(table_.take_due(at(1000), 1).empty());
    EXPECT_EQ(take_due(at(2000)), std::vector{lease});
    EXPECT_TRUE(take_due(at(2000)).empty());
}

TEST_F(table_of_leases, leases_that_failed_together_are_repeated_together)
{
    lease_table table{0.01, 3s, [n = 0]() mutable { return (n++ % 100) / 100.0; }};
    std::vector<lease_ptr> leases;
    for (int i = 0; i < 1000; ++i) {
        leases.push_back(make_lease());
        table.add(leases.back(), at(0));
    }
    for (const auto& lease : take_due(at(1000), table)) {
        table.on_renewal(lease, silence, lease->length, at(1000), at(1500), changes_);
    }
    EXPECT_EQ(take_due(table.next_wake(), table).size(), 1000U);
}

TEST_F(table_of_leases, closing_makes_the_remaining_leases_lost)
{
    const auto lease = make_lease();
    table_.add(lease, at(0));
    table_.close(changes_);
    ASSERT_EQ(changes_.size(), 1U);
    EXPECT_EQ(changes_[0].why, cause::closed);
    EXPECT_EQ(table_.size(), 0U);
}

TEST_F(table_of_leases, deadlines_pass_even_while_others_are_due)
{
    const auto fixed = make_lease(1500ms, false);
    const auto renewing = make_lease(3000ms);
    table_.add(fixed, at(0));
    table_.add(renewing, at(0));
    table_.expire(at(1490), changes_);
    ASSERT_EQ(changes_.size(), 1U);
    EXPECT_EQ(changes_[0].which, fixed);
    EXPECT_EQ(take_due(at(1490)), std::vector{renewing});
}

TEST(renewal, its_answer_may_take_a_quarter_of_the_lease_but_no_longer_than_the_command_limit)
{
    EXPECT_EQ(renewal_limit(600ms, 3s), 150ms);
    EXPECT_EQ(renewal_limit(30s, 3s), 3s);
}

}  // namespace
}  // namespace pawl::core
