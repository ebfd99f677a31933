// core::local_lock: the lease that the threads of one process share.
#include "core/local_lock.h"

#include "unit/at.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>

namespace pawl::core {
namespace {

using namespace std::chrono_literals;
using test::at;
using kind = local_lock::turn::kind;
using ending = local_lock::ending::kind;

constexpr local_lock::rules usual{.lease = 1000ms};
constexpr local_lock::rules lingering{.lease = 1000ms, .linger = 100ms};
constexpr local_lock::rules alone{.lease = 1000ms, .shares = false};

const keep_reply no_answer{failure{.what = failure_kind::no_reply, .maybe_executed = true}};

class a_local_lock : public testing::Test {
protected:
    // A lease as the server grants it at `when`: 7 is its fence.
    static lease_ptr new_lease(unsigned reserve = 0, base::boot_time when = at(0))
    {
        auto made = std::make_shared<lease>();
        made->what = std::make_shared<const object>(object{.name = "a"});
        made->holder = "me";
        made->length = 1000ms;
        made->fence = 7;
        made->reserve = reserve;
        made->deadline = when + 1000ms;
        return made;
    }

    // A caller arrives, asks the server, and is granted the lock.
    lease_ptr take_from_server(local_lock& lock, base::boot_time now = at(0))
    {
        EXPECT_EQ(lock.arrive(true, now).what, kind::ask);
        return grant(lock, now);
    }

    static lease_ptr grant(local_lock& lock, base::boot_time now = at(0))
    {
        const auto asked = lock.begin_to_ask(false, true);
        auto got = new_lease(asked.reserve, now);
        lock.granted(false, got, now);
        static_cast<void>(lock.take_effects());
        return got;
    }

    static local_lock::ticket wait_in_line(local_lock& lock, base::boot_time now = at(0))
    {
        const auto mine = lock.arrive(true, now);
        EXPECT_EQ(mine.what, kind::wait);
        return mine.number;
    }
};

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

// ── Asking the server whether it may stay ───────────────────────────────────────────────────────

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

// ── Hints ───────────────────────────────────────────────────────────────────────────────────────

class a_local_lock_with_hints : public a_local_lock {
protected:
    // The server grants the lock, with a hint if it was free.
    static void cycle(local_lock& lock, bool was_free)
    {
        static_cast<void>(lock.arrive(true, at(0)));
        static_cast<void>(lock.begin_to_ask(false, true));
        const auto lease = new_lease();
        if (was_free) lease->hint = {.value = 42};
        lock.granted(false, lease, at(0));
        static_cast<void>(lock.release(lease, at(0)));
    }

    [[nodiscard]] static bool has_hint(local_lock& lock)
    {
        return static_cast<bool>(lock.begin_to_ask(false, true).hint);
    }
};

TEST_F(a_local_lock_with_hints, uses_that_of_the_first_grant)
{
    local_lock lock{usual};
    EXPECT_FALSE(has_hint(lock));
    cycle(lock, true);
    EXPECT_TRUE(has_hint(lock));
    EXPECT_FALSE(has_hint(lock)) << "once";
}

TEST_F(a_local_lock_with_hints, wants_it_free_three_times_in_a_row_after_it_was_busy)
{
    local_lock lock{usual};
    cycle(lock, false);
    cycle(lock, true);
    cycle(lock, true);
    EXPECT_FALSE(has_hint(lock));
    cycle(lock, true);
    EXPECT_TRUE(has_hint(lock));
    lock.not_granted(false, {errc::busy, {}}, {}, at(0));
    cycle(lock, true);
    EXPECT_FALSE(has_hint(lock));
}

TEST_F(a_local_lock_with_hints, needs_one_grant_only_if_callers_share_nothing)
{
    local_lock lock{alone};
    cycle(lock, false);
    EXPECT_FALSE(has_hint(lock));
    cycle(lock, true);
    EXPECT_TRUE(has_hint(lock));
}

}  // namespace
}  // namespace pawl::core
