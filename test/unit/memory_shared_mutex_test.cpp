// pawl::shared_mutex on a memory server: its interface, readers and writers.
#include "unit/memory_shared_mutex_fixture.h"

#include <pawl/futures.h>

#include <concepts>
#include <future>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace pawl::test {
namespace {

template <class Mutex>
concept shared_timed_mutex =
    requires(Mutex m, std::chrono::minutes duration, std::chrono::system_clock::time_point when) {
        { m.lock() } -> std::same_as<void>;
        { m.unlock() } -> std::same_as<void>;
        { m.try_lock() } -> std::same_as<bool>;
        { m.try_lock_for(duration) } -> std::same_as<bool>;
        { m.try_lock_until(when) } -> std::same_as<bool>;
        { m.lock_shared() } -> std::same_as<void>;
        { m.unlock_shared() } -> std::same_as<void>;
        { m.try_lock_shared() } -> std::same_as<bool>;
        { m.try_lock_shared_for(duration) } -> std::same_as<bool>;
        { m.try_lock_shared_until(when) } -> std::same_as<bool>;
    };
static_assert(shared_timed_mutex<std::shared_timed_mutex> && shared_timed_mutex<shared_mutex>);
static_assert(noexcept(std::declval<shared_mutex&>().unlock_shared()));

// ── The interface of std::shared_timed_mutex ────────────────────────────────────────────────────

TEST_F(memory_shared_mutex, works_with_the_locks_of_the_standard_library)
{
    {
        const std::shared_lock reading{prices_};
        const std::shared_lock also{others_};
        EXPECT_TRUE(also.owns_lock());
        const std::unique_lock writing{patient_, std::try_to_lock};
        EXPECT_FALSE(writing.owns_lock());
    }
    {
        const std::scoped_lock writing{prices_};
        const std::shared_lock reading{others_, 20ms};
        EXPECT_FALSE(reading.owns_lock());
    }
    const std::unique_lock writing{others_, std::chrono::system_clock::now() + 1s};
    EXPECT_TRUE(writing.owns_lock());
}

TEST_F(memory_shared_mutex, gives_each_thread_its_own_hold_on_each_side)
{
    prices_.lock_shared();
    ASSERT_NE(prices_.shared().current(), nullptr);
    EXPECT_EQ(prices_.current(), nullptr);
    EXPECT_EQ(prices_.shared().current()->name(), "prices");
    std::jthread{[&] { EXPECT_EQ(prices_.shared().current(), nullptr); }}.join();
    prices_.unlock_shared();
    EXPECT_EQ(prices_.shared().current(), nullptr);
    std::error_code told;
    prices_.unlock_shared(told);
    EXPECT_EQ(told, errc::not_owner);
}

TEST_F(memory_shared_mutex, reports_a_deadlock_to_a_thread_that_is_in_on_either_side)
{
    prices_.lock_shared();
    EXPECT_EQ(code_of([&] { prices_.lock(); }), errc::would_deadlock);
    EXPECT_EQ(code_of([&] { prices_.lock_shared(); }), errc::would_deadlock);
    EXPECT_FALSE(prices_.try_lock());
    EXPECT_FALSE(prices_.try_lock_shared_for(1h));
    prices_.unlock_shared();
    prices_.lock();
    EXPECT_EQ(code_of([&] { prices_.lock(); }), errc::would_deadlock);
    EXPECT_EQ(code_of([&] { prices_.lock_shared(); }), errc::would_deadlock);
    prices_.unlock();
    EXPECT_TRUE(prices_.try_lock());
    prices_.unlock();
}

TEST_F(memory_shared_mutex, says_which_side_a_thread_would_wait_for)
{
    const auto text = [](auto call) {
        try {
            call();
        } catch (const error& e) {
            return std::string{e.what()};
        }
        return std::string{};
    };
    const std::shared_lock reading{prices_};
    const auto told = text([&] { prices_.lock(); });
    EXPECT_NE(told.find("this thread is a reader"), std::string::npos) << told;
    EXPECT_EQ(told.find("recursive_mutex"), std::string::npos) << told;
}

TEST_F(memory_shared_mutex, takes_no_options_that_need_a_single_holder)
{
    EXPECT_EQ(code_of([&] { shared_mutex{client_, "a", {.linger = 1s}}; }), errc::bad_argument);
    EXPECT_EQ(code_of([&] { shared_mutex{client_, "a", {.layout = layout::hash}}; }),
              errc::bad_argument);
    EXPECT_EQ(code_of([&] { shared_mutex{client_, ""}; }), errc::bad_argument);
}

TEST_F(memory_shared_mutex, does_not_share_its_name_with_a_mutex)
{
    const auto held = prices_.acquire_shared();
    mutex plain{client_, "prices"};
    EXPECT_EQ(code_of([&] { static_cast<void>(plain.try_acquire()); }), errc::not_a_lock);
    const auto other = mutex_.acquire();
    shared_mutex job{client_, "job"};
    EXPECT_EQ(code_of([&] { static_cast<void>(job.try_acquire()); }), errc::not_a_lock);
    EXPECT_EQ(code_of([&] { static_cast<void>(job.try_acquire_shared()); }), errc::not_a_lock);
}

// ── Readers and writers ─────────────────────────────────────────────────────────────────────────

TEST_F(memory_shared_mutex, lets_readers_of_several_clients_in_together)
{
    const auto first = prices_.acquire_shared();
    const auto second = others_.try_acquire_shared();
    ASSERT_TRUE(second);
    EXPECT_FALSE(others_.try_acquire());
    EXPECT_FALSE(prices_.try_acquire());
}

TEST_F(memory_shared_mutex, lets_a_writer_in_alone)
{
    const auto held = prices_.acquire();
    EXPECT_FALSE(prices_.try_acquire_shared()) << "not even a reader of the same client";
    EXPECT_FALSE(others_.try_acquire_shared());
    EXPECT_FALSE(others_.try_acquire());
}

TEST_F(memory_shared_mutex, lets_a_writer_in_when_the_last_reader_leaves)
{
    auto first = prices_.acquire_shared();
    auto second = others_.acquire_shared();
    auto waiting = wait_for(patient_);
    first.release();
    EXPECT_FALSE(is_ready(waiting));
    second.release();
    EXPECT_EQ(waiting.get().state(), hold_state::held);
}

TEST_F(memory_shared_mutex, lets_readers_that_wait_in_together)
{
    auto writer = prices_.acquire();
    client third{options()};
    shared_mutex thirds{third, "prices", {.lease = 24h}};
    auto one = wait_for(patient_.shared(), 1);
    auto two = wait_for(thirds.shared(), 2);
    writer.release();
    const auto first = one.get();
    const auto second = two.get();
    EXPECT_EQ(first.fence(), writer.fence()) << "the fence of the last writer";
    EXPECT_EQ(second.fence(), writer.fence());
}

TEST_F(memory_shared_mutex, does_not_let_readers_overtake_a_writer_that_waits)
{
    auto reader = prices_.acquire_shared();
    auto writer = wait_for(patient_);
    server_.advance(10ms);
    EXPECT_FALSE(others_.try_acquire_shared());
    EXPECT_FALSE(prices_.try_acquire_shared()) << "nor a reader of the same client";
    auto late = wait_for(prices_.shared(), 2);
    reader.release();
    auto written = writer.get();
    EXPECT_FALSE(is_ready(late));
    EXPECT_GT(written.fence(), reader.fence());
    written.release();
    EXPECT_EQ(late.get().fence(), written.fence());
}

TEST_F(memory_shared_mutex, lets_readers_overtake_if_they_come_first)
{
    shared_mutex eager{other_, "prices", {}, reader_policy::readers_first};
    auto reader = prices_.acquire_shared();
    auto writer = wait_for(patient_);
    server_.advance(10ms);
    auto overtaking = eager.try_acquire_shared();
    ASSERT_TRUE(overtaking);
    reader.release();
    EXPECT_FALSE(is_ready(writer));
    overtaking->release();
    EXPECT_GT(writer.get().fence(), reader.fence());
}

TEST_F(memory_shared_mutex, lets_readers_that_come_first_wait_for_a_writer_that_is_in)
{
    shared_mutex eager{other_, "prices", {.lease = 24h}, reader_policy::readers_first};
    auto writer = prices_.acquire();
    EXPECT_FALSE(eager.try_acquire_shared());
    auto reader = wait_for(eager.shared());
    writer.release();
    EXPECT_EQ(reader.get().state(), hold_state::held);
}

TEST_F(memory_shared_mutex, gives_each_writer_a_greater_fence)
{
    std::uint64_t last = 0;
    for (int i = 0; i < 3; ++i) {
        auto written = (i % 2 == 0 ? prices_ : others_).acquire();
        EXPECT_GT(written.fence(), last);
        last = written.fence();
        written.release();
        EXPECT_EQ(prices_.acquire_shared().fence(), last);
    }
}

TEST_F(memory_shared_mutex, that_was_cancelled_leaves_no_place)
{
    auto writer = prices_.acquire();
    for (auto* const side : {static_cast<lockable*>(&patient_), &patient_.shared()}) {
        std::stop_source stop;
        std::error_code told;
        auto waiting = std::async(std::launch::async,
                                  [&] { return side->acquire(stop.get_token(), told).state(); });
        ASSERT_TRUE(eventually([&] { return queue_.length("prices") == 1; }));
        stop.request_stop();
        static_cast<void>(waiting.get());
        EXPECT_EQ(told, errc::cancelled);
        EXPECT_TRUE(eventually([&] { return queue_.length("prices") == 0; }));
    }
    writer.release();
    EXPECT_TRUE(prices_.try_acquire());
}

TEST_F(memory_shared_mutex, lets_readers_in_when_the_writer_before_them_gives_up)
{
    auto reader = prices_.acquire_shared();
    std::stop_source stop;
    std::error_code told;
    auto writer = std::async(std::launch::async,
                             [&] { return patient_.acquire(stop.get_token(), told).state(); });
    ASSERT_TRUE(eventually([&] { return queue_.length("prices") == 1; }));
    server_.advance(10ms);
    auto late = wait_for(patient_.shared(), 2);
    stop.request_stop();
    static_cast<void>(writer.get());
    EXPECT_EQ(late.get().state(), hold_state::held) << "while the first reader is still in";
}

}  // namespace
}  // namespace pawl::test
