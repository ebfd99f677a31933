// pawl::counting_semaphore on a memory server.
#include "unit/counting_semaphore_fixture.h"

#include <chrono>
#include <concepts>
#include <cstdint>
#include <future>
#include <optional>
#include <stop_token>
#include <system_error>
#include <utility>

namespace pawl::test {
namespace {

// The compiler takes `{}` for an empty stop_token, not for zero permits.
template <class Semaphore>
concept takes_an_empty_token = requires(Semaphore seats, std::error_code ec) {
    { seats.acquire({}, ec) } -> std::same_as<hold>;
    { seats.try_acquire({}, ec) } -> std::same_as<std::optional<hold>>;
    { seats.try_acquire_for(5s, {}, ec) } -> std::same_as<std::optional<hold>>;
};
static_assert(takes_an_empty_token<counting_semaphore>);

TEST_F(counting_semaphores, takes_empty_braces_for_a_token)
{
    std::error_code told;
    const auto first = seats_.acquire({}, told);
    EXPECT_FALSE(told);
    EXPECT_TRUE(first);
    EXPECT_TRUE(seats_.try_acquire({}, told));
    EXPECT_TRUE(seats_.try_acquire_for(5s, {}, told));
    EXPECT_TRUE(seats_.try_acquire_until(std::chrono::steady_clock::now(), {}, told));
}

TEST_F(counting_semaphores, refuses_numbers_that_do_not_fit)
{
    EXPECT_EQ(code_of([&] { static_cast<void>(seats_.acquire(-1)); }), errc::bad_argument);
    const auto wraps_to_one = (std::uint64_t{1} << 32U) + 1;
    EXPECT_EQ(code_of([&] { static_cast<void>(seats_.try_acquire(wraps_to_one)); }),
              errc::bad_argument);
}

// ── Permits ─────────────────────────────────────────────────────────────────────────────────────

TEST_F(counting_semaphores, grants_permits_up_to_its_capacity)
{
    const hold two = seats_.acquire(2);
    const hold one = seats_.acquire();
    EXPECT_FALSE(wanted_.try_acquire(3));
    EXPECT_FALSE(seats_.try_acquire(3));
    const auto rest = wanted_.try_acquire(2);
    ASSERT_TRUE(rest);
    EXPECT_FALSE(wanted_.try_acquire());
    EXPECT_FALSE(seats_.try_acquire());
}

TEST_F(counting_semaphores, permits_of_a_hold_come_back_together)
{
    hold all = seats_.acquire(5);
    EXPECT_FALSE(wanted_.try_acquire());
    all.release();
    EXPECT_TRUE(wanted_.try_acquire(5));
}

TEST_F(counting_semaphores, each_grant_has_its_own_lease_and_a_growing_fence)
{
    hold first = seats_.acquire();
    hold second = seats_.acquire(2);
    const hold third = wanted_.acquire();
    EXPECT_GT(second.fence(), first.fence());
    EXPECT_GT(third.fence(), second.fence());
    EXPECT_NE(first.id(), second.id());
    second.extend(1h);
    EXPECT_GT(second.valid_for(), 59min);
    EXPECT_LT(first.valid_for(), 1min);
    EXPECT_TRUE(first.confirm());
    first.release();
    EXPECT_FALSE(first.confirm());
    EXPECT_TRUE(second.confirm());
}

TEST_F(counting_semaphores, holds_are_renewed)
{
    const hold first = seats_.acquire(2);
    const hold second = wanted_.acquire(3);
    server_.advance(1h);
    EXPECT_EQ(first.state(), hold_state::held);
    EXPECT_EQ(second.state(), hold_state::held);
    EXPECT_FALSE(wanted_.try_acquire());
}

TEST_F(counting_semaphores, a_hold_may_outlive_its_semaphore)
{
    hold held;
    {
        counting_semaphore brief{client_, "seats", 5};
        held = brief.acquire(4);
    }
    EXPECT_FALSE(wanted_.try_acquire(2));
    held.release();
    EXPECT_TRUE(nothing_is_left());
}

TEST_F(counting_semaphores, permits_of_a_number_are_one_object_that_lives_with_the_semaphore)
{
    EXPECT_EQ(&seats_.permits(1), &seats_);
    acquirable& two = seats_.permits(2);
    EXPECT_NE(&seats_.permits(3), &two);
    EXPECT_EQ(&seats_.permits(2), &two);
    EXPECT_EQ(two.name(), "seats");
    const hold held = two.acquire();
    EXPECT_FALSE(wanted_.try_acquire(4));
}

// ── Waiting ─────────────────────────────────────────────────────────────────────────────────────

TEST_F(counting_semaphores, a_large_request_is_not_overtaken)
{
    hold most = seats_.acquire(4);
    auto large = wait_for(wanted_, 5);
    EXPECT_FALSE(seats_.try_acquire()) << "a permit is free, but another caller waits";
    auto small = wait_for(seats_, 1, 2);
    most.release();
    hold five = large.get();
    EXPECT_FALSE(is_ready(small));
    five.release();
    EXPECT_GT(small.get().fence(), five.fence());
}

TEST_F(counting_semaphores, a_release_lets_in_all_waiters_that_fit)
{
    hold all = seats_.acquire(5);
    auto first = wait_for(wanted_, 2, 1);
    auto second = wait_for(seats_, 2, 2);
    auto third = wait_for(wanted_, 2, 3);
    all.release();
    hold one = first.get();
    const hold two = second.get();
    EXPECT_GT(two.fence(), one.fence());
    EXPECT_EQ(queue_.length("seats"), 1);
    one.release();
    EXPECT_GT(third.get().fence(), two.fence());
}

TEST_F(counting_semaphores, a_waiter_gives_up_at_its_limit)
{
    const hold all = seats_.acquire(5);
    auto waiting =
        std::async(std::launch::async, [&] { return wanted_.try_acquire_for(10s, 2).has_value(); });
    ASSERT_TRUE(eventually([&] { return queue_.length("seats") == 1; }));
    server_.advance(11s);
    EXPECT_FALSE(waiting.get());
    EXPECT_EQ(queue_.length("seats"), 0);
}

TEST_F(counting_semaphores, a_waiter_that_is_cancelled_no_longer_blocks_those_behind_it)
{
    hold most = seats_.acquire(4);
    std::stop_source stop;
    auto large = std::async(std::launch::async, [&] {
        std::error_code ec;
        const hold got = wanted_.acquire(5, stop.get_token(), ec);
        return std::pair{ec, static_cast<bool>(got)};
    });
    ASSERT_TRUE(eventually([&] { return queue_.length("seats") == 1; }));
    auto small = wait_for(seats_, 1, 2);
    stop.request_stop();
    EXPECT_EQ(large.get(), (std::pair{make_error_code(errc::cancelled), false}));
    hold one = small.get();
    one.release();
    most.release();
    EXPECT_TRUE(eventually([&] { return nothing_is_left(); }));
}

TEST_F(counting_semaphores, all_forms_end_in_the_way_that_their_names_say)
{
    hold all = seats_.acquire(5);
    std::stop_source stop;
    stop.request_stop();
    std::error_code ec;
    EXPECT_FALSE(wanted_.try_acquire(2, ec));
    EXPECT_EQ(ec, errc::busy);
    EXPECT_FALSE(wanted_.try_acquire(2, stop.get_token(), ec));
    EXPECT_EQ(ec, errc::cancelled);
    EXPECT_FALSE(wanted_.try_acquire_for(0s, 2, ec));
    EXPECT_EQ(ec, errc::busy);
    EXPECT_FALSE(wanted_.try_acquire_for(1h, 2, stop.get_token(), ec));
    EXPECT_EQ(ec, errc::cancelled);
    EXPECT_FALSE(wanted_.try_acquire_for(1h, 2, stop.get_token()));
    EXPECT_FALSE(wanted_.try_acquire_until(std::chrono::steady_clock::now(), 2));
    EXPECT_FALSE(wanted_.try_acquire_until(std::chrono::steady_clock::now(), 2, ec));
    EXPECT_EQ(ec, errc::busy);
    EXPECT_FALSE(
        wanted_.try_acquire_until(std::chrono::steady_clock::now() + 1h, 2, stop.get_token(), ec));
    EXPECT_EQ(ec, errc::cancelled);
    EXPECT_EQ(code_of([&] { (void)wanted_.acquire(2, stop.get_token()); }), errc::cancelled);
    all.release();
    EXPECT_TRUE(wanted_.acquire(2, ec));
    EXPECT_FALSE(ec);
    EXPECT_TRUE(wanted_.try_acquire_for(1s, 2));
    EXPECT_TRUE(wanted_.try_acquire_until(std::chrono::system_clock::now() + 1s, 2, ec));
    EXPECT_TRUE(wanted_.try_acquire_for(1s));
    EXPECT_TRUE(nothing_is_left());
}

TEST_F(counting_semaphores, a_caller_that_polls_does_not_overtake_the_queue)
{
    counting_semaphore polls{other_, "seats", 5, {.wait = poll{10ms}}};
    hold most = seats_.acquire(4);
    auto large = wait_for(wanted_, 5);
    EXPECT_FALSE(polls.try_acquire_for(0s));
    most.release();
    large.get().release();
    EXPECT_TRUE(polls.try_acquire());
}

// ── Loss ────────────────────────────────────────────────────────────────────────────────────────

TEST_F(counting_semaphores, the_permits_of_a_client_that_is_cut_off_come_back)
{
    const hold lost = seats_.acquire(4);
    const hold kept = wanted_.acquire();
    server_.cut_off(client_);
    server_.advance(31s);
    EXPECT_TRUE(lost.lost().stop_requested());
    EXPECT_EQ(lost.why(), cause::expired);
    EXPECT_EQ(kept.state(), hold_state::held);
    EXPECT_TRUE(wanted_.try_acquire(4));
}

TEST_F(counting_semaphores, a_memory_server_names_a_holder_until_its_lease_ends)
{
    const hold held = seats_.acquire(2);
    EXPECT_EQ(server_.holder("seats"), held.id());
    server_.cut_off(client_);
    server_.advance(31s);
    EXPECT_FALSE(server_.is_locked("seats"));
    EXPECT_EQ(server_.holder("seats"), std::nullopt);
}

TEST_F(counting_semaphores, all_holders_are_told_when_the_semaphore_is_lost)
{
    const hold first = seats_.acquire(2);
    const hold second = seats_.acquire();
    server_.lose("seats");
    server_.advance(11s);
    EXPECT_TRUE(first.lost().stop_requested());
    EXPECT_TRUE(second.lost().stop_requested());
    EXPECT_EQ(second.why(), cause::vanished);
    EXPECT_GT(wanted_.acquire(5).fence(), second.fence());
}

}  // namespace
}  // namespace pawl::test
