// Conditions over a memory server: waiting, notifying, limits and stop requests.
#include "unit/memory_condition_fixture.h"

#include <atomic>
#include <concepts>
#include <condition_variable>
#include <future>
#include <mutex>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace pawl::test {
namespace {

// ── The shapes of std ───────────────────────────────────────────────────────────────────────────

using predicate = bool (*)();
using moment = std::chrono::steady_clock::time_point;

template <class Condition, class Lock>
concept has_the_calls_of_std =
    requires(Condition& one, Lock& lock, predicate done, moment when, std::stop_token stop) {
        { one.notify_one() } -> std::same_as<void>;
        { one.notify_all() } -> std::same_as<void>;
        { one.wait(lock) } -> std::same_as<void>;
        { one.wait(lock, done) } -> std::same_as<void>;
        { one.wait_for(lock, 1s) } -> std::same_as<std::cv_status>;
        { one.wait_for(lock, 1s, done) } -> std::same_as<bool>;
        { one.wait_until(lock, when) } -> std::same_as<std::cv_status>;
        { one.wait_until(lock, when, done) } -> std::same_as<bool>;
        { one.wait(lock, stop, done) } -> std::same_as<bool>;
        { one.wait_for(lock, stop, 1s, done) } -> std::same_as<bool>;
        { one.wait_until(lock, stop, when, done) } -> std::same_as<bool>;
    };
static_assert(has_the_calls_of_std<std::condition_variable_any, std::unique_lock<std::mutex>>);
static_assert(has_the_calls_of_std<condition_variable, std::unique_lock<mutex>>);
static_assert(has_the_calls_of_std<condition_variable, std::unique_lock<fair_mutex>>);
static_assert(has_the_calls_of_std<condition_variable, hold>);
static_assert(!std::is_copy_constructible_v<condition_variable> &&
              !std::is_move_constructible_v<condition_variable>);

// ────────────────────────────────────────────────────────────────────────────────────────────────

TEST_F(memory_condition, a_waiter_has_the_lock_again_when_it_is_notified)
{
    auto waiter = waiting([&] {
        std::unique_lock lock{mutex_};
        const auto before = mutex_.current()->fence();
        more_.wait(lock);
        EXPECT_TRUE(lock.owns_lock());
        EXPECT_GT(mutex_.current()->fence(), before) << "a new grant";
        EXPECT_TRUE(queue_.is_held("job"));
    });
    EXPECT_FALSE(queue_.is_held("job")) << "a waiter does not hold the lock";
    their_more_.notify_one();
    waiter.get();
    EXPECT_TRUE(nothing_is_left());
}

TEST_F(memory_condition, a_waiter_can_wait_with_a_hold)
{
    auto waiter = waiting_hold(mutex_, more_);
    their_more_.notify_one();
    auto held = waiter.get();
    EXPECT_EQ(held.state(), hold_state::held);
    EXPECT_TRUE(held.confirm());
    held.release();
    EXPECT_TRUE(nothing_is_left());
}

TEST_F(memory_condition, a_notified_waiter_waits_until_the_holder_releases)
{
    auto waiter = waiting_hold(mutex_, more_);
    auto theirs = their_mutex_.acquire();
    their_more_.notify_one();
    EXPECT_EQ(queue_.length("job", "more"), 0);
    EXPECT_EQ(queue_.length("job"), 1) << "it has moved to the queue of the lock";
    EXPECT_FALSE(is_ready(waiter));
    theirs.release();
    EXPECT_TRUE(waiter.get());
}

TEST_F(memory_condition, one_notification_wakes_the_one_that_has_waited_longest)
{
    auto first = waiting_hold(mutex_, more_, 1);
    auto second = waiting_hold(their_mutex_, their_more_, 2);
    more_.notify_one();
    auto held = first.get();
    EXPECT_EQ(queue_.length("job", "more"), 1);
    EXPECT_FALSE(is_ready(second));
    more_.notify_one();
    held.release();
    EXPECT_TRUE(second.get());
}

TEST_F(memory_condition, all_are_woken_and_have_the_lock_one_after_the_other)
{
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    std::vector<std::future<void>> all;
    for (int i = 1; i <= 8; ++i) {
        auto& lock = i % 2 == 0 ? mutex_ : their_mutex_;
        auto& what = i % 2 == 0 ? more_ : their_more_;
        all.push_back(waiting(
            [&] {
                std::unique_lock held{lock};
                what.wait(held);
                if (++inside > most) most = inside.load();
                --inside;
            },
            i));
    }
    more_.notify_all();
    for (auto& each : all) each.get();
    EXPECT_EQ(most, 1);
    EXPECT_TRUE(nothing_is_left());
}

TEST_F(memory_condition, a_notification_needs_no_lock_and_is_not_kept)
{
    more_.notify_one();
    more_.notify_all();
    auto waiter = waiting_hold(mutex_, more_);
    EXPECT_FALSE(is_ready(waiter));
    more_.notify_one();
    EXPECT_TRUE(waiter.get());
}

TEST_F(memory_condition, no_notification_is_lost_between_the_release_and_the_wait)
{
    // The notifier changes the state under the lock, so it can only do that when the waiter has given the
    // lock back. From then on the waiter must be found.
    for (int round = 0; round < 100; ++round) {
        bool ready = false;
        std::promise<void> has_it;
        auto waiter = std::async(std::launch::async, [&] {
            std::unique_lock lock{mutex_};
            has_it.set_value();
            more_.wait(lock, [&] { return ready; });
        });
        has_it.get_future().wait();
        {
            const std::scoped_lock guard{their_mutex_};
            ready = true;
        }
        their_more_.notify_one();
        waiter.get();
    }
}

TEST_F(memory_condition, threads_of_one_client_wait_and_notify_each_other)
{
    int turn = 0;
    const auto play = [&](int mine) {
        for (int i = 0; i < 50; ++i) {
            std::unique_lock lock{mutex_};
            more_.wait(lock, [&] { return turn % 2 == mine; });
            ++turn;
            more_.notify_all();
        }
    };
    std::jthread other{play, 1};
    play(0);
    other.join();
    EXPECT_EQ(turn, 100);
    EXPECT_TRUE(nothing_is_left());
}

TEST_F(memory_condition, works_with_a_fair_mutex)
{
    fair_mutex fair{client_, "job"};
    condition_variable more{fair, "more"};
    auto waiter = waiting([&] {
        std::unique_lock lock{fair};
        more.wait(lock);
        return lock.owns_lock();
    });
    more.notify_one();
    EXPECT_TRUE(waiter.get());
}

TEST_F(memory_condition, works_with_a_lock_that_lingers)
{
    mutex lingers{client_, "job", {.linger = 10s}};
    condition_variable more{lingers, "more"};
    mutex also{other_, "job", {.linger = 10s}};
    auto waiter = waiting([&] {
        std::unique_lock lock{lingers};
        more.wait(lock);
        return lock.owns_lock();
    });
    {
        const std::scoped_lock guard{also};
    }
    more.notify_one();
    EXPECT_TRUE(waiter.get()) << "the client that lets it linger is told that it is wanted";
}

TEST_F(memory_condition, works_with_a_lock_that_is_polled_for)
{
    mutex polls{client_, "job", {.wait = poll{5ms}}};
    condition_variable more{polls, "more"};
    auto waiter = waiting([&] {
        std::unique_lock lock{polls};
        more.wait(lock);
        return lock.owns_lock();
    });
    more.notify_one();
    while (!is_ready(waiter)) server_.advance(5ms);
    EXPECT_TRUE(waiter.get());
}

TEST_F(memory_condition, works_with_the_hash_layout)
{
    mutex hash{client_, "job", {.layout = layout::hash}};
    condition_variable more{hash, "more"};
    auto waiter = waiting([&] {
        std::unique_lock lock{hash};
        more.wait(lock);
        return lock.owns_lock();
    });
    more.notify_one();
    EXPECT_TRUE(waiter.get());
}

// ── Limits ──────────────────────────────────────────────────────────────────────────────────────

TEST_F(memory_condition, a_wait_with_a_limit_has_the_lock_again_in_any_case)
{
    std::unique_lock lock{mutex_};
    EXPECT_EQ(more_.wait_for(lock, 0s), std::cv_status::timeout);
    EXPECT_TRUE(lock.owns_lock());
    EXPECT_TRUE(mutex_.current()->confirm());
    EXPECT_EQ(more_.wait_until(lock, std::chrono::steady_clock::now()), std::cv_status::timeout);
    EXPECT_FALSE(more_.wait_for(lock, 0s, [] { return false; }));
    EXPECT_TRUE(more_.wait_for(lock, 1h, [] { return true; }));
    EXPECT_TRUE(lock.owns_lock());
    EXPECT_EQ(queue_.length("job", "more"), 0);
}

TEST_F(memory_condition, a_wait_ends_at_its_limit)
{
    auto waiter = waiting([&] {
        std::unique_lock lock{mutex_};
        const auto got = more_.wait_for(lock, 1h);
        EXPECT_TRUE(lock.owns_lock());
        return got;
    });
    EXPECT_EQ(get(waiter), std::cv_status::timeout);
    EXPECT_TRUE(nothing_is_left());
}

TEST_F(memory_condition, a_waiter_whose_limit_has_passed_waits_for_the_lock_without_a_limit)
{
    auto waiter = waiting([&] {
        std::unique_lock lock{mutex_};
        return more_.wait_for(lock, 1s);
    });
    auto theirs = their_mutex_.acquire();
    server_.advance(2s);
    EXPECT_TRUE(eventually([&] { return queue_.length("job") == 1; }));
    server_.advance(10min);
    EXPECT_FALSE(is_ready(waiter));
    theirs.release();
    EXPECT_EQ(waiter.get(), std::cv_status::timeout);
}

TEST_F(memory_condition, a_waiter_that_was_notified_before_its_limit_is_told_so)
{
    auto waiter = waiting([&] {
        std::unique_lock lock{mutex_};
        return more_.wait_for(lock, 1s);
    });
    auto theirs = their_mutex_.acquire();
    their_more_.notify_one();
    server_.advance(2s);
    theirs.release();
    EXPECT_EQ(get(waiter), std::cv_status::no_timeout);
}

// ── Stop requests ───────────────────────────────────────────────────────────────────────────────

TEST_F(memory_condition, a_stop_request_ends_the_wait_with_the_lock)
{
    std::stop_source stop;
    auto waiter = waiting([&] {
        std::unique_lock lock{mutex_};
        const bool done = more_.wait(lock, stop.get_token(), [] { return false; });
        EXPECT_TRUE(lock.owns_lock());
        return done;
    });
    stop.request_stop();
    EXPECT_FALSE(waiter.get());
    EXPECT_TRUE(nothing_is_left());
}

TEST_F(memory_condition, a_stopped_waiter_waits_for_the_lock)
{
    std::stop_source stop;
    auto waiter = waiting([&] {
        auto held = mutex_.acquire();
        EXPECT_FALSE(more_.wait_for(held, stop.get_token(), 1h, [] { return false; }));
        return held;
    });
    auto theirs = their_mutex_.acquire();
    stop.request_stop();
    EXPECT_TRUE(eventually([&] { return queue_.length("job") == 1; }));
    EXPECT_FALSE(is_ready(waiter));
    theirs.release();
    EXPECT_TRUE(waiter.get().confirm());
}

TEST_F(memory_condition, a_stop_request_before_the_wait_keeps_the_lock)
{
    std::stop_source stop;
    stop.request_stop();
    std::unique_lock lock{mutex_};
    const auto fence = mutex_.current()->fence();
    const auto later = std::chrono::steady_clock::now() + 1h;
    EXPECT_FALSE(more_.wait_until(lock, stop.get_token(), later, [] { return false; }));
    EXPECT_TRUE(more_.wait(lock, stop.get_token(), [] { return true; }));
    EXPECT_EQ(mutex_.current()->fence(), fence);
}

}  // namespace
}  // namespace pawl::test
