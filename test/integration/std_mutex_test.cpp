// pawl::mutex used like a std::timed_mutex.
#include "integration/fixture.h"

#include <atomic>
#include <concepts>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

namespace pawl::test {
namespace {

template <class Mutex>
concept timed_lockable =
    requires(Mutex m, std::chrono::minutes duration, std::chrono::system_clock::time_point when) {
        { m.lock() } -> std::same_as<void>;
        { m.unlock() } -> std::same_as<void>;
        { m.try_lock() } -> std::same_as<bool>;
        { m.try_lock_for(duration) } -> std::same_as<bool>;
        { m.try_lock_until(when) } -> std::same_as<bool>;
    };

static_assert(timed_lockable<mutex> && timed_lockable<recursive_mutex> &&
              timed_lockable<fair_mutex> && timed_lockable<shared_mutex> &&
              timed_lockable<lock_set>);
static_assert(noexcept(std::declval<mutex&>().unlock()));
static_assert(!std::is_copy_constructible_v<mutex> && !std::is_move_constructible_v<mutex>);
static_assert(std::is_nothrow_move_constructible_v<hold> &&
              std::is_nothrow_move_assignable_v<hold>);
static_assert(!std::is_copy_constructible_v<hold> && !std::is_copy_assignable_v<hold>);
static_assert(!std::is_copy_constructible_v<client> && !std::is_move_constructible_v<client>);

class std_mutex : public with_server {
protected:
    client client_{options()};
    client other_client_{options()};
    mutex mutex_{client_, "stock:42", quick(10s)};
    mutex others_{other_client_, "stock:42", quick(10s)};
};

TEST_F(std_mutex, is_held_as_long_as_a_lock_guard_exists)
{
    {
        const std::lock_guard guard{mutex_};
        ASSERT_NE(mutex_.current(), nullptr);
        EXPECT_EQ(probe_.get("stock:42"), mutex_.current()->id());
        EXPECT_FALSE(others_.try_lock());
    }
    EXPECT_FALSE(probe_.exists("stock:42"));
    EXPECT_EQ(mutex_.current(), nullptr);
}

TEST_F(std_mutex, is_tried_with_a_limit_by_a_unique_lock)
{
    std::unique_lock first{mutex_};
    std::unique_lock second{others_, std::defer_lock};
    bool got = true;
    EXPECT_GE(time_of([&] { got = second.try_lock_for(60ms); }), 60ms);
    EXPECT_FALSE(got);
    EXPECT_FALSE(second.try_lock_until(std::chrono::system_clock::now() + 20ms));
    first.unlock();
    EXPECT_TRUE(second.try_lock_for(5s));
    EXPECT_FALSE(first.try_lock());
}

TEST_F(std_mutex, can_be_taken_two_at_a_time_in_any_order_without_deadlock)
{
    mutex left{client_, "left", quick(10s)};
    mutex right{client_, "right", quick(10s)};
    mutex others_left{other_client_, "left", quick(10s)};
    mutex others_right{other_client_, "right", quick(10s)};
    int shared = 0;
    const auto rounds = [&shared](mutex& first, mutex& second) {
        for (int i = 0; i < 15; ++i) {
            const std::scoped_lock both{first, second};
            const int seen = shared;
            std::this_thread::yield();
            shared = seen + 1;
        }
    };
    {
        std::jthread one{[&] { rounds(left, right); }};
        std::jthread two{[&] { rounds(others_right, others_left); }};
    }
    EXPECT_EQ(shared, 30);
    EXPECT_FALSE(probe_.exists("left"));
    EXPECT_FALSE(probe_.exists("right"));
}

TEST_F(std_mutex, reports_a_deadlock_to_a_thread_that_locks_twice)
{
    const std::lock_guard guard{mutex_};
    const outcome told = outcome_of([&] { mutex_.lock(); });
    EXPECT_EQ(told.code, errc::would_deadlock);
    EXPECT_TRUE(says(told.message, "stock:42"));
    EXPECT_FALSE(mutex_.try_lock());
    EXPECT_FALSE(mutex_.try_lock_for(20ms));
    EXPECT_EQ(probe_.get("stock:42"), mutex_.current()->id());
}

TEST_F(std_mutex, locked_by_one_thread_cannot_be_unlocked_by_another)
{
    const std::lock_guard guard{mutex_};
    std::error_code told;
    hold* seen = mutex_.current();
    std::jthread{[&] {
        mutex_.unlock(told);
        mutex_.unlock();
        seen = mutex_.current();
    }}.join();
    EXPECT_EQ(told, errc::not_owner);
    EXPECT_EQ(seen, nullptr);
    EXPECT_EQ(probe_.get("stock:42"), mutex_.current()->id());
    EXPECT_EQ(mutex_.current()->state(), hold_state::held);
}

TEST_F(std_mutex, unlocked_twice_reports_not_owner)
{
    mutex_.lock();
    std::error_code told;
    mutex_.unlock(told);
    EXPECT_FALSE(told);
    mutex_.unlock(told);
    EXPECT_EQ(told, errc::not_owner);
}

TEST_F(std_mutex, keeps_threads_of_one_process_apart)
{
    int shared = 0;
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&] {
                for (int i = 0; i < 20; ++i) {
                    const std::lock_guard guard{mutex_};
                    const int seen = shared;
                    std::this_thread::yield();
                    shared = seen + 1;
                }
            });
        }
    }
    EXPECT_EQ(shared, 80);
}

