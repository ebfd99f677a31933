// Latches and barriers without blocking: <pawl/coro.h>, <pawl/futures.h> and <pawl/asio.h>, over
// memory.
#include "async/asio_fixture.h"
#include "async/run_queue.h"
#include "async/task.h"

#include <pawl/coro.h>
#include <pawl/futures.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace pawl::test {
namespace {

using net::use_awaitable;

class async_gate : public with_asio {
protected:
    // The name whose queue until_queued() looks at.
    latch latch_{other_, "job", 2};
    latch same_latch_{client_, "job", 2};
};

class async_barrier : public with_asio {
protected:
    barrier barrier_{other_, "job", 2};
    barrier same_barrier_{client_, "job", 2};
};

// ── Futures ─────────────────────────────────────────────────────────────────────────────────────

TEST_F(async_gate, a_future_is_ready_when_the_latch_opens)
{
    auto opened = futures::wait(latch_);
    ASSERT_TRUE(until_queued(1));
    EXPECT_EQ(opened.wait_for(0ms), std::future_status::timeout);
    futures::count_down(same_latch_, 2).get();
    opened.get();
    EXPECT_TRUE(futures::try_wait(latch_).get());
}

TEST_F(async_gate, a_future_of_a_limited_wait_says_whether_it_is_open)
{
    EXPECT_FALSE(futures::try_wait(latch_).get());
    EXPECT_FALSE(futures::wait_for(latch_, 20ms).get());
    latch_.count_down(2);
    EXPECT_TRUE(futures::wait_for(latch_, patience).get());
}

TEST_F(async_gate, a_stop_request_ends_the_wait_and_leaves_nothing_in_the_queue)
{
    std::stop_source stop;
    auto endless = futures::wait(latch_, stop.get_token());
    auto limited = futures::wait_for(latch_, 1h, stop.get_token());
    ASSERT_TRUE(until_queued(2));
    stop.request_stop();
    EXPECT_EQ(code_of([&] { endless.get(); }), errc::cancelled);
    EXPECT_FALSE(limited.get());
    EXPECT_TRUE(until_queued(0));
}

TEST_F(async_gate, errors_come_from_get)
{
    latch three{client_, "job", 3};
    latch_.count_down();
    auto counted = futures::count_down(three);
    EXPECT_EQ(code_of([&] { counted.get(); }), errc::refused);
    auto waited = futures::wait(three);
    EXPECT_EQ(code_of([&] { waited.get(); }), errc::refused);
    auto none = futures::count_down(latch_, 0);
    EXPECT_EQ(code_of([&] { none.get(); }), errc::bad_argument);
    auto empty = futures::wait(barrier::arrival{});
    EXPECT_EQ(code_of([&] { empty.get(); }), errc::bad_argument);
}

TEST_F(async_gate, the_latch_may_be_destroyed_while_calls_are_in_progress)
{
    std::optional<latch> own{std::in_place, other_, "job", 2U};
    auto opened = futures::wait(*own);
    server_.freeze();
    auto counted = futures::count_down(*own, 2);
    own.reset();
    server_.thaw();
    counted.get();
    opened.get();
}

TEST_F(async_gate, the_client_may_be_destroyed_while_calls_wait)
{
    auto own = std::make_unique<client>(options());
    latch gate{*own, "job", 2};
    auto opened = futures::wait(gate);
    ASSERT_TRUE(until_queued(1));
    own.reset();
    EXPECT_EQ(code_of([&] { opened.get(); }), errc::cancelled);
    EXPECT_TRUE(until_queued(0));
}

TEST_F(async_gate, arrivals_that_overlap_all_count)
{
    constexpr unsigned all = 50;
    latch gate{client_, "many", all};
    std::vector<std::future<void>> counted;
    for (unsigned i = 0; i < all; ++i) counted.push_back(futures::count_down(gate));
    for (auto& each : counted) each.get();
    EXPECT_TRUE(gate.try_wait());
}

TEST_F(async_barrier, futures_of_a_phase_are_ready_together)
{
    for (int phase = 0; phase < 3; ++phase) {
        auto first = futures::arrive_and_wait(barrier_);
        ASSERT_TRUE(until_queued(1));
        EXPECT_EQ(first.wait_for(0ms), std::future_status::timeout);
        auto mine = futures::arrive(same_barrier_).get();
        first.get();
        futures::wait(mine).get();
    }
    futures::arrive_and_drop(barrier_).get();
    futures::arrive_and_wait(same_barrier_).get();
    futures::arrive_and_wait(same_barrier_).get();
}

TEST_F(async_barrier, a_cancelled_wait_counts_as_an_arrival)
{
    std::stop_source stop;
    auto first = futures::arrive_and_wait(barrier_, stop.get_token());
    ASSERT_TRUE(until_queued(1));
    stop.request_stop();
    EXPECT_EQ(code_of([&] { first.get(); }), errc::cancelled);
    EXPECT_TRUE(until_queued(0));
    same_barrier_.arrive_and_wait();
}

TEST_F(async_barrier, a_refused_arrival_throws)
{
    auto many = futures::arrive(barrier_, 3);
    EXPECT_EQ(code_of([&] { (void)many.get(); }), errc::refused);
    const latch other_kind{client_, "job", 2};
    EXPECT_EQ(code_of([&] { other_kind.wait(); }), errc::not_a_lock);
}

// ── Coroutines ──────────────────────────────────────────────────────────────────────────────────

task open_and_wait(latch& mine, bool& before, bool& after)
{
    before = co_await coro::try_wait(mine);
    co_await coro::count_down(mine);
    co_await coro::wait(mine);
    after = co_await coro::wait_for(mine, 1s);
}

TEST_F(async_gate, a_coroutine_counts_down_and_waits)
{
    bool before = true;
    bool after = false;
    task running = open_and_wait(latch_, before, after);
    ASSERT_TRUE(until_queued(1));
    same_latch_.count_down();
    running.get();
    EXPECT_FALSE(before);
    EXPECT_TRUE(after);
}

TEST_F(async_gate, a_coroutine_continues_where_it_was_told)
{
    struct queue_ref {
        run_queue* which;
        void execute(std::function<void()> what) const { which->execute(std::move(what)); }
    };
    run_queue queue;
    std::thread::id where;
    const auto body = [](const waitable& what, queue_ref on, std::thread::id& seen) -> task {
        co_await coro::wait(what, {}, on);
        seen = std::this_thread::get_id();
    };
    task running = body(latch_, queue_ref{&queue}, where);
    ASSERT_TRUE(until_queued(1));
    same_latch_.count_down(2);
    EXPECT_TRUE(queue.run_one());
    running.get();
    EXPECT_EQ(where, std::this_thread::get_id());
}

task wait_until_stopped(const waitable& what, std::stop_token stop, std::error_code& ec)
{
    try {
        co_await coro::wait(what, std::move(stop));
    } catch (const error& e) {
        ec = e.code();
    }
}

TEST_F(async_gate, a_coroutine_is_cancelled_by_its_token)
{
    std::stop_source stop;
    std::error_code ec;
    task running = wait_until_stopped(latch_, stop.get_token(), ec);
    ASSERT_TRUE(until_queued(1));
    stop.request_stop();
    running.get();
    EXPECT_EQ(ec, errc::cancelled);
    EXPECT_TRUE(until_queued(0));
}

TEST_F(async_gate, a_coroutine_that_is_destroyed_leaves_the_queue)
{
    std::error_code ec;
    {
        const task running = wait_until_stopped(latch_, {}, ec);
        ASSERT_TRUE(until_queued(1));
    }
    EXPECT_TRUE(until_queued(0));
}

task two_phases(barrier& mine)
{
    co_await coro::arrive_and_wait(mine);
    auto second = co_await coro::arrive(mine);
    co_await coro::wait(second);
    co_await coro::arrive_and_drop(mine);
}

TEST_F(async_barrier, coroutines_of_two_clients_keep_in_step)
{
    task first = two_phases(barrier_);
    task second = two_phases(same_barrier_);
    first.get();
    second.get();
    std::error_code ec;
    barrier_.arrive_and_wait(ec);
    EXPECT_EQ(ec, errc::refused) << "both have dropped out";
}

// ── Asio ────────────────────────────────────────────────────────────────────────────────────────

TEST_F(async_gate, asio_coroutines_count_down_and_wait)
{
    const auto body = [this]() -> net::awaitable<bool> {
        const bool before = co_await latch_.async_try_wait(use_awaitable);
        co_await latch_.async_count_down(use_awaitable);
        co_await same_latch_.async_count_down(1, use_awaitable);
        co_await latch_.async_wait(use_awaitable);
        const bool after = co_await latch_.async_wait_for(1s, use_awaitable);
        co_return !before && after;
    };
    EXPECT_TRUE(run(body()));
}

TEST_F(async_gate, an_asio_handler_gets_false_when_the_limit_has_passed)
{
    std::optional<bool> got;
    latch_.async_wait_for(20ms, net::bind_executor(io_, [&](error_code ec, bool open) {
                              EXPECT_FALSE(ec) << ec;
                              got = open;
                          }));
    EXPECT_TRUE(run());
    EXPECT_EQ(got, false);
}

TEST_F(async_gate, an_asio_wait_is_cancelled_through_its_slot)
{
    net::cancellation_signal signal;
    error_code got;
    latch_.async_wait(net::bind_cancellation_slot(
        signal.slot(), net::bind_executor(io_, [&](error_code ec) { got = ec; })));
    ASSERT_TRUE(until_queued(1));
    signal.emit(net::cancellation_type::terminal);
    EXPECT_TRUE(run());
    EXPECT_EQ(got, net::error::operation_aborted);
    EXPECT_TRUE(until_queued(0));
}

TEST_F(async_gate, an_asio_handler_gets_errors_that_are_known_at_once)
{
    const auto body = [this]() -> net::awaitable<error_code> {
        const auto [ec] = co_await latch_.async_count_down(0, net::as_tuple(use_awaitable));
        co_return ec;
    };
    EXPECT_TRUE(run(body()) == errc::bad_argument);
}

TEST_F(async_barrier, asio_coroutines_arrive_wait_and_drop)
{
    const auto body = [](barrier& mine) -> net::awaitable<void> {
        co_await mine.async_arrive_and_wait(use_awaitable);
        const auto second = co_await mine.async_arrive(use_awaitable);
        co_await second.async_wait(use_awaitable);
        co_await mine.async_arrive_and_drop(use_awaitable);
    };
    auto first = net::co_spawn(io_, body(barrier_), net::use_future);
    auto second = net::co_spawn(io_, body(same_barrier_), net::use_future);
    EXPECT_TRUE(run());
    first.get();
    second.get();
}

TEST_F(async_barrier, an_asio_handler_gets_an_empty_arrival_with_an_error)
{
    const auto body = [this]() -> net::awaitable<void> {
        const auto [ec, none] = co_await barrier_.async_arrive(3, net::as_tuple(use_awaitable));
        EXPECT_TRUE(ec == errc::refused);
        EXPECT_FALSE(none);
    };
    run(body());
}

}  // namespace
}  // namespace pawl::test
