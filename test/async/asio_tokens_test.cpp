// Every kind of completion token, and its result.
#include "async/asio_fixture.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <future>
#include <memory>
#include <string>
#include <variant>

namespace pawl::test {
namespace {

using net::use_awaitable;

class token : public with_asio {};

// ── Callbacks ───────────────────────────────────────────────────────────────────────────────────

TEST_F(token, a_callback_is_given_the_hold)
{
    hold got;
    mutex_.async_acquire(net::bind_executor(io_, [&](error_code ec, hold held) {
        EXPECT_FALSE(ec) << ec;
        got = std::move(held);
    }));
    EXPECT_TRUE(run());
    EXPECT_EQ(server_.holder("job"), got.id());
}

TEST_F(token, a_callback_may_be_move_only)
{
    bool called = false;
    mutex_.async_try_acquire(net::bind_executor(
        io_, [&called, unique = std::make_unique<int>(7)](error_code ec, std::optional<hold> held) {
            EXPECT_FALSE(ec) << ec;
            EXPECT_TRUE(held);
            EXPECT_EQ(*unique, 7);
            called = true;
        }));
    EXPECT_TRUE(run());
    EXPECT_TRUE(called);
}

TEST_F(token, a_callback_of_a_busy_try_gets_nothing_and_no_error)
{
    const hold held = mutex_.acquire();
    int called = 0;
    const auto expect_no = [&](error_code ec, std::optional<hold> got) {
        EXPECT_FALSE(ec) << ec;
        EXPECT_FALSE(got);
        ++called;
    };
    wanted_.async_try_acquire(net::bind_executor(io_, expect_no));
    wanted_.async_try_acquire_for(20ms, net::bind_executor(io_, expect_no));
    EXPECT_TRUE(run());
    EXPECT_EQ(called, 2);
}

// ── Coroutines ──────────────────────────────────────────────────────────────────────────────────

net::awaitable<std::uint64_t> use(mutex& lock)
{
    hold held = co_await lock.async_acquire(use_awaitable);
    co_await held.async_extend(1min, use_awaitable);
    EXPECT_GT(held.valid_for(), 50s);
    const auto fence = held.fence();
    co_await held.async_release(use_awaitable);
    EXPECT_FALSE(held);
    co_return fence;
}

TEST_F(token, use_awaitable_returns_what_a_handler_gets)
{
    EXPECT_GT(run(use(mutex_)), 0);
    EXPECT_FALSE(server_.is_locked("job"));
}

net::awaitable<void> acquire_and_drop(mutex& lock)
{
    const hold held = co_await lock.async_acquire(use_awaitable);
}

TEST_F(token, use_awaitable_throws_the_error)
{
    server_.fill_memory();
    try {
        run(acquire_and_drop(mutex_));
        FAIL() << "nothing was thrown";
    } catch (const boost::system::system_error& problem) {
        EXPECT_TRUE(problem.code() == errc::refused) << problem.code();
    }
}

TEST_F(token, a_hold_that_is_dropped_is_released)
{
    run(acquire_and_drop(mutex_));
    EXPECT_TRUE(eventually([&] { return !server_.is_locked("job"); }));
}

net::awaitable<void> use_deferred(mutex& lock)
{
    auto later = lock.async_acquire(net::deferred);
    hold held = co_await std::move(later);
    auto again = co_await lock.async_try_acquire_for(10ms, net::deferred);
    EXPECT_FALSE(again);
    co_await held.async_release(net::deferred);
}

TEST_F(token, deferred_starts_when_it_is_awaited)
{
    run(use_deferred(mutex_));
    EXPECT_FALSE(server_.is_locked("job"));
}

TEST_F(token, deferred_that_is_never_started_does_nothing)
{
    hold held = mutex_.acquire();
    {
        [[maybe_unused]] auto never = wanted_.async_acquire(net::deferred);
        [[maybe_unused]] auto given_up = held.async_release(net::deferred);
        EXPECT_FALSE(held);
    }
    EXPECT_FALSE(server_.is_locked("job"));  // a hold is released if its release is never started
}

net::awaitable<void> use_as_tuple(mutex& lock)
{
    auto [ec, held] = co_await lock.async_acquire(net::as_tuple(use_awaitable));
    EXPECT_FALSE(ec) << ec;
    const auto [no_error, second] = co_await lock.async_try_acquire(net::as_tuple(use_awaitable));
    EXPECT_FALSE(no_error) << no_error;
    EXPECT_FALSE(second);
    const auto [released] = co_await held.async_release(net::as_tuple(use_awaitable));
    EXPECT_FALSE(released) << released;
    const auto [not_ours] = co_await held.async_release(net::as_tuple(use_awaitable));
    EXPECT_TRUE(not_ours == errc::not_owner) << not_ours;
    const auto [nor_this] = co_await held.async_extend(1s, net::as_tuple(use_awaitable));
    EXPECT_TRUE(nor_this == errc::not_owner) << nor_this;
}

TEST_F(token, as_tuple_returns_the_error)
{
    run(use_as_tuple(mutex_));
}

net::awaitable<void> use_redirect_error(mutex& lock)
{
    error_code ec;
    hold held = co_await lock.async_acquire(net::redirect_error(use_awaitable, ec));
    EXPECT_FALSE(ec) << ec;
    co_await held.async_extend(0ms, net::redirect_error(use_awaitable, ec));
    EXPECT_TRUE(ec == errc::bad_argument) << ec;
}

TEST_F(token, redirect_error_sets_the_error)
{
    run(use_redirect_error(mutex_));
}

net::awaitable<void> acquire_or_tire(mutex& lock, std::chrono::milliseconds wait, bool& got)
{
    using namespace net::experimental::awaitable_operators;
    net::steady_timer timer{co_await net::this_coro::executor, wait};
    const auto first =
        co_await (lock.async_acquire(use_awaitable) || timer.async_wait(use_awaitable));
    got = first.index() == 0;
}

TEST_F(token, an_or_of_awaitables_cancels_the_slower_one)
{
    bool got = false;
    run(acquire_or_tire(mutex_, 1h, got));
    EXPECT_TRUE(got);
    EXPECT_TRUE(eventually([&] { return !server_.is_locked("job"); }));
    hold held = mutex_.acquire();
    run(acquire_or_tire(wanted_, 20ms, got));
    EXPECT_FALSE(got);
    held.release();
    EXPECT_TRUE(eventually([&] { return !server_.is_locked("job"); }));
}

// ── Futures ─────────────────────────────────────────────────────────────────────────────────────

TEST_F(token, use_future_returns_the_hold)
{
    std::future<hold> got = mutex_.async_acquire(net::use_future);
    hold held = got.get();
    EXPECT_TRUE(held);
    std::future<void> released = held.async_release(net::use_future);
    released.get();
    EXPECT_FALSE(server_.is_locked("job"));
}

TEST_F(token, use_future_throws_the_error)
{
    server_.fill_memory();
    auto got = mutex_.async_acquire(net::use_future);
    try {
        (void)got.get();
        FAIL() << "nothing was thrown";
    } catch (const boost::system::system_error& problem) {
        EXPECT_TRUE(problem.code() == errc::refused) << problem.code();
    }
}

// ── Error codes ─────────────────────────────────────────────────────────────────────────────────

TEST(asio_error, keeps_its_meaning_as_a_boost_error_code)
{
    for (const errc each : {errc::busy, errc::timed_out, errc::lost, errc::not_owner,
                            errc::unreachable, errc::refused, errc::not_a_lock, errc::bad_argument,
                            errc::would_deadlock, errc::wrong_process}) {
        const error_code ec = detail::asio_code(each);
        EXPECT_TRUE(ec);
        EXPECT_TRUE(ec == each);
        EXPECT_TRUE(each == ec);
        EXPECT_FALSE(ec != each);
        EXPECT_FALSE(each != ec);
        EXPECT_FALSE(ec == errc::cancelled);
        EXPECT_FALSE(ec == net::error::operation_aborted);
        EXPECT_EQ(std::error_code{ec}, each);
        EXPECT_EQ(std::error_code{ec}.category(), error_category());
        EXPECT_EQ(ec.message(), make_error_code(each).message());
    }
}

TEST(asio_error, of_a_cancelled_call_equals_pawls_and_asios_error)
{
    const error_code ec = detail::asio_code(errc::cancelled);
    EXPECT_TRUE(ec == net::error::operation_aborted);
    EXPECT_TRUE(ec == errc::cancelled);
    EXPECT_TRUE(errc::cancelled == ec);
    EXPECT_FALSE(ec != errc::cancelled);
    EXPECT_TRUE(ec != errc::timed_out);
    EXPECT_TRUE(ec == std::errc::operation_canceled);
}

TEST(asio_error, of_a_success_is_no_error)
{
    EXPECT_EQ(detail::asio_code({}), error_code{});
    EXPECT_FALSE(detail::asio_code({}));
}

TEST(asio_error, does_not_change_comparisons_of_std_error_codes)
{
    const std::error_code ec = errc::busy;
    EXPECT_TRUE(ec == errc::busy);
    EXPECT_TRUE(errc::busy == ec);
    EXPECT_TRUE(ec != errc::lost);
    EXPECT_EQ(ec, errc::busy);
}

}  // namespace
}  // namespace pawl::test
