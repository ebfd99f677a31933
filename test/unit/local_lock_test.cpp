// core::local_lock: the lease that the threads of one process share.
#include "unit/local_lock_fixture.h"

namespace pawl::core {
namespace {

// ── Passing on ──────────────────────────────────────────────────────────────────────────────────

TEST_F(a_local_lock, that_a_caller_waits_for_is_granted_with_numbers_to_pass_it_on)
{
    local_lock lock{usual};
    ASSERT_EQ(lock.arrive(true, at(0)).what, kind::ask);
    EXPECT_EQ(lock.begin_to_ask(false, true).reserve, 0U) << "no other caller waits";
    lock.not_granted(false, {errc::timed_out, {}}, {}, at(1));

    ASSERT_EQ(lock.arrive(true, at(2)).what, kind::ask);
    static_cast<void>(wait_in_line(lock));
    EXPECT_EQ(lock.begin_to_ask(false, true).reserve, local_queue::most_passes);
}

TEST_F(a_local_lock, is_passed_on_with_a_new_fence_each_time)
{
    local_lock lock{usual};
    ASSERT_EQ(lock.arrive(true, at(0)).what, kind::ask);
    const auto first = wait_in_line(lock);
    const auto second = wait_in_line(lock);
    const auto lease = grant(lock);

    ASSERT_EQ(lock.release(lease, at(1)).what, ending::done);
    auto effects = lock.take_effects();
    EXPECT_EQ(effects.resting, lease);
    EXPECT_EQ(lock.to_wake(at(1)), first);
    const auto taken = lock.look(first, at(1));
    ASSERT_EQ(taken.what, kind::take);
    EXPECT_EQ(taken.lease, lease);
    EXPECT_EQ(taken.fence, 8U);

    ASSERT_EQ(lock.release(lease, at(2)).what, ending::done);
    effects = lock.take_effects();
    EXPECT_EQ(lock.to_wake(at(2)), second);
    EXPECT_EQ(lock.look(second, at(2)).fence, 9U);
}

TEST_F(a_local_lock, goes_back_to_the_server_if_no_caller_waits)
{
    local_lock lock{usual};
    const auto lease = take_from_server(lock);
    EXPECT_EQ(lock.release(lease, at(1)).what, ending::give_back);
    const auto effects = lock.take_effects();
    EXPECT_FALSE(effects.resting);
    EXPECT_TRUE(effects.ended.empty()) << "the caller does that";
    EXPECT_EQ(lock.arrive(true, at(2)).what, kind::ask);
}

TEST_F(a_local_lock, that_is_not_renewed_is_never_passed_on)
{
    local_lock lock{{.lease = 1000ms, .renew = false}};
    ASSERT_EQ(lock.arrive(true, at(0)).what, kind::ask);
    static_cast<void>(wait_in_line(lock));
    const auto lease = grant(lock);
    EXPECT_EQ(lease->reserve, 0U);
    EXPECT_EQ(lock.release(lease, at(1)).what, ending::give_back);
}

TEST_F(a_local_lock, with_less_than_half_of_its_lease_left_is_not_passed_on)
{
    local_lock lock{usual};
    ASSERT_EQ(lock.arrive(true, at(0)).what, kind::ask);
    static_cast<void>(wait_in_line(lock));
    const auto lease = grant(lock);
    EXPECT_EQ(lock.release(lease, at(501)).what, ending::give_back);
}

TEST_F(a_local_lock, waits_ten_milliseconds_for_a_caller_that_was_woken)
{
    local_lock lock{usual};
    ASSERT_EQ(lock.arrive(true, at(0)).what, kind::ask);
    const auto slow = wait_in_line(lock);
    const auto lease = grant(lock);
    ASSERT_EQ(lock.release(lease, at(1)).what, ending::done);
    EXPECT_EQ(lock.take_effects().look_at, at(11));

    lock.on_time(at(11));
    const auto effects = lock.take_effects();
    ASSERT_EQ(effects.ended.size(), 1U);
    EXPECT_EQ(effects.ended[0].lease, lease);
    EXPECT_EQ(effects.ended[0].to_server, giving::first_time);
    EXPECT_EQ(lock.look(slow, at(12)).what, kind::ask) << "it has to ask the server itself";
}

TEST_F(a_local_lock, is_given_back_when_the_only_caller_in_line_leaves)
{
    local_lock lock{usual};
    ASSERT_EQ(lock.arrive(true, at(0)).what, kind::ask);
    const auto other = wait_in_line(lock);
    const auto lease = grant(lock);
    ASSERT_EQ(lock.release(lease, at(1)).what, ending::done);
    static_cast<void>(lock.take_effects());
    lock.leave(other, at(2));
    ASSERT_EQ(lock.take_effects().ended.size(), 1U);
}

// ── Lingering ───────────────────────────────────────────────────────────────────────────────────

TEST_F(a_local_lock, that_lingers_stays_for_that_time_and_is_taken_without_the_server)
{
    local_lock lock{lingering};
    const auto lease = take_from_server(lock);
    EXPECT_EQ(lease->reserve, local_queue::most_passes);
    ASSERT_EQ(lock.release(lease, at(1)).what, ending::done);
    EXPECT_EQ(lock.take_effects().look_at, at(101));
    const auto again = lock.arrive(true, at(50));
    ASSERT_EQ(again.what, kind::take);
    EXPECT_EQ(again.fence, 8U);

    ASSERT_EQ(lock.release(lease, at(60)).what, ending::done);
    EXPECT_FALSE(lock.take_effects().look_at) << "the look at 101 is still to come";
    lock.on_time(at(101));
    const auto effects = lock.take_effects();
    EXPECT_TRUE(effects.ended.empty());
    EXPECT_EQ(effects.look_at, at(160));
    lock.on_time(at(160));
    EXPECT_EQ(lock.take_effects().ended.size(), 1U);
}

TEST_F(a_local_lock, that_lingers_goes_at_once_if_another_client_wants_it)
{
    local_lock lock{lingering};
    const auto lease = take_from_server(lock);
    ASSERT_EQ(lock.release(lease, at(1)).what, ending::done);
    static_cast<void>(lock.take_effects());
    lock.wanted(at(2));
    const auto effects = lock.take_effects();
    ASSERT_EQ(effects.ended.size(), 1U);
    EXPECT_EQ(effects.ended[0].lease, lease);
    EXPECT_EQ(effects.ended[0].to_server, giving::first_time);
}

TEST_F(a_local_lock, that_another_client_wants_does_not_linger_after_its_release)
{
    local_lock lock{lingering};
    const auto lease = take_from_server(lock);
    lock.wanted(at(1));
    EXPECT_TRUE(lock.take_effects().ended.empty()) << "it is held";
    EXPECT_EQ(lock.release(lease, at(2)).what, ending::give_back);
}

TEST_F(a_local_lock, does_not_linger_if_this_client_would_not_hear_who_wants_it)
{
    local_lock lock{lingering};
    ASSERT_EQ(lock.arrive(true, at(0)).what, kind::ask);
    const auto asked = lock.begin_to_ask(false, false);
    const auto lease = new_lease(asked.reserve);
    lock.granted(false, lease, at(0));
    EXPECT_EQ(lock.release(lease, at(1)).what, ending::give_back);
}

TEST_F(a_local_lock, that_lingers_is_given_back_when_too_little_of_its_lease_is_left)
{
    local_lock lock{{.lease = 1000ms, .linger = 10s}};
    const auto lease = take_from_server(lock);
    ASSERT_EQ(lock.release(lease, at(1)).what, ending::done);
    static_cast<void>(lock.take_effects());
    EXPECT_EQ(lock.arrive(true, at(501)).what, kind::ask);
    ASSERT_EQ(lock.take_effects().ended.size(), 1U);
}

// ── Loss ────────────────────────────────────────────────────────────────────────────────────────

TEST_F(a_local_lock, that_is_lost_is_asked_for_by_the_next_caller)
{
    local_lock lock{usual};
    ASSERT_EQ(lock.arrive(true, at(0)).what, kind::ask);
    const auto waiter = wait_in_line(lock);
    const auto lease = grant(lock);
    lease->state = hold_state::lost;
    lock.look_at_lease(at(5));
    EXPECT_EQ(lock.to_wake(at(5)), waiter);
    EXPECT_EQ(lock.look(waiter, at(5)).what, kind::ask);
    EXPECT_EQ(lock.release(lease, at(6)).what, ending::give_back) << "the old holder";
}

TEST_F(a_local_lock, whose_deadline_has_passed_is_never_passed_on)
{
    local_lock lock{usual};
    ASSERT_EQ(lock.arrive(true, at(0)).what, kind::ask);
    const auto waiter = wait_in_line(lock);
    const auto lease = grant(lock);
    EXPECT_EQ(lock.release(lease, at(1000)).what, ending::give_back);
    EXPECT_EQ(lock.look(waiter, at(1000)).what, kind::ask);
}

TEST_F(a_local_lock, that_the_server_grants_anew_replaces_the_lease_that_was_idle)
{
    local_lock lock{lingering};
    // One caller asks for all, another one for itself.
    ASSERT_EQ(lock.arrive(true, at(0)).what, kind::ask);
    ASSERT_EQ(lock.arrive(false, at(0)).what, kind::ask_alone);
    const auto asked = lock.begin_to_ask(true, true);
    const auto idle = grant(lock);
    ASSERT_EQ(lock.release(idle, at(1)).what, ending::done);
    static_cast<void>(lock.take_effects());

    const auto other = new_lease(asked.reserve);
    lock.granted(true, other, at(2));
    const auto effects = lock.take_effects();
    ASSERT_EQ(effects.ended.size(), 1U);
    EXPECT_EQ(effects.ended[0].lease, idle);
    EXPECT_EQ(lock.release(other, at(3)).what, ending::done);
    EXPECT_EQ(lock.arrive(true, at(4)).lease, other);
}

TEST_F(a_local_lock, does_not_linger_while_a_caller_asks_the_server)
{
    local_lock lock{lingering};
    ASSERT_EQ(lock.arrive(true, at(0)).what, kind::ask);
    ASSERT_EQ(lock.arrive(false, at(0)).what, kind::ask_alone);
    const auto asked = lock.begin_to_ask(true, true);
    const auto other = new_lease(asked.reserve);
    lock.granted(true, other, at(1));
    EXPECT_EQ(lock.release(other, at(2)).what, ending::give_back);
}

// ── Callers that ask for themselves ─────────────────────────────────────────────────────────────

TEST_F(a_local_lock, lets_a_caller_that_does_not_wait_ask_alone_while_another_asks)
{
    local_lock lock{usual};
    ASSERT_EQ(lock.arrive(true, at(0)).what, kind::ask);
    EXPECT_EQ(lock.arrive(false, at(0)).what, kind::ask_alone);
    static_cast<void>(grant(lock));
    EXPECT_EQ(lock.arrive(false, at(0)).what, kind::busy) << "the lock is here, and held";
}

TEST_F(a_local_lock, that_shares_nothing_lets_every_caller_ask_and_keeps_no_lease)
{
    local_lock lock{alone};
    EXPECT_EQ(lock.arrive(true, at(0)).what, kind::ask_alone);
    EXPECT_EQ(lock.arrive(true, at(0)).what, kind::ask_alone);
    const auto asked = lock.begin_to_ask(true, true);
    EXPECT_EQ(asked.reserve, 0U);
    const auto lease = new_lease();
    lock.granted(true, lease, at(1));
    EXPECT_EQ(lock.arrive(false, at(2)).what, kind::ask_alone);
    EXPECT_EQ(lock.release(lease, at(3)).what, ending::give_back);
}

}  // namespace
}  // namespace pawl::core