TEST_F(std_mutex, is_released_when_the_critical_section_throws)
{
    const auto work = [&] {
        const std::scoped_lock guard{mutex_};
        throw std::runtime_error{"out of stock"};
    };
    EXPECT_THROW(work(), std::runtime_error);
    EXPECT_FALSE(probe_.exists("stock:42"));
}

TEST_F(std_mutex, has_a_lease_of_thirty_seconds_by_default)
{
    mutex plain{client_, "plain"};
    recursive_mutex recursive{client_, "recursive"};
    const std::scoped_lock both{plain, recursive};
    for (const char* key : {"plain", "recursive"}) {
        EXPECT_LE(probe_.ttl(key), 30s);
        EXPECT_GT(probe_.ttl(key), 28s);
    }
    EXPECT_LE(plain.current()->valid_for(), 30s);
    EXPECT_GT(plain.current()->valid_for(), 28s);
}

class handles : public std_mutex {};

TEST_F(handles, release_when_they_are_destroyed)
{
    {
        const hold held = mutex_.acquire();
        EXPECT_TRUE(static_cast<bool>(held));
        EXPECT_EQ(held.name(), "stock:42");
        EXPECT_EQ(held.state(), hold_state::held);
        EXPECT_EQ(held.why(), cause::none);
        EXPECT_FALSE(held.lost().stop_requested());
        EXPECT_TRUE(probe_.exists("stock:42"));
    }
    EXPECT_FALSE(probe_.exists("stock:42"));
}

TEST_F(handles, have_a_new_id_for_each_grant)
{
    std::set<std::string> ids;
    for (int i = 0; i < 200; ++i) {
        const hold held = mutex_.acquire();
        EXPECT_EQ(held.id().size(), 32);
        EXPECT_EQ(held.id().front(), 'p');
        EXPECT_EQ(held.id().find_first_not_of("0123456789abcdef", 1), std::string::npos);
        EXPECT_EQ(probe_.get("stock:42"), held.id());
        ids.insert(held.id());
    }
    EXPECT_EQ(ids.size(), 200);
}

TEST_F(handles, can_be_moved_to_another_thread_and_released_there)
{
    hold held = mutex_.acquire();
    std::error_code told = errc::busy;
    std::jthread{[&told, moved = std::move(held)]() mutable { moved.release(told); }}.join();
    EXPECT_FALSE(told);
    EXPECT_FALSE(static_cast<bool>(held));
    EXPECT_FALSE(probe_.exists("stock:42"));
}

TEST_F(handles, release_their_lock_when_they_are_assigned_to)
{
    mutex second{client_, "second", quick(10s)};
    hold held = mutex_.acquire();
    held = second.acquire();
    EXPECT_FALSE(probe_.exists("stock:42"));
    EXPECT_EQ(held.name(), "second");
    EXPECT_TRUE(probe_.exists("second"));
}

