// Asynchronous calls on a memory server: how they end, and that they share a queue with blocking
// callers.
#include "support/self_counts.h"
#include "unit/async_fixture.h"

#include <pawl/error.h>
#include <pawl/fair_mutex.h>
#include <pawl/recursive_mutex.h>

#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace pawl::test {
namespace {

// ── How they end ────────────────────────────────────────────────────────────────────────────────

TEST_F(async_calls, acquire_extend_and_release_on_the_clients_thread)
{
    auto got = acquire(lock_).get();
    ASSERT_FALSE(got.ec) << got.message;
    EXPECT_NE(got.where, std::this_thread::get_id());
    EXPECT_EQ(server_.holder("job"), got.held.id());
    EXPECT_GT(got.held.fence(), 0U);

    EXPECT_FALSE(extend(got.held, 10min).get());
    EXPECT_GT(got.held.valid_for(), 9min);

    EXPECT_FALSE(release(std::move(got.held)).get());
    EXPECT_FALSE(server_.is_locked("job"));
    EXPECT_TRUE(queue_.has_fence("job"));
}

TEST_F(async_calls, report_busy_at_once_when_they_may_not_wait)
{
    const auto held = theirs_.acquire();
    const auto got = acquire(lock_, time_limit::now()).get();
    EXPECT_EQ(got.ec, errc::busy);
    EXPECT_NE(got.message.find("job"), std::string::npos) << got.message;
    EXPECT_EQ(queue_.length("job"), 0);
}

TEST_F(async_calls, end_when_their_limit_has_passed)
{
    const auto held = theirs_.acquire();
    auto waiting = acquire(lock_, time_limit::after(5s));
    ASSERT_TRUE(eventually([&] { return queue_.length("job") == 1; }));
    server_.advance(4s);
    EXPECT_FALSE(is_ready(waiting));
    server_.advance(2s);
    EXPECT_EQ(waiting.get().ec, errc::timed_out);
    EXPECT_TRUE(eventually([&] { return queue_.length("job") == 0; }));
}

TEST_F(async_calls, get_the_lock_from_the_release_of_another_client)
{
    auto held = theirs_.acquire();
    auto waiting = acquire(lock_);
    ASSERT_TRUE(eventually([&] { return queue_.length("job") == 1; }));
    held.release();
    const auto got = waiting.get();
    EXPECT_FALSE(got.ec);
    EXPECT_GT(got.held.fence(), held.fence());
}

TEST_F(async_calls, get_the_lock_even_if_the_mutex_was_destroyed_meanwhile)
{
    auto held = theirs_.acquire();
    auto passing = std::make_unique<mutex>(client_, "job");
    auto waiting = acquire(*passing);
    passing.reset();
    held.release();
    EXPECT_FALSE(waiting.get().ec);
}

TEST_F(async_calls, report_errors_like_blocking_calls)
{
    server_.fill_memory();
    const auto got = acquire(lock_).get();
    EXPECT_EQ(got.ec, errc::refused);
    EXPECT_FALSE(got.held);
}

TEST_F(async_calls, end_when_the_server_does_not_answer)
{
    server_.freeze();
    auto waiting = acquire(lock_);
    server_.advance(10s);
    EXPECT_EQ(waiting.get().ec, errc::unreachable);
    server_.thaw();
    server_.advance(10s);
    EXPECT_TRUE(nothing_is_left("job"));
}

TEST_F(async_calls, are_refused_for_an_empty_hold)
{
    hold nothing;
    EXPECT_THROW(async::extend(nothing, 1s, nullptr), error);
    EXPECT_THROW(async::release(hold{}, nullptr), error);
}

TEST_F(async_calls, refuse_a_bad_lease_at_once)
{
    auto got = acquire(lock_).get();
    EXPECT_THROW(async::extend(got.held, 0ms, nullptr), error);
}

TEST_F(async_calls, release_a_destroyed_hold_in_the_background)
{
    {
        const auto got = acquire(lock_).get();
        ASSERT_FALSE(got.ec);
        server_.freeze();
    }  // does not wait for the server
    server_.thaw();
    EXPECT_TRUE(eventually([&] { return nothing_is_left("job"); }));
}

TEST_F(async_calls, of_a_lost_hold_report_the_loss)
{
    auto got = acquire(lock_).get();
    server_.lose("job");
    server_.advance(15s);
    EXPECT_EQ(extend(got.held, 1min).get(), errc::lost);
    EXPECT_EQ(release(std::move(got.held)).get(), errc::lost);
}

// ── One queue for all ───────────────────────────────────────────────────────────────────────────

TEST_F(async_calls, and_blocking_ones_pass_the_lock_on_to_each_other)
{
    long inside = 0;
    long count = 0;
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 200; ++i) {
                hold held = t % 2 == 0 ? lock_.acquire() : std::move(acquire(lock_).get().held);
                EXPECT_EQ(++inside, 1);
                ++count;
                --inside;
                if (i % 2 == 0) held.release();
            }
        });
    }
    threads.clear();
    EXPECT_EQ(count, 800);
    EXPECT_TRUE(eventually([&] { return nothing_is_left("job"); }));
}

TEST_F(async_calls, of_a_fair_mutex_are_served_in_order)
{
    fair_mutex fair{client_, "job"};
    fair_mutex blocking{other_, "job"};
    auto held = std::make_optional(blocking.acquire());
    std::vector<std::future<ending>> waiting;
    for (int i = 0; i < 5; ++i) {
        waiting.push_back(acquire(fair));
        ASSERT_TRUE(eventually([&] { return queue_.length("job") == i + 1; }));
    }
    held.reset();
    std::uint64_t last = 0;
    for (auto& each : waiting) {
        const auto got = each.get();  // released at the end of the scope
        ASSERT_FALSE(got.ec);
        EXPECT_GT(got.held.fence(), last);
        last = got.held.fence();
    }
}

TEST_F(async_calls, of_a_recursive_mutex_are_separate_owners)
{
    recursive_mutex lock{client_, "job"};
    const auto got = acquire(lock).get();
    ASSERT_FALSE(got.ec);
    EXPECT_EQ(acquire(lock, time_limit::now()).get().ec, errc::busy);
}

TEST_F(async_calls, wait_by_the_thousand_without_threads)
{
    lock_.acquire().release();
    theirs_.acquire().release();
    // Then both clients have started their thread for events.
    ASSERT_TRUE(events_.wait_for(hold_state::released, 2));
    auto held = theirs_.acquire();
    const auto threads = thread_count();
    std::vector<std::future<ending>> waiting;
    for (int i = 0; i < 2'000; ++i) waiting.push_back(acquire(lock_));
    mutex free{client_, "free"};
    ASSERT_FALSE(acquire(free).get().ec);  // the client has processed all calls before this one
    EXPECT_EQ(thread_count(), threads);
    held.release();
    std::uint64_t last = 0;
    for (auto& each : waiting) {
        const auto got = each.get();
        ASSERT_FALSE(got.ec) << got.message;
        ASSERT_GT(got.held.fence(), last);
        last = got.held.fence();
    }
}

}  // namespace
}  // namespace pawl::test
