// The expressions that users write after co_await. g++ 12 destroys a closure or an aggregate twice
// if it is created inside a co_await expression and is not trivial. So pawl needs no such object
// there. The tests use strings and shared pointers, which show when they are destroyed too often.
#include "async/task.h"
#include "support/eventually.h"

#include <pawl/asio.h>
#include <pawl/coro.h>
#include <pawl/pawl.h>
#include <pawl/testing.h>

#include <boost/asio/append.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace pawl::test {
namespace {

using namespace std::chrono_literals;
namespace net = boost::asio;
using net::use_awaitable;

// This makes it safe to write options in place.
static_assert(std::is_trivially_copyable_v<lock_options>);
static_assert(std::is_trivially_destructible_v<lock_options>);

// Too long for the small string buffer, so that it has memory that could be freed twice.
const std::string long_name = "a name that is longer than what a string keeps within itself";

class call_shapes : public ::testing::Test {
protected:
    // Each copy must have been destroyed once. The client's thread may have the last copy.
    ~call_shapes() override
    {
        EXPECT_TRUE(eventually([this] { return keeps_.use_count() == 1; })) << keeps_.use_count();
    }

    template <class Coroutine>
    void run(Coroutine&& what)
    {
        auto end = net::co_spawn(io_, what(), net::use_future);
        io_.run();
        end.get();
    }

