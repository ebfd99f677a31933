// Asynchronous calls against a real server: very many at once, together with blocking calls,
// cancelled at every stage, and with a client that is destroyed first.
#include "async/task.h"
#include "integration/contended.h"
#include "support/sanitized.h"
#include "support/self_counts.h"

#include <pawl/asio.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace pawl::test {
namespace {

namespace net = boost::asio;
using boost::system::error_code;
using net::use_awaitable;

constexpr std::size_t many = sanitized ? 1'000 : 5'000;

class asio_server : public contended {
protected:
    // The threads of this process when the first client has started all of its threads, including
    // the one for events.
    [[nodiscard]] std::size_t usual_threads()
    {
        mutex{first_, "warm"}.acquire().release();
        (void)events_.first(hold_state::released);
        return thread_count();
    }

    // Runs until there is nothing left to do.
    void run()
    {
        io_.restart();
        io_.run_for(8 * patience);
        ASSERT_TRUE(io_.stopped());
    }

    net::io_context io_;
};

// ── Very many ───────────────────────────────────────────────────────────────────────────────────

// The resource that the lock protects. A caller that finds another caller inside, or a greater
// fence, has seen an error.
struct protected_thing {
    void enter(std::uint64_t fence)
    {
        if (inside || fence <= greatest_fence) ++errors;
        inside = true;
        greatest_fence = fence;
    }

    void leave()
    {
        inside = false;
        ++visits;
    }

