// pawl::shared_mutex on a memory server: readers and writers, their leases, and the loss of a lease that
// readers share.
#include "unit/memory_fixture.h"
#include "unit/queue_view.h"

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

class memory_shared_mutex : public with_memory {
protected:
    // Another thread wants the lock. When this returns, it is in the server's queue, as the last of
    // `all`.
    [[nodiscard]] std::future<hold> wait_for(lockable& lock, std::int64_t all = 1)
    {
        auto waiting = std::async(std::launch::async, [&lock] { return lock.acquire(); });
        EXPECT_TRUE(eventually([&] { return queue_.length(lock.name()) == all; }));
        return waiting;
    }

    template <class Result>
    [[nodiscard]] static bool is_ready(const std::future<Result>& what)
    {
        return what.wait_for(0s) == std::future_status::ready;
    }

    template <class Result>
    [[nodiscard]] Result get(std::future<Result>& what)
    {
        while (!is_ready(what)) server_.advance(1s);
        return what.get();
    }

    // Two readers that share a lease. The second one must come within 10 ms, so it may take several tries.
    [[nodiscard]] std::pair<hold, hold> two_on_one_lease()
    {
        while (true) {
            auto first = prices_.acquire_shared();
            auto second = prices_.acquire_shared();
            if (first.id() == second.id()) return {std::move(first), std::move(second)};
        }
    }

    queue_view queue_{server_.url()};
    client other_{options()};
    shared_mutex prices_{client_, "prices"};
    shared_mutex others_{other_, "prices"};
    // With this lease, a waiter looks only after hours.
    shared_mutex patient_{other_, "prices", {.lease = 24h}};
};

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

// ── Readers of one client ───────────────────────────────────────────────────────────────────────

TEST_F(memory_shared_mutex, lets_readers_of_one_client_share_a_lease)
{
    auto [first, second] = two_on_one_lease();
    EXPECT_EQ(first.fence(), second.fence());
    EXPECT_EQ(client_.holds().size(), 1U);
    server_.freeze();
    first.release();  // without the server
    server_.thaw();
    EXPECT_EQ(client_.holds().size(), 1U);
    EXPECT_FALSE(others_.try_acquire());
    second.release();
    EXPECT_TRUE(others_.try_acquire());
    EXPECT_TRUE(client_.holds().empty());
}

TEST_F(memory_shared_mutex, asks_the_server_again_after_ten_milliseconds)
{
    auto first = prices_.acquire_shared();
    server_.advance(10ms);
    auto second = prices_.acquire_shared();
    EXPECT_NE(first.id(), second.id());
    EXPECT_EQ(client_.holds().size(), 2U);
    first.release();
    EXPECT_FALSE(others_.try_acquire());
    second.release();
    EXPECT_TRUE(others_.try_acquire());
}

TEST_F(memory_shared_mutex, lets_all_readers_of_one_client_in_with_one_place)
{
    auto writer = prices_.acquire();
    auto first = wait_for(patient_.shared());
    std::vector<std::future<hold>> others;
    for (int i = 0; i < 4; ++i) {
        others.push_back(std::async(std::launch::async, [&] { return patient_.acquire_shared(); }));
    }
    EXPECT_EQ(queue_.length("prices"), 1);
    writer.release();
    const auto got = first.get();
    for (auto& each : others) EXPECT_EQ(each.get().state(), hold_state::held);
}

TEST_F(memory_shared_mutex, renews_a_shared_lease_for_all_its_readers)
{
    auto [first, second] = two_on_one_lease();
    first.release();
    server_.advance(1h);
    EXPECT_EQ(second.state(), hold_state::held);
    EXPECT_TRUE(second.confirm());
}

TEST_F(memory_shared_mutex, gives_readers_that_are_not_renewed_a_lease_each)
{
    shared_mutex brief{client_, "prices", {.lease = 10s, .renew = false}};
    auto first = brief.acquire_shared();
    auto second = brief.acquire_shared();
    EXPECT_NE(first.id(), second.id());
    server_.advance(10s);
    EXPECT_EQ(first.state(), hold_state::lost);
    EXPECT_EQ(second.state(), hold_state::lost);
}

// ── Loss ────────────────────────────────────────────────────────────────────────────────────────

TEST_F(memory_shared_mutex, tells_all_readers_of_a_lease_that_it_is_lost)
{
    auto [first, second] = two_on_one_lease();
    const auto told_first = first.lost();
    const auto told_second = second.lost();
    server_.lose("prices");
    server_.advance(10s);
    EXPECT_TRUE(told_first.stop_requested());
    EXPECT_TRUE(told_second.stop_requested());
    EXPECT_EQ(first.why(), cause::vanished);
    EXPECT_EQ(code_of([&] { first.release(); }), errc::lost);
    EXPECT_EQ(code_of([&] { second.release(); }), errc::lost);
    EXPECT_EQ(events_.count(hold_state::lost), 1U) << "they share an id";
    EXPECT_TRUE(others_.try_acquire());
}

TEST_F(memory_shared_mutex, still_tells_a_reader_of_the_loss_after_it_has_released_the_lost_lock)
{
    auto [first, second] = two_on_one_lease();
    static_cast<void>(first.lost());
    server_.lose("prices");
    EXPECT_FALSE(second.confirm());
    EXPECT_TRUE(first.lost().stop_requested());
    EXPECT_EQ(code_of([&] { first.release(); }), errc::lost);
    EXPECT_TRUE(first.lost().stop_requested()) << "as <pawl/hold.h> says";
}

