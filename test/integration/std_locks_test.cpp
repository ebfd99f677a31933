// Every lock of pawl with std::lock_guard, std::scoped_lock, std::unique_lock, std::lock,
// std::try_lock and std::condition_variable_any. What the standard says about them must be true
// here too.
#include "integration/fixture.h"

#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

namespace pawl::test {
namespace {

using std::chrono::steady_clock;
using std::chrono::system_clock;

template <class Mutex>
Mutex make(client& client, const std::string& name)
{
    if constexpr (std::is_same_v<Mutex, lock_set>) {
        return lock_set{client, {name, name + " too"}, quick(10s)};
    } else {
        return Mutex{client, name, quick(10s)};
    }
}

template <class Mutex>
class std_locks : public with_server {
protected:
    // Asks from another client, so that the server decides.
    [[nodiscard]] bool is_free(Mutex& others) { return others.try_acquire().has_value(); }

    // Calls it in a separate thread, because a lock belongs to a thread.
    template <class Call>
    auto elsewhere(Call&& call)
    {
        return std::async(std::launch::async, std::forward<Call>(call)).get();
    }

    client client_{this->options()};
    client other_client_{this->options()};
    Mutex mutex_ = make<Mutex>(client_, "a");
    Mutex second_ = make<Mutex>(client_, "b");
    Mutex third_ = make<Mutex>(client_, "c");
    Mutex others_ = make<Mutex>(other_client_, "a");
    Mutex others_second_ = make<Mutex>(other_client_, "b");
    Mutex others_third_ = make<Mutex>(other_client_, "c");
};

struct lock_names {
    template <class Mutex>
    static std::string GetName(int)
    {
        if (std::is_same_v<Mutex, recursive_mutex>) return "recursive_mutex";
        if (std::is_same_v<Mutex, shared_mutex>) return "shared_mutex";
        if (std::is_same_v<Mutex, lock_set>) return "lock_set";
        return std::is_same_v<Mutex, fair_mutex> ? "fair_mutex" : "mutex";
    }
};

using all_locks = testing::Types<mutex, recursive_mutex, fair_mutex, shared_mutex, lock_set>;
TYPED_TEST_SUITE(std_locks, all_locks, lock_names);

// ── lock_guard and scoped_lock ──────────────────────────────────────────────────────────────────

TYPED_TEST(std_locks, are_unlocked_by_a_guard_that_adopted_them)
{
    this->mutex_.lock();
    {
        const std::lock_guard guard{this->mutex_, std::adopt_lock};
        EXPECT_FALSE(this->is_free(this->others_));
    }
    EXPECT_TRUE(this->is_free(this->others_));
}

TYPED_TEST(std_locks, are_held_three_at_a_time_by_a_scoped_lock)
{
    {
        const std::scoped_lock guard{this->mutex_, this->second_, this->third_};
        EXPECT_FALSE(this->is_free(this->others_));
        EXPECT_FALSE(this->is_free(this->others_second_));
        EXPECT_FALSE(this->is_free(this->others_third_));
    }
    EXPECT_TRUE(this->is_free(this->others_));
    EXPECT_TRUE(this->is_free(this->others_second_));
    EXPECT_TRUE(this->is_free(this->others_third_));
}

TYPED_TEST(std_locks, are_all_unlocked_by_a_scoped_lock_that_adopted_them)
{
    this->mutex_.lock();
    this->second_.lock();
    {
        const std::scoped_lock guard{std::adopt_lock, this->mutex_, this->second_};
    }
    EXPECT_TRUE(this->is_free(this->others_));
    EXPECT_TRUE(this->is_free(this->others_second_));
}

// ── unique_lock ─────────────────────────────────────────────────────────────────────────────────

TYPED_TEST(std_locks, are_not_locked_by_a_unique_lock_with_defer_lock)
{
    std::unique_lock lock{this->mutex_, std::defer_lock};
    EXPECT_FALSE(lock.owns_lock());
    EXPECT_EQ(lock.mutex(), &this->mutex_);
    EXPECT_TRUE(this->is_free(this->others_));
    lock.lock();
    EXPECT_TRUE(lock.owns_lock());
    EXPECT_FALSE(this->is_free(this->others_));
}

TYPED_TEST(std_locks, are_tried_once_by_a_unique_lock_with_try_to_lock)
{
    const std::unique_lock first{this->mutex_, std::try_to_lock};
    EXPECT_TRUE(first.owns_lock());
    EXPECT_FALSE(this->elsewhere(
        [this] { return std::unique_lock{this->mutex_, std::try_to_lock}.owns_lock(); }));
    const std::unique_lock second{this->others_, std::try_to_lock};
    EXPECT_FALSE(second.owns_lock());
}

TYPED_TEST(std_locks, are_unlocked_by_a_unique_lock_that_adopted_them)
{
    this->mutex_.lock();
    {
        const std::unique_lock lock{this->mutex_, std::adopt_lock};
        EXPECT_TRUE(lock.owns_lock());
    }
    EXPECT_TRUE(this->is_free(this->others_));
}

TYPED_TEST(std_locks, are_locked_by_a_unique_lock_with_a_duration_or_a_time)
{
    {
        const std::unique_lock lock{this->mutex_, 5s};
        EXPECT_TRUE(lock.owns_lock());
        const std::unique_lock in_vain{this->others_, 30ms};
        EXPECT_FALSE(in_vain.owns_lock());
    }
    const std::unique_lock lock{this->mutex_, steady_clock::now() + 5s};
    EXPECT_TRUE(lock.owns_lock());
    const std::unique_lock in_vain{this->others_, system_clock::now() + 30ms};
    EXPECT_FALSE(in_vain.owns_lock());
}

TYPED_TEST(std_locks, stay_locked_when_a_unique_lock_is_moved_or_swapped)
{
    std::unique_lock first{this->mutex_};
    std::unique_lock moved{std::move(first)};
    EXPECT_TRUE(moved.owns_lock());
    std::unique_lock<TypeParam> empty;
    swap(empty, moved);
    EXPECT_TRUE(empty.owns_lock());
    EXPECT_EQ(moved.mutex(), nullptr);
    EXPECT_FALSE(this->is_free(this->others_));

    std::unique_lock target{this->second_};
    target = std::move(empty);
    EXPECT_EQ(target.mutex(), &this->mutex_);
    EXPECT_FALSE(this->is_free(this->others_));
    EXPECT_TRUE(this->is_free(this->others_second_)) << "the lock that it held before is unlocked";
}

TYPED_TEST(std_locks, stay_locked_when_a_unique_lock_releases_them)
{
    std::unique_lock lock{this->mutex_};
    TypeParam* const left = lock.release();
    EXPECT_EQ(left, &this->mutex_);
    EXPECT_FALSE(lock.owns_lock());
    EXPECT_FALSE(this->is_free(this->others_));
    left->unlock();
    EXPECT_TRUE(this->is_free(this->others_));
}

TYPED_TEST(std_locks, can_be_locked_and_unlocked_repeatedly_through_one_unique_lock)
{
    std::unique_lock lock{this->mutex_};
    for (int i = 0; i < 5; ++i) {
        lock.unlock();
        EXPECT_TRUE(this->is_free(this->others_));
        EXPECT_TRUE(lock.try_lock());
        EXPECT_FALSE(this->is_free(this->others_));
    }
    EXPECT_THROW(lock.lock(), std::system_error) << "a unique_lock does not lock twice";
    EXPECT_TRUE(lock.owns_lock());
}

// ── Limits ──────────────────────────────────────────────────────────────────────────────────────

TYPED_TEST(std_locks, that_are_free_are_locked_even_if_the_limit_has_passed)
{
    EXPECT_TRUE(this->mutex_.try_lock_for(0s));
    this->mutex_.unlock();
    EXPECT_TRUE(this->mutex_.try_lock_for(-1h));
    this->mutex_.unlock();
    EXPECT_TRUE(this->mutex_.try_lock_until(steady_clock::now() - 1h));
    this->mutex_.unlock();
    EXPECT_TRUE(this->mutex_.try_lock_until(system_clock::time_point::min()));
    this->mutex_.unlock();
}

TYPED_TEST(std_locks, that_are_held_are_not_waited_for_when_the_limit_has_passed)
{
    const std::lock_guard guard{this->mutex_};
    const auto spent = time_of([&] {
        EXPECT_FALSE(this->others_.try_lock_for(0s));
        EXPECT_FALSE(this->others_.try_lock_for(-1h));
        EXPECT_FALSE(this->others_.try_lock_until(steady_clock::now() - 1h));
        EXPECT_FALSE(this->others_.try_lock_until(system_clock::time_point::min()));
    });
    EXPECT_LT(spent, slack);
}

TYPED_TEST(std_locks, are_waited_for_no_shorter_than_the_limit)
{
    const std::lock_guard guard{this->mutex_};
    EXPECT_GE(time_of([&] { EXPECT_FALSE(this->others_.try_lock_for(50ms)); }), 50ms);
    const auto until = steady_clock::now() + 50ms;
    EXPECT_FALSE(this->others_.try_lock_until(until));
    EXPECT_GE(steady_clock::now(), until);
}

TYPED_TEST(std_locks, with_the_longest_possible_limit_are_waited_for)
{
    const auto waits_until_it_is_free = [this](auto locked) {
        this->mutex_.lock();
        auto waits = std::async(std::launch::async, [this, locked] {
            if (!locked(this->others_)) return false;
            this->others_.unlock();
            return true;
        });
        EXPECT_EQ(waits.wait_for(30ms), std::future_status::timeout);
        this->mutex_.unlock();
        return waits.get();
    };
    EXPECT_TRUE(waits_until_it_is_free(
        [](TypeParam& lock) { return lock.try_lock_for(std::chrono::hours::max()); }));
    EXPECT_TRUE(waits_until_it_is_free(
        [](TypeParam& lock) { return lock.try_lock_until(system_clock::time_point::max()); }));
}

TYPED_TEST(std_locks, are_locked_within_the_limit_by_a_thread_that_waits)
{
    this->mutex_.lock();
    auto waits = std::async(std::launch::async, [this] {
        const bool got = this->mutex_.try_lock_until(steady_clock::now() + 30s);
        const bool owned = this->mutex_.current() != nullptr;
        this->mutex_.unlock();
        return got && owned;
    });
    EXPECT_EQ(waits.wait_for(30ms), std::future_status::timeout);
    this->mutex_.unlock();
    EXPECT_TRUE(waits.get());
    EXPECT_TRUE(this->is_free(this->others_));
}

// ── std::lock and std::try_lock ─────────────────────────────────────────────────────────────────

TYPED_TEST(std_locks, are_locked_together_by_std_lock_in_any_order)
{
    std::lock(this->mutex_, this->second_, this->third_);
    auto waits = std::async(std::launch::async, [this] {
        std::lock(this->others_third_, this->others_, this->others_second_);
        this->others_.unlock();
        this->others_second_.unlock();
        this->others_third_.unlock();
    });
    EXPECT_EQ(waits.wait_for(30ms), std::future_status::timeout);
    this->second_.unlock();
    EXPECT_EQ(waits.wait_for(30ms), std::future_status::timeout);
    this->mutex_.unlock();
    this->third_.unlock();
    waits.get();
    EXPECT_TRUE(this->is_free(this->others_));
    EXPECT_TRUE(this->is_free(this->others_second_));
    EXPECT_TRUE(this->is_free(this->others_third_));
}

TYPED_TEST(std_locks, are_all_unlocked_by_a_std_try_lock_that_fails_and_returns_the_first_busy_one)
{
    EXPECT_EQ(std::try_lock(this->mutex_, this->second_, this->third_), -1);
    this->mutex_.unlock();
    this->third_.unlock();
    EXPECT_EQ(std::try_lock(this->others_, this->others_second_, this->others_third_), 1);
    EXPECT_TRUE(this->is_free(this->mutex_)) << "the lock that it got first is unlocked again";
    EXPECT_TRUE(this->is_free(this->third_));
    this->second_.unlock();
    EXPECT_EQ(std::try_lock(this->others_, this->others_second_, this->others_third_), -1);
    this->others_.unlock();
    this->others_second_.unlock();
    this->others_third_.unlock();
}

TYPED_TEST(std_locks, are_unlocked_by_std_lock_when_one_of_them_throws)
{
    this->probe_.must({"LPUSH", "broken", "not a lock"});
    auto broken = make<TypeParam>(this->client_, "broken");
    EXPECT_THROW(std::lock(this->mutex_, broken, this->second_), error);
    EXPECT_TRUE(this->is_free(this->others_));
    EXPECT_TRUE(this->is_free(this->others_second_));
}

// ── condition_variable_any ──────────────────────────────────────────────────────────────────────

TYPED_TEST(std_locks, are_free_while_their_thread_waits_for_a_condition)
{
    std::condition_variable_any changed;
    bool ready = false;
    auto waits = std::async(std::launch::async, [&] {
        std::unique_lock lock{this->mutex_};
        changed.wait(lock, [&ready] { return ready; });
        return lock.owns_lock() && !this->is_free(this->others_);
    });
    EXPECT_EQ(waits.wait_for(30ms), std::future_status::timeout);
    {
        const std::lock_guard guard{this->mutex_};
        ready = true;
    }
    changed.notify_all();
    EXPECT_TRUE(waits.get());
    EXPECT_TRUE(this->is_free(this->others_));
}

TYPED_TEST(std_locks, are_locked_again_when_a_wait_for_a_condition_times_out)
{
    std::condition_variable_any never;
    std::unique_lock lock{this->mutex_};
    EXPECT_EQ(never.wait_for(lock, 20ms), std::cv_status::timeout);
    EXPECT_FALSE(this->is_free(this->others_));

    std::stop_source stop;
    stop.request_stop();
    EXPECT_FALSE(never.wait(lock, stop.get_token(), [] { return false; }));
    EXPECT_FALSE(this->is_free(this->others_));
}

}  // namespace
}  // namespace pawl::test