    bool inside = false;
    std::uint64_t greatest_fence = 0;
    std::size_t errors = 0;
    std::size_t visits = 0;
};

net::awaitable<void> visit(lockable& lock, protected_thing& thing)
{
    hold held = co_await lock.async_acquire(use_awaitable);
    thing.enter(held.fence());
    thing.leave();
    co_await held.async_release(use_awaitable);
}

TEST_F(asio_server, serves_thousands_of_waiters_for_one_lock_with_one_thread)
{
    const std::size_t threads = usual_threads();
    mutex lock{first_, "job"};
    protected_thing thing;
    for (std::size_t i = 0; i < many; ++i) net::co_spawn(io_, visit(lock, thing), net::detached);
    EXPECT_GT(io_.poll(), 0U);
    EXPECT_EQ(thread_count(), threads);
    run();
    EXPECT_EQ(thing.visits, many);
    EXPECT_EQ(thing.errors, 0U);
    EXPECT_EQ(thread_count(), threads);
    EXPECT_TRUE(until_nothing_is_left());
}

TEST_F(asio_server, serves_thousands_of_waiters_in_the_servers_queue)
{
    fair_mutex here{first_, "job"};
    fair_mutex there{second_, "job"};
    protected_thing thing;
    for (std::size_t i = 0; i < many / 2; ++i) {
        net::co_spawn(io_, visit(here, thing), net::detached);
        net::co_spawn(io_, visit(there, thing), net::detached);
    }
    run();
    EXPECT_EQ(thing.visits, many / 2 * 2);
    EXPECT_EQ(thing.errors, 0U);
    EXPECT_TRUE(until_nothing_is_left());
}

net::awaitable<void> collect(lockable& lock, std::vector<hold>& all)
{
    all.push_back(co_await lock.async_acquire(use_awaitable));
}

TEST_F(asio_server, holds_thousands_of_locks_at_once_with_one_thread)
{
    const std::size_t threads = usual_threads();
    std::deque<mutex> locks;
    std::vector<hold> holds;
    for (std::size_t i = 0; i < many; ++i) {
        locks.emplace_back(first_, "lock:" + std::to_string(i));
        net::co_spawn(io_, collect(locks.back(), holds), net::detached);
    }
    run();
    ASSERT_EQ(holds.size(), many);
    EXPECT_EQ(probe_.keys("lock:*").size(), many);
    for (hold& each : holds) {
        EXPECT_EQ(each.state(), hold_state::held);
        each.async_release(net::bind_executor(io_, [](error_code ec) { EXPECT_FALSE(ec) << ec; }));
    }
    run();
    EXPECT_EQ(thread_count(), threads);
    EXPECT_TRUE(until_nothing_is_left());
}

// ── Beside blocking callers ─────────────────────────────────────────────────────────────────────

net::awaitable<void> visit_often(lockable& lock, protected_thing& thing, int rounds)
{
    for (int i = 0; i < rounds; ++i) co_await visit(lock, thing);
}

TEST_F(asio_server, lets_coroutines_and_threads_take_turns_with_one_lock)
{
    constexpr int rounds = 100;
    mutex lock{first_, "job"};
    mutex theirs{second_, "job"};
    protected_thing thing;
    std::vector<std::jthread> threads;
    for (mutex* each : {&lock, &theirs}) {
        threads.emplace_back([&thing, each] {
            for (int i = 0; i < rounds; ++i) {
                const std::scoped_lock guard{*each};
                thing.enter(each->current()->fence());
                thing.leave();
            }
        });
        for (int i = 0; i < 4; ++i) {
            net::co_spawn(io_, visit_often(*each, thing, rounds), net::detached);
        }
    }
    run();
    threads.clear();
    EXPECT_EQ(thing.visits, std::size_t{10 * rounds});
    EXPECT_EQ(thing.errors, 0U);
}

TEST_F(asio_server, works_with_an_io_context_of_several_threads)
{
    mutex lock{first_, "job"};
    mutex theirs{second_, "job"};
    protected_thing thing;
    std::optional work{net::make_work_guard(io_)};
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back([this] { io_.run(); });
    for (int i = 0; i < 20; ++i) {
        net::co_spawn(io_, visit_often(i % 2 == 0 ? lock : theirs, thing, 10), net::detached);
    }
    work.reset();
    threads.clear();
    EXPECT_EQ(thing.visits, 200U);
    EXPECT_EQ(thing.errors, 0U);
}

// ── Cancelled ───────────────────────────────────────────────────────────────────────────────────

task acquire_stopped(lockable& lock, std::stop_token stop, std::error_code& told)
{
    try {
        const hold held = co_await coro::acquire(lock, std::move(stop));
    } catch (const error& problem) {
        told = problem.code();
    }
}

TEST_F(asio_server, sends_nothing_for_a_call_that_is_cancelled_before_it_starts)
{
    mutex lock{first_, "job"};
    std::stop_source stop;
    stop.request_stop();
    probe_.reset_stats();
    std::error_code told;
    acquire_stopped(lock, stop.get_token(), told).get();
    EXPECT_EQ(told, errc::cancelled);
    EXPECT_EQ(probe_.calls("evalsha") + probe_.calls("eval"), 0);
}

TEST_F(asio_server, leaves_the_queue_when_a_call_is_cancelled)
{
    mutex theirs{second_, "job"};
    hold held = theirs.acquire();
    mutex lock{first_, "job"};
    net::cancellation_signal signal;
    error_code told;
    lock.async_acquire(net::bind_cancellation_slot(
        signal.slot(), net::bind_executor(io_, [&](error_code ec, const hold&) { told = ec; })));
    ASSERT_TRUE(until_queued(1));
    signal.emit(net::cancellation_type::terminal);
    run();
    EXPECT_TRUE(told == net::error::operation_aborted) << told;
    EXPECT_TRUE(until_queued(0));
    held.release();
    EXPECT_TRUE(until_nothing_is_left());
}

TEST_F(asio_server, cancels_many_waiters_and_the_others_get_the_lock)
{
    constexpr std::size_t count = 200;
    mutex theirs{second_, "job"};
    hold held = theirs.acquire();
    fair_mutex lock{first_, "job"};
    std::deque<net::cancellation_signal> signals(count);
    std::size_t cancelled = 0;
    std::size_t got = 0;
    for (auto& signal : signals) {
        lock.async_acquire(net::bind_cancellation_slot(
            signal.slot(), net::bind_executor(io_, [&](error_code ec, const hold&) {
                ++(ec ? cancelled : got);
            })));
    }
    ASSERT_TRUE(until_queued(count));
    for (std::size_t i = 0; i < count; i += 2) {
        signals[i].emit(net::cancellation_type::terminal);
    }
    // A waiter that is granted the lock before its cancellation reaches the client gets the lock.
    while (cancelled < count / 2 && io_.run_one_for(patience) > 0) continue;
    held.release();
    run();
    EXPECT_EQ(cancelled, count / 2);
    EXPECT_EQ(got, count / 2);
    EXPECT_TRUE(until_nothing_is_left());
}

TEST_F(asio_server, stays_correct_when_calls_are_cancelled_at_any_moment)
{
    mutex lock{first_, "job"};
    mutex theirs{second_, "job"};
    protected_thing thing;
    std::size_t ended = 0;
    const std::size_t rounds = many / 5;
    std::deque<net::cancellation_signal> signals(rounds);
    for (std::size_t i = 0; i < rounds; ++i) {
        (i % 2 == 0 ? lock : theirs)
            .async_acquire(net::bind_cancellation_slot(
                signals[i].slot(), net::bind_executor(io_, [&](error_code ec, const hold& held) {
                    ++ended;
                    EXPECT_EQ(!ec, static_cast<bool>(held));
                    if (ec) return;
                    thing.enter(held.fence());
                    thing.leave();
                })));
        if (i % 3 == 0) io_.poll();
        if (i >= 5) signals[i - 5].emit(net::cancellation_type::total);
    }
    run();
    EXPECT_EQ(ended, rounds);
    EXPECT_EQ(thing.errors, 0U);
    EXPECT_TRUE(until_nothing_is_left());
}

TEST_F(asio_server, gives_back_locks_that_were_granted_to_destroyed_coroutines)
{
    mutex theirs{second_, "job"};
    hold held = theirs.acquire();
    mutex lock{first_, "job"};
    std::error_code told;
    {
        std::vector<task> waiting;
        for (int i = 0; i < 20; ++i) waiting.push_back(acquire_stopped(lock, {}, told));
        ASSERT_TRUE(until_queued(1));
    }
    held.release();
    EXPECT_TRUE(until_nothing_is_left());
    EXPECT_FALSE(told) << told;
}

// ── Order of destruction ────────────────────────────────────────────────────────────────────────

TEST_F(asio_server, ends_all_calls_when_their_client_is_destroyed)
{
    mutex theirs{second_, "job"};
    const hold held = theirs.acquire();
    auto brief = std::make_unique<client>(options());
    std::deque<mutex> locks;
    std::size_t cancelled = 0;
    std::size_t others = 0;
    for (std::size_t i = 0; i < many; ++i) {
        if (i < 10) locks.emplace_back(*brief, i % 2 == 0 ? "job" : "free:" + std::to_string(i));
        locks[i % 10].async_acquire(net::bind_executor(
            io_, [&](error_code ec, hold) { ++(ec == errc::cancelled ? cancelled : others); }));
    }
    brief.reset();
    run();
    EXPECT_EQ(cancelled + others, many);
    EXPECT_GE(cancelled, many / 2);  // the waiters behind the holder cannot have got the lock
}

TEST_F(asio_server, may_be_destroyed_before_a_client_with_outstanding_calls)
{
    mutex theirs{second_, "job"};
    hold held = theirs.acquire();
    mutex lock{first_, "job"};
    protected_thing thing;
    {
        net::io_context brief;
        for (int i = 0; i < 100; ++i) net::co_spawn(brief, visit(lock, thing), net::detached);
        brief.poll();
        ASSERT_TRUE(until_queued(1));
    }
    held.release();
    EXPECT_TRUE(until_nothing_is_left());
    EXPECT_EQ(thing.visits, 0U);
    lock.acquire().release();
}

}  // namespace
}  // namespace pawl::test