TEST_F(memory_shared_mutex, does_not_tell_a_reader_that_has_left_of_the_loss)
{
    auto [first, second] = two_on_one_lease();
    const auto told_first = first.lost();
    const auto told_second = second.lost();
    first.release();
    server_.lose("prices");
    server_.advance(10s);
    EXPECT_FALSE(told_first.stop_requested());
    EXPECT_TRUE(told_second.stop_requested());
}

TEST_F(memory_shared_mutex, tells_readers_of_a_loss_at_their_deadline)
{
    const auto [first, second] = two_on_one_lease();
    const auto told = first.lost();
    bool called = false;
    const std::stop_callback on_loss{second.lost(), [&] { called = true; }};
    server_.freeze();
    server_.advance(30s);
    EXPECT_TRUE(told.stop_requested());
    EXPECT_TRUE(called);
    server_.thaw();
}

TEST_F(memory_shared_mutex, lets_a_reader_release_inside_the_callback_of_its_loss)
{
    auto [first, other] = two_on_one_lease();
    auto second = std::make_unique<hold>(std::move(other));
    std::promise<void> released;
    const std::stop_callback on_loss{second->lost(), [&] {
                                         second.reset();
                                         released.set_value();
                                     }};
    server_.lose("prices");
    server_.advance(10s);
    EXPECT_EQ(released.get_future().wait_for(10s), std::future_status::ready);
    EXPECT_TRUE(first.lost().stop_requested());
}

// What a callback of a reader's token waits for while the reader leaves.
struct slow_callback {
    void operator()()
    {
        started.set_value();
        const std::scoped_lock wait{wanted};
    }

    std::mutex wanted;
    std::promise<void> started;
};

TEST_F(memory_shared_mutex, does_not_wait_for_the_callback_of_a_reader_that_leaves)
{
    auto [first, second] = two_on_one_lease();
    slow_callback slow;
    const std::stop_callback on_loss{first.lost(), [&] { slow(); }};
    std::unique_lock mine{slow.wanted};
    server_.lose("prices");
    auto time = std::async(std::launch::async, [&] { server_.advance(10s); });
    slow.started.get_future().wait();
    auto leaves = std::async(std::launch::async, [&] { first = hold{}; });
    EXPECT_EQ(leaves.wait_for(10s), std::future_status::ready);
    mine.unlock();
    leaves.wait();
    time.wait();
}

TEST_F(memory_shared_mutex, keeps_the_event_loop_going_while_the_callback_of_a_reader_is_slow)
{
    auto [first, second] = two_on_one_lease();
    slow_callback slow;
    const std::stop_callback on_loss{first.lost(), [&] { slow(); }};
    std::unique_lock mine{slow.wanted};
    server_.lose("prices");
    auto time = std::async(std::launch::async, [&] { server_.advance(10s); });
    slow.started.get_future().wait();
    auto released = futures::release(std::move(first));
    auto acquired = futures::acquire(mutex_);
    EXPECT_EQ(released.wait_for(10s), std::future_status::ready);
    EXPECT_EQ(acquired.wait_for(10s), std::future_status::ready);
    mine.unlock();
    time.wait();
    EXPECT_EQ(code_of([&] { released.get(); }), errc::lost);
    EXPECT_EQ(acquired.get().state(), hold_state::held);
}

TEST_F(memory_shared_mutex, gives_new_readers_a_new_lease_after_a_loss)
{
    auto lost = prices_.acquire_shared();
    server_.lose_data();
    EXPECT_FALSE(lost.confirm());
    const auto fresh = prices_.acquire_shared();
    EXPECT_NE(fresh.id(), lost.id());
    EXPECT_EQ(fresh.state(), hold_state::held);
}

TEST_F(memory_shared_mutex, is_free_for_a_writer_when_the_lease_of_a_dead_reader_ends)
{
    shared_mutex brief{client_, "prices", {.lease = 10s}};
    const auto dead = brief.acquire_shared();
    auto alive = others_.acquire_shared();
    server_.cut_off(client_);
    auto writer = wait_for(patient_);
    alive.release();
    server_.advance(9s);
    EXPECT_FALSE(is_ready(writer));
    const auto got = get(writer);
    EXPECT_EQ(got.state(), hold_state::held);
    EXPECT_EQ(dead.state(), hold_state::lost);
    server_.reconnect(client_);
}

TEST_F(memory_shared_mutex, fails_for_all_readers_that_wait_if_the_server_stays_silent)
{
    auto writer = prices_.acquire();
    std::vector<std::future<std::error_code>> waiting;
    for (int i = 0; i < 4; ++i) {
        waiting.push_back(std::async(std::launch::async, [&] {
            std::error_code told;
            static_cast<void>(others_.shared().acquire(told));
            return told;
        }));
    }
    ASSERT_TRUE(eventually([&] { return queue_.length("prices") == 1; }));
    server_.freeze();
    for (auto& each : waiting) EXPECT_EQ(get(each), errc::unreachable);
    server_.thaw();
}

}  // namespace
}  // namespace pawl::test
