// Condition variables without blocking: <pawl/coro.h>, <pawl/futures.h> and <pawl/asio.h>, over memory.
#include "async/asio_fixture.h"
#include "async/task.h"

#include <pawl/coro.h>
#include <pawl/futures.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <condition_variable>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

namespace pawl::test {
namespace {

using net::use_awaitable;

class async_condition : public with_asio {
protected:
    [[nodiscard]] bool until_waiting(std::int64_t count)
    {
        return eventually([&] { return queue_.length("job", "more") == count; });
    }

    [[nodiscard]] bool until_free()
    {
        return eventually([&] { return !queue_.is_held("job"); });
    }

    condition_variable more_{wanted_, "more"};
    condition_variable same_{mutex_, "more"};
};

// ── Futures ─────────────────────────────────────────────────────────────────────────────────────

TEST_F(async_condition, a_future_has_the_hold_when_it_is_notified)
{
    auto held = wanted_.acquire();
    auto woken = futures::wait(more_, std::move(held));
    EXPECT_FALSE(held) << "it is empty at once";
    ASSERT_TRUE(until_waiting(1));
    EXPECT_EQ(woken.wait_for(0ms), std::future_status::timeout);
    futures::notify_one(same_).get();
    held = woken.get();
    EXPECT_TRUE(held.confirm());
}

TEST_F(async_condition, all_futures_have_their_turn)
{
    auto first = futures::wait(more_, wanted_.acquire());
    auto second = futures::wait(same_, mutex_.acquire());
    ASSERT_TRUE(until_waiting(2));
    futures::notify_all(more_).get();
    first.get().release();
    second.get().release();
}

TEST_F(async_condition, a_future_says_whether_its_limit_has_passed)
{
    auto [late, timeout] = futures::wait_for(more_, wanted_.acquire(), 20ms).get();
    EXPECT_EQ(timeout, std::cv_status::timeout);
    EXPECT_TRUE(late.confirm());
    auto woken = futures::wait_for(more_, std::move(late), 1h);
    ASSERT_TRUE(until_waiting(1));
    same_.notify_one();
    auto [held, status] = woken.get();
    EXPECT_EQ(status, std::cv_status::no_timeout);
    EXPECT_TRUE(held.confirm());
}

TEST_F(async_condition, a_stopped_future_has_the_hold_too)
{
    std::stop_source stop;
    auto stopped = futures::wait(more_, wanted_.acquire(), stop.get_token());
    ASSERT_TRUE(until_waiting(1));
    stop.request_stop();
    EXPECT_TRUE(stopped.get().confirm());
    EXPECT_TRUE(until_waiting(0));
}

TEST_F(async_condition, errors_come_from_get_and_the_lock_is_released)
{
    mutex other{other_, "other"};
    auto wrong = futures::wait(more_, other.acquire());
    EXPECT_EQ(code_of([&] { (void)wrong.get(); }), errc::bad_argument);
    EXPECT_TRUE(other.try_acquire());
    auto none = futures::wait(more_, hold{});
    EXPECT_EQ(code_of([&] { (void)none.get(); }), errc::not_owner);
    auto lost = wanted_.acquire();
    server_.lose("job");
    auto in_vain = futures::wait(more_, std::move(lost));
    EXPECT_EQ(code_of([&] { (void)in_vain.get(); }), errc::lost);
}

TEST_F(async_condition, a_client_that_is_destroyed_ends_its_waits)
{
    auto third = std::make_unique<client>(options());
    std::future<hold> endless;
    {
        mutex lock{*third, "job"};
        condition_variable more{lock, "more"};
        endless = futures::wait(more, lock.acquire());
        ASSERT_TRUE(until_waiting(1));
    }
    third.reset();
    EXPECT_EQ(code_of([&] { (void)endless.get(); }), errc::cancelled);
    EXPECT_TRUE(until_free());
    EXPECT_TRUE(until_waiting(0)) << "it leaves the condition as it closes";
}

// ── Coroutines ──────────────────────────────────────────────────────────────────────────────────

task take_one(mutex& lock, condition_variable& more, int& items)
{
    auto held = co_await coro::acquire(lock);
    while (items == 0) held = co_await coro::wait(more, std::move(held));
    --items;
    co_await coro::release(std::move(held));
}

TEST_F(async_condition, coroutines_take_what_another_one_puts)
{
    int items = 0;
    task first = take_one(wanted_, more_, items);
    task second = take_one(wanted_, more_, items);
    ASSERT_TRUE(until_waiting(2));
    for (int i = 0; i < 2; ++i) {
        const auto put = [](mutex& lock, condition_variable& more, int& into) -> task {
            auto held = co_await coro::acquire(lock);
            ++into;
            co_await coro::release(std::move(held));
            co_await coro::notify_one(more);
        };
        put(mutex_, same_, items).get();
    }
    first.get();
    second.get();
    EXPECT_EQ(items, 0);
    EXPECT_TRUE(until_free());
}

TEST_F(async_condition, a_coroutine_waits_to_its_limit)
{
    const auto body = [](mutex& lock, condition_variable& more, std::cv_status& got) -> task {
        auto held = co_await coro::acquire(lock);
        auto [again, status] = co_await coro::wait_for(more, std::move(held), 20ms);
        got = status;
        co_await coro::notify_all(more);
        co_await coro::release(std::move(again));
    };
    auto got = std::cv_status::no_timeout;
    body(wanted_, more_, got).get();
    EXPECT_EQ(got, std::cv_status::timeout);
}

TEST_F(async_condition, a_coroutine_that_is_destroyed_leaves_the_condition_and_the_lock)
{
    int items = 0;
    {
        const task running = take_one(wanted_, more_, items);
        ASSERT_TRUE(until_waiting(1));
    }
    EXPECT_TRUE(until_waiting(0));
    EXPECT_TRUE(until_free());
}

// ── Asio ────────────────────────────────────────────────────────────────────────────────────────

TEST_F(async_condition, asio_coroutines_wait_and_notify)
{
    int items = 0;
    const auto take = [&]() -> net::awaitable<void> {
        auto held = co_await wanted_.async_acquire(use_awaitable);
        while (items == 0) held = co_await more_.async_wait(std::move(held), use_awaitable);
        --items;
        co_await held.async_release(use_awaitable);
    };
    const auto put = [&]() -> net::awaitable<void> {
        auto held = co_await mutex_.async_acquire(use_awaitable);
        ++items;
        co_await same_.async_notify_one(use_awaitable);
        co_await same_.async_notify_all(use_awaitable);
        co_await held.async_release(use_awaitable);
    };
    auto taken = net::co_spawn(io_, take(), net::use_future);
    auto there = net::co_spawn(io_, put(), net::use_future);
    EXPECT_TRUE(run());
    taken.get();
    there.get();
    EXPECT_EQ(items, 0);
}

TEST_F(async_condition, an_asio_handler_gets_the_hold_when_its_limit_has_passed)
{
    std::optional<std::cv_status> got;
    more_.async_wait_for(
        wanted_.acquire(), 20ms,
        net::bind_executor(io_, [&](error_code ec, hold held, std::cv_status status) {
            EXPECT_FALSE(ec) << ec;
            EXPECT_TRUE(held);
            got = status;
        }));
    EXPECT_TRUE(run());
    EXPECT_EQ(got, std::cv_status::timeout);
}

TEST_F(async_condition, an_asio_wait_that_is_cancelled_has_the_lock_again)
{
    net::cancellation_signal signal;
    error_code got;
    bool has_lock = false;
    more_.async_wait(wanted_.acquire(),
                     net::bind_cancellation_slot(
                         signal.slot(), net::bind_executor(io_, [&](error_code ec, hold held) {
                             got = ec;
                             has_lock = held.confirm();
                         })));
    ASSERT_TRUE(until_waiting(1));
    signal.emit(net::cancellation_type::terminal);
    EXPECT_TRUE(run());
    EXPECT_EQ(got, net::error::operation_aborted);
    EXPECT_TRUE(has_lock);
}

TEST_F(async_condition, an_asio_handler_gets_errors_that_are_known_at_once)
{
    const auto body = [this]() -> net::awaitable<error_code> {
        const auto [ec, none] = co_await more_.async_wait(hold{}, net::as_tuple(use_awaitable));
        EXPECT_FALSE(none);
        co_return ec;
    };
    EXPECT_TRUE(run(body()) == errc::not_owner);
}

}  // namespace
}  // namespace pawl::test
