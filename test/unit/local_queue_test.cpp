#include "unit/local_queue_fixture.h"

#include <chrono>

namespace pawl::core {
namespace {

using namespace std::chrono_literals;

constexpr local_queue::condition lingering{.sound = true, .has_fence = true, .lingers = true};

// ── New callers ─────────────────────────────────────────────────────────────────────────────────

TEST_F(a_local_queue, lets_the_first_ask_the_server_and_all_others_wait)
{
    EXPECT_EQ(queue_.arrive(), turn::ask);
    EXPECT_EQ(queue_.arrive(), turn::wait);
    EXPECT_EQ(queue_.arrive(), turn::wait);
    EXPECT_FALSE(queue_.is_idle());
    queue_.asked();
    queue_.granted(at(0));
    EXPECT_EQ(queue_.arrive(), turn::wait) << "it is held";
}

TEST_F(a_local_queue, lets_the_next_ask_if_the_first_got_nothing)
{
    ASSERT_EQ(queue_.arrive(), turn::ask);
    queue_.asked();
    EXPECT_EQ(queue_.arrive(), turn::ask);
}

TEST_F(a_local_queue, with_a_waiter_lets_no_other_caller_ask_before_it)
{
    ASSERT_EQ(queue_.arrive(), turn::ask);
    const auto first = wait_in_line();
    queue_.asked();
    EXPECT_EQ(queue_.arrive(), turn::wait);
    EXPECT_EQ(queue_.to_wake(at(0)), first);
    EXPECT_EQ(queue_.arrive(), turn::wait) << "the first one was woken, but has not looked";
    EXPECT_EQ(queue_.look(first), turn::ask);
}

TEST_F(a_local_queue, gives_an_idle_lock_to_the_next_caller)
{
    take_from_server();
    ASSERT_EQ(queue_.release(lingering, at(1)), ending::linger);
    EXPECT_TRUE(queue_.is_idle());
    EXPECT_EQ(queue_.arrive(), turn::take);
    EXPECT_FALSE(queue_.is_idle());
    EXPECT_EQ(queue_.arrive(), turn::wait);
}

// ── Waiters ─────────────────────────────────────────────────────────────────────────────────────

TEST_F(a_local_queue, wakes_in_the_order_of_arrival)
{
    take_from_server();
    const auto first = wait_in_line();
    const auto second = wait_in_line();
    const auto third = wait_in_line();
    for (const auto next : {first, second, third}) {
        EXPECT_FALSE(queue_.to_wake(at(1))) << "it is held";
        ASSERT_EQ(queue_.release(fine, at(1)), ending::pass_on);
        EXPECT_EQ(queue_.to_wake(at(1)), next);
        EXPECT_EQ(queue_.look(next), turn::take);
    }
    EXPECT_FALSE(queue_.has_waiters());
}

TEST_F(a_local_queue, wakes_a_waiter_only_once_until_it_has_checked)
{
    take_from_server();
    const auto first = wait_in_line();
    ASSERT_EQ(queue_.release(fine, at(0)), ending::pass_on);
    EXPECT_EQ(queue_.to_wake(at(0)), first);
    EXPECT_FALSE(queue_.to_wake(at(0)));
    ASSERT_EQ(queue_.arrive(), turn::take) << "another caller was quicker";
    EXPECT_EQ(queue_.look(first), turn::wait);
    EXPECT_FALSE(queue_.to_wake(at(0))) << "it is held";
    ASSERT_EQ(queue_.release(fine, at(0)), ending::pass_on);
    EXPECT_EQ(queue_.to_wake(at(0)), first) << "again";
}

TEST_F(a_local_queue, lets_only_the_first_waiter_take_the_lock_when_it_checks)
{
    take_from_server();
    const auto first = wait_in_line();
    const auto second = wait_in_line();
    ASSERT_EQ(queue_.release(fine, at(0)), ending::pass_on);
    EXPECT_EQ(queue_.look(second), turn::wait) << "for example because its limit has passed";
    EXPECT_EQ(queue_.look(first), turn::take) << "even if it was not woken";
    EXPECT_EQ(queue_.look(second), turn::wait);
}

TEST_F(a_local_queue, wakes_the_next_waiter_when_the_first_leaves_after_it_was_woken)
{
    take_from_server();
    const auto first = wait_in_line();
    const auto second = wait_in_line();
    ASSERT_EQ(queue_.release(fine, at(0)), ending::pass_on);
    ASSERT_EQ(queue_.to_wake(at(0)), first);
    queue_.leave(first);
    EXPECT_EQ(queue_.to_wake(at(0)), second);
    EXPECT_EQ(queue_.look(second), turn::take);
}

TEST_F(a_local_queue, forgets_only_the_waiter_that_leaves_from_the_middle)
{
    take_from_server();
    const auto first = wait_in_line();
    const auto second = wait_in_line();
    const auto third = wait_in_line();
    queue_.leave(second);
    for (const auto next : {first, third}) {
        ASSERT_EQ(queue_.release(fine, at(0)), ending::pass_on);
        EXPECT_EQ(queue_.to_wake(at(0)), next);
        EXPECT_EQ(queue_.look(next), turn::take);
    }
    EXPECT_FALSE(queue_.has_waiters());
    EXPECT_EQ(queue_.release(fine, at(0)), ending::give_back);
}

TEST_F(a_local_queue, does_not_wake_the_first_again_when_one_behind_it_leaves)
{
    take_from_server();
    const auto first = wait_in_line();
    const auto second = wait_in_line();
    ASSERT_EQ(queue_.release(fine, at(0)), ending::pass_on);
    ASSERT_EQ(queue_.to_wake(at(0)), first);
    queue_.leave(second);
    EXPECT_FALSE(queue_.to_wake(at(0)));
}

TEST_F(a_local_queue, is_free_for_all_when_the_only_waiter_has_left)
{
    take_from_server();
    const auto only = wait_in_line();
    ASSERT_EQ(queue_.release(fine, at(0)), ending::pass_on);
    ASSERT_EQ(queue_.to_wake(at(0)), only);
    queue_.leave(only);
    EXPECT_TRUE(queue_.is_idle());
    EXPECT_FALSE(queue_.has_waiters());
    EXPECT_FALSE(queue_.to_wake(at(0)));
}

TEST_F(a_local_queue, lets_the_next_waiter_ask_when_the_lock_is_gone)
{
    take_from_server();
    const auto first = wait_in_line();
    const auto second = wait_in_line();
    queue_.gone();
    EXPECT_EQ(queue_.to_wake(at(1)), first);
    EXPECT_EQ(queue_.look(first), turn::ask);
    EXPECT_FALSE(queue_.to_wake(at(1))) << "another caller asks the server";
    EXPECT_EQ(queue_.look(second), turn::wait);
    queue_.asked();
    EXPECT_EQ(queue_.to_wake(at(2)), second) << "the first one got nothing";
    EXPECT_EQ(queue_.look(second), turn::ask);
}

TEST_F(a_local_queue, wakes_no_waiter_while_a_request_is_under_way)
{
    ASSERT_EQ(queue_.arrive(), turn::ask);
    const auto first = wait_in_line();
    EXPECT_FALSE(queue_.to_wake(at(0)));
    EXPECT_EQ(queue_.look(first), turn::wait);
    queue_.asked();
    queue_.granted(at(0));
    EXPECT_FALSE(queue_.to_wake(at(0)));
    ASSERT_EQ(queue_.release(fine, at(0)), ending::pass_on);
    EXPECT_EQ(queue_.to_wake(at(0)), first);
}

// ── Overtaking ──────────────────────────────────────────────────────────────────────────────────

TEST_F(a_local_queue, lets_a_newcomer_overtake_a_waiter_that_was_just_woken)
{
    take_from_server();
    const auto first = wait_in_line();
    ASSERT_EQ(queue_.release(fine, at(0)), ending::pass_on);
    ASSERT_EQ(queue_.to_wake(at(0)), first);
    ASSERT_EQ(queue_.arrive(), turn::take);
    ASSERT_EQ(queue_.release(fine, at(1) - 1ns), ending::pass_on);
    EXPECT_EQ(queue_.arrive(), turn::take)
        << "less than a millisecond since the first one was woken";
}

TEST_F(a_local_queue, reserves_the_lock_for_a_waiter_that_was_overtaken_for_a_millisecond)
{
    take_from_server();
    const auto first = wait_in_line();
    const auto second = wait_in_line();
    ASSERT_EQ(queue_.release(fine, at(0)), ending::pass_on);
    ASSERT_EQ(queue_.to_wake(at(0)), first);
    ASSERT_EQ(queue_.arrive(), turn::take);
    ASSERT_EQ(queue_.look(first), turn::wait);
    ASSERT_EQ(queue_.release(fine, at(1)), ending::pass_on);
    EXPECT_TRUE(queue_.is_idle());
    EXPECT_EQ(queue_.arrive(), turn::wait) << "it is reserved for the first one";
    EXPECT_EQ(queue_.look(second), turn::wait);
    EXPECT_EQ(queue_.to_wake(at(1)), first);
    EXPECT_EQ(queue_.look(first), turn::take);
    // For the second waiter the time counts from its own wake-up.
    ASSERT_EQ(queue_.release(fine, at(2)), ending::pass_on);
    EXPECT_EQ(queue_.arrive(), turn::take);
}

TEST_F(a_local_queue, counts_the_millisecond_from_the_first_wake_up)
{
    take_from_server();
    const auto first = wait_in_line();
    for (const auto time : {at(0), at(0) + 600us}) {
        ASSERT_EQ(queue_.release(fine, time), ending::pass_on);
        ASSERT_EQ(queue_.to_wake(time), first);
        ASSERT_EQ(queue_.arrive(), turn::take);
        ASSERT_EQ(queue_.look(first), turn::wait);
    }
    ASSERT_EQ(queue_.release(fine, at(1)), ending::pass_on);
    EXPECT_EQ(queue_.arrive(), turn::wait);
}

TEST_F(a_local_queue, keeps_nothing_reserved_for_a_waiter_that_has_left)
{
    take_from_server();
    const auto first = wait_in_line();
    ASSERT_EQ(queue_.release(fine, at(0)), ending::pass_on);
    ASSERT_EQ(queue_.to_wake(at(0)), first);
    ASSERT_EQ(queue_.arrive(), turn::take);
    ASSERT_EQ(queue_.release(fine, at(1)), ending::pass_on);
    queue_.leave(first);
    EXPECT_EQ(queue_.arrive(), turn::take);
}

// ── Releasing ───────────────────────────────────────────────────────────────────────────────────

TEST_F(a_local_queue, releases_a_lock_without_local_waiters)
{
    take_from_server();
    EXPECT_EQ(queue_.release(fine, at(1)), ending::give_back);
    queue_.gone();
    EXPECT_FALSE(queue_.is_idle());
    EXPECT_EQ(queue_.arrive(), turn::ask);
}

TEST_F(a_local_queue, releases_a_lease_that_is_not_sound_even_with_local_waiters)
{
    take_from_server();
    const auto first = wait_in_line();
    for (const bool lingers : {false, true}) {
        EXPECT_EQ(queue_.release({.sound = false, .has_fence = true, .lingers = lingers}, at(1)),
                  ending::give_back);
    }
    EXPECT_FALSE(queue_.is_idle());
    queue_.gone();
    EXPECT_EQ(queue_.to_wake(at(1)), first);
    EXPECT_EQ(queue_.look(first), turn::ask) << "for a new lease";
}

TEST_F(a_local_queue, lets_a_lock_linger_only_with_a_reserved_fence_to_pass_it_on)
{
    take_from_server();
    ASSERT_EQ(queue_.release({.sound = true, .has_fence = false, .lingers = true}, at(1)),
              ending::keep);
    EXPECT_FALSE(queue_.is_idle()) << "until the server has answered";
    EXPECT_EQ(queue_.arrive(), turn::wait);
    queue_.kept(at(2));
    EXPECT_TRUE(queue_.is_idle());
    EXPECT_EQ(queue_.arrive(), turn::take);
    EXPECT_EQ(queue_.release(lingering, at(3)), ending::linger);
}

TEST_F(a_local_queue, lingers_for_its_full_time_however_often_it_is_used)
{
    take_from_server();
    for (unsigned i = 0; i < 2 * local_queue::most_passes; ++i) {
        ASSERT_EQ(queue_.release(lingering, at(static_cast<int>(i))), ending::linger);
        ASSERT_EQ(queue_.arrive(), turn::take);
    }
}

TEST_F(a_local_queue, asks_the_server_after_a_thousand_passes)
{
    take_from_server();
    const auto first = wait_in_line();
    for (unsigned i = 0; i < 1000; ++i) {
        ASSERT_EQ(queue_.release(fine, at(0)), ending::pass_on) << i;
        ASSERT_EQ(queue_.arrive(), turn::take);
    }
    ASSERT_EQ(queue_.release(fine, at(0)), ending::keep);
    EXPECT_FALSE(queue_.is_idle());
    EXPECT_FALSE(queue_.to_wake(at(0))) << "the server has not answered yet";
    queue_.kept(at(1));
    EXPECT_EQ(queue_.to_wake(at(1)), first);
    EXPECT_EQ(queue_.look(first), turn::take);
    static_cast<void>(wait_in_line());
    for (unsigned i = 0; i < 1000; ++i) {
        ASSERT_EQ(queue_.release(fine, at(1)), ending::pass_on) << "the count starts again";
        ASSERT_EQ(queue_.arrive(), turn::take);
    }
    EXPECT_EQ(queue_.release(fine, at(1)), ending::keep);
}

TEST_F(a_local_queue, asks_the_server_after_ten_milliseconds)
{
    take_from_server(100);
    static_cast<void>(wait_in_line());
    ASSERT_EQ(queue_.release(fine, at(110) - 1ns), ending::pass_on);
    ASSERT_EQ(queue_.arrive(), turn::take);
    ASSERT_EQ(queue_.release(fine, at(110)), ending::keep);
    queue_.kept(at(120));
    ASSERT_EQ(queue_.arrive(), turn::take);
    ASSERT_EQ(queue_.release(fine, at(130) - 1ns), ending::pass_on) << "the time starts again";
    ASSERT_EQ(queue_.arrive(), turn::take);
    EXPECT_EQ(queue_.release(fine, at(130)), ending::keep);
}

TEST_F(a_local_queue, asks_the_server_when_there_is_no_reserved_fence_left)
{
    take_from_server();
    const auto first = wait_in_line();
    ASSERT_EQ(queue_.release({.sound = true, .has_fence = false, .lingers = false}, at(0)),
              ending::keep);
    EXPECT_EQ(queue_.look(first), turn::wait) << "not before the server has answered";
    queue_.kept(at(1));
    EXPECT_EQ(queue_.to_wake(at(1)), first);
}

TEST_F(a_local_queue, lets_the_next_waiter_ask_if_the_lock_was_handed_over_instead_of_kept)
{
    take_from_server();
    const auto first = wait_in_line();
    ASSERT_EQ(queue_.release({.sound = true, .has_fence = false, .lingers = false}, at(0)),
              ending::keep);
    queue_.gone();
    EXPECT_EQ(queue_.arrive(), turn::wait) << "the first waiter asks before it";
    EXPECT_EQ(queue_.to_wake(at(1)), first);
    EXPECT_EQ(queue_.look(first), turn::ask);
}

TEST_F(a_local_queue, counts_passes_from_zero_with_every_grant)
{
    take_from_server();
    static_cast<void>(wait_in_line());
    for (unsigned i = 0; i < 1000; ++i) {
        ASSERT_EQ(queue_.release(fine, at(0)), ending::pass_on);
        ASSERT_EQ(queue_.arrive(), turn::take);
    }
    queue_.gone();
    queue_.granted(at(50));
    EXPECT_EQ(queue_.release(fine, at(51)), ending::pass_on);
}

}  // namespace
}  // namespace pawl::core