    testing::memory_server server_;
    client client_{server_.url()};
    mutex lock_{client_, long_name};
    net::io_context io_;
    std::shared_ptr<int> keeps_ = std::make_shared<int>(1);
};

// ── <pawl/coro.h> ───────────────────────────────────────────────────────────────────────────────

task temporary_mutex(client& own, int number)
{
    hold held = co_await coro::acquire(mutex{own, "x", {.lease = 5s}});
    EXPECT_TRUE(held);
    hold other = co_await coro::acquire(
        mutex{own, long_name + std::to_string(number), {.lease = 5s, .linger = 1s}});
    EXPECT_TRUE(other);
    const std::optional<hold> busy = co_await coro::try_acquire_for(
        mutex{own, "x", lock_options{.lease = 5s, .wait = poll{10ms}}}, 20ms);
    EXPECT_FALSE(busy);
    co_await coro::release(std::move(held));
}

TEST_F(call_shapes, a_mutex_made_in_place)
{
    temporary_mutex(client_, 42).get();
}

task named_callable(mutex& lock, std::shared_ptr<int> keeps, std::string text)
{
    const auto on = [keeps, text](auto go_on) {
        EXPECT_EQ(text, long_name);
        go_on();
    };
    std::stop_source stop;
    hold held = co_await coro::acquire(lock, stop.get_token(), on);
    co_await coro::extend(held, 1min, on);
    co_await coro::release(std::move(held), on);
    const auto again = co_await coro::try_acquire(lock, std::stop_source{}.get_token(), on);
    EXPECT_TRUE(again);
}

TEST_F(call_shapes, a_callable_with_captures_named_before)
{
    named_callable(lock_, keeps_, long_name).get();
}

task trivial_callable(mutex& lock, const std::string& text, int& seen)
{
    hold held = co_await coro::acquire(lock, {}, [&](coro::resumption go_on) {
        if (text == long_name) ++seen;
        go_on();
    });
    co_await coro::release(std::move(held), [&seen](std::coroutine_handle<> who) {
        ++seen;
        who.resume();
    });
    const auto again =
        co_await coro::try_acquire_for(lock, 5s, {}, [](auto go_on) { go_on.resume(); });
    EXPECT_TRUE(again);
}

TEST_F(call_shapes, a_callable_that_captures_references_in_place)
{
    int seen = 0;
    trivial_callable(lock_, long_name, seen).get();
    EXPECT_EQ(seen, 2);
}

task executor_in_place(mutex& lock, net::thread_pool& pool)
{
    hold held = co_await coro::acquire(lock, {}, pool.get_executor());
    EXPECT_TRUE(pool.get_executor().running_in_this_thread());
    co_await coro::release(std::move(held), net::any_io_executor{pool.get_executor()});
    EXPECT_TRUE(pool.get_executor().running_in_this_thread());
}

TEST_F(call_shapes, an_executor_in_place)
{
    net::thread_pool pool{1};
    client own{server_.url()};  // is destroyed before the pool
    mutex lock{own, long_name};
    executor_in_place(lock, pool).get();
}

std::string name_of(const std::shared_ptr<int>& what)
{
    return long_name + std::to_string(*what);
}

task nested(client& own, std::shared_ptr<int> keeps)
{
    // Holds as temporaries, and awaited calls as arguments of other calls.
    EXPECT_EQ((co_await coro::acquire(mutex{own, name_of(keeps)})).name(), name_of(keeps));
    EXPECT_GT((co_await coro::acquire(mutex{own, name_of(keeps)})).fence(), 0U);
    if (auto held = co_await coro::try_acquire_for(mutex{own, name_of(keeps)}, 5s)) {
        co_await coro::release(std::move(*held));
    }
    auto later = mutex{own, name_of(keeps)};
    auto what = coro::acquire(later);
    co_await coro::release(co_await std::move(what));
}

TEST_F(call_shapes, temporaries_of_all_kinds)
{
    nested(client_, keeps_).get();
}

task failing(mutex& lock, std::shared_ptr<int> keeps, std::string text)
{
    const auto on = [keeps, text](coro::resumption go_on) { go_on(); };
    std::stop_source stop;
    stop.request_stop();
    hold held = co_await coro::acquire(lock, stop.get_token(), on);
}

TEST_F(call_shapes, calls_that_throw)
{
    EXPECT_THROW(failing(lock_, keeps_, long_name).get(), error);
    EXPECT_TRUE(lock_.try_acquire());
}

// ── <pawl/asio.h> ───────────────────────────────────────────────────────────────────────────────

net::awaitable<void> tokens(client& own, mutex& lock, std::shared_ptr<int> keeps)
{
    auto held = co_await lock.async_try_acquire_for(5s, use_awaitable);
    co_await held->async_extend(
        1min, net::bind_executor(co_await net::this_coro::executor, use_awaitable));
    boost::system::error_code ec;
    co_await held->async_release(net::redirect_error(use_awaitable, ec));
    auto [told, second] =
        co_await mutex{own, long_name + name_of(keeps), {.lease = 5s}}.async_acquire(
            net::as_tuple(use_awaitable));
    EXPECT_FALSE(told) << told;
    co_await second.async_release(net::deferred);
    auto [third, kept, text] = co_await mutex{own, "x"}.async_acquire(
        net::append(use_awaitable, keeps, std::string{long_name}));
    EXPECT_EQ(kept, keeps);
    EXPECT_EQ(text, long_name);
    co_await third.async_release(use_awaitable);
    net::cancellation_signal signal;
    auto fourth =
        co_await lock.async_acquire(net::bind_cancellation_slot(signal.slot(), use_awaitable));
    co_await std::move(fourth).async_release(net::as_tuple(net::deferred));
}

TEST_F(call_shapes, asios_tokens_in_place)
{
    run([this] { return tokens(client_, lock_, keeps_); });
}

net::awaitable<void> operators(client& own, std::shared_ptr<int> keeps)
{
    using namespace net::experimental::awaitable_operators;
    net::steady_timer timer{co_await net::this_coro::executor, 1h};
    auto first = co_await (mutex{own, name_of(keeps)}.async_acquire(use_awaitable) ||
                           timer.async_wait(use_awaitable));
    EXPECT_EQ(first.index(), 0U);
    auto [left, right] =
        co_await (mutex{own, "left"}.async_acquire(use_awaitable) &&
                  mutex{own, long_name, {.lease = 5s}}.async_try_acquire_for(5s, use_awaitable));
    EXPECT_TRUE(left);
    EXPECT_TRUE(right);
}

TEST_F(call_shapes, asios_operators)
{
    run([this] { return operators(client_, keeps_); });
}

// With g++ 12, do not write a token inside a co_await that is made from a closure with captures. If
// it has a name before, it is correct.
net::awaitable<void> continuation(mutex& lock, std::shared_ptr<int> keeps)
{
    const auto then =
        net::deferred([keeps, text = long_name](boost::system::error_code ec, hold got) {
            EXPECT_EQ(text, long_name);
            return net::deferred.values(ec, std::move(got), keeps);
        });
    auto [held, kept] = co_await lock.async_acquire(then);
    EXPECT_TRUE(held);
    EXPECT_EQ(kept, keeps);
}

TEST_F(call_shapes, a_continuation_named_before)
{
    run([this] { return continuation(lock_, keeps_); });
}

}  // namespace
}  // namespace pawl::test