TEST_F(handles, can_be_released_once)
{
    hold held = mutex_.acquire();
    held.release();
    EXPECT_EQ(held.state(), hold_state::released);
    EXPECT_FALSE(static_cast<bool>(held));
    EXPECT_EQ(held.valid_for(), 0ns);
    EXPECT_FALSE(held.lost().stop_requested());
    EXPECT_EQ(outcome_of([&] { held.release(); }).code, errc::not_owner);
}

TEST_F(handles, released_by_several_threads_at_once_are_released_once)
{
    for (int round = 0; round < 10; ++round) {
        hold held = mutex_.acquire();
        std::atomic<int> released = 0;
        std::atomic<int> refused = 0;
        {
            std::vector<std::jthread> threads;
            for (int t = 0; t < 4; ++t) {
                threads.emplace_back([&] {
                    std::error_code told;
                    held.release(told);
                    ++(told == errc::not_owner ? refused : released);
                });
            }
        }
        EXPECT_EQ(released, 1);
        EXPECT_EQ(refused, 3);
    }
}

TEST_F(handles, may_be_used_by_several_threads_at_once)
{
    mutex brief{client_, "brief", quick(2400ms)};
    hold held = brief.acquire();
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&] {
                for (int i = 0; i < 50; ++i) {
                    held.extend(2400ms);
                    held.ensure(2450ms);
                    EXPECT_TRUE(held.confirm());
                    EXPECT_GT(held.valid_for(), 0ns);
                    EXPECT_EQ(held.state(), hold_state::held);
                    EXPECT_FALSE(held.lost().stop_requested());
                }
            });
        }
    }
    held.release();
}

TEST_F(handles, that_are_default_constructed_hold_nothing)
{
    hold nothing;
    std::error_code told;
    nothing.release(told);
    EXPECT_EQ(told, errc::not_owner);
    nothing.extend(1s, told);
    EXPECT_EQ(told, errc::not_owner);
    EXPECT_EQ(nothing.state(), hold_state::released);
    EXPECT_EQ(nothing.valid_for(), 0ns);
    EXPECT_EQ(nothing.fence(), 0);
}

TEST_F(handles, may_outlive_their_mutex)
{
    std::optional<hold> held;
    {
        mutex short_lived{client_, "short-lived", quick(10s)};
        held = short_lived.try_acquire();
    }
    ASSERT_TRUE(held);
    EXPECT_EQ(held->name(), "short-lived");
    EXPECT_TRUE(held->confirm());
    held->release();
    EXPECT_FALSE(probe_.exists("short-lived"));
}

TEST_F(handles, are_not_given_out_for_a_lock_that_is_held)
{
    const hold held = mutex_.acquire();
    EXPECT_EQ(others_.try_acquire(), std::nullopt);
    EXPECT_EQ(others_.try_acquire_for(20ms), std::nullopt);

    std::error_code told;
    EXPECT_EQ(others_.try_acquire(told), std::nullopt);
    EXPECT_EQ(told, errc::busy);
    EXPECT_EQ(others_.try_acquire_for(20ms, told), std::nullopt);
    EXPECT_EQ(told, errc::timed_out);
    EXPECT_EQ(others_.try_acquire_until(std::chrono::steady_clock::now() + 20ms, told),
              std::nullopt);
    EXPECT_EQ(told, errc::timed_out);
}

TEST_F(handles, clear_the_error_code_on_success)
{
    std::error_code told = errc::busy;
    {
        const hold held = mutex_.acquire(told);
        EXPECT_FALSE(told);
    }
    told = errc::busy;
    EXPECT_TRUE(mutex_.try_acquire(told));
    EXPECT_FALSE(told);
}

TEST_F(handles, are_listed_by_the_client_while_they_exist)
{
    EXPECT_TRUE(client_.holds().empty());
    hold held = mutex_.acquire();
    const auto all = client_.holds();
    ASSERT_EQ(all.size(), 1);
    EXPECT_EQ(all[0].lock, "stock:42");
    EXPECT_EQ(all[0].id, held.id());
    EXPECT_EQ(all[0].fence, held.fence());
    EXPECT_EQ(all[0].state, hold_state::held);
    EXPECT_GT(all[0].valid_for, 5s);
    held.release();
    EXPECT_TRUE(client_.holds().empty());
}

}  // namespace
}  // namespace pawl::test
