// Permits of a semaphore without blocking: every form takes what permits(n) returns.
#include "async/asio_fixture.h"
#include "async/task.h"
#include "support/async_calls.h"

#include <pawl/asio.h>
#include <pawl/async.h>
#include <pawl/coro.h>
#include <pawl/counting_semaphore.h>
#include <pawl/futures.h>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <future>
#include <optional>
#include <stop_token>
#include <utility>

namespace pawl::test {
namespace {

class permits_without_blocking : public with_asio {
protected:
    [[nodiscard]] bool until_queued(std::int64_t count)
    {
        return eventually([&] { return queue_.length("seats") == count; });
    }

    [[nodiscard]] bool nothing_is_left()
    {
        return !server_.is_locked("seats") && queue_.length("seats") == 0;
    }

    counting_semaphore seats_{client_, "seats", 3};
    counting_semaphore others_{other_, "seats", 3};
};

task acquire_into(acquirable& lock, hold& got)
{
    got = co_await coro::acquire(lock);
}

TEST_F(permits_without_blocking, are_awaited_with_coro)
{
    hold two = seats_.acquire(2);
    hold got;
    task waiting = acquire_into(others_.permits(2), got);
    ASSERT_TRUE(until_queued(1));
    two.release();
    waiting.get();
    EXPECT_GT(got.fence(), two.fence());
    EXPECT_FALSE(seats_.try_acquire(2));
    EXPECT_TRUE(seats_.try_acquire());
}

TEST_F(permits_without_blocking, are_returned_by_futures)
{
    std::future<hold> first = futures::acquire(seats_.permits(2));
    std::future<hold> second = futures::acquire(seats_);
    EXPECT_TRUE(first.get());
    EXPECT_TRUE(second.get());
    hold all = seats_.acquire(3);
    EXPECT_FALSE(futures::try_acquire(others_.permits(2)).get());
    auto waiting = futures::try_acquire_for(others_.permits(2), patience);
    ASSERT_TRUE(until_queued(1));
    futures::release(std::move(all)).get();
    EXPECT_TRUE(waiting.get());
}

TEST_F(permits_without_blocking, are_given_to_handlers_of_asio)
{
    hold got;
    seats_.permits(3).async_acquire(net::bind_executor(io_, [&](error_code ec, hold held) {
        EXPECT_FALSE(ec) << ec;
        got = std::move(held);
    }));
    EXPECT_TRUE(run());
    EXPECT_TRUE(got);
    bool called = false;
    others_.async_try_acquire(net::bind_executor(io_, [&](error_code ec, std::optional<hold> held) {
        EXPECT_FALSE(ec) << ec;
        EXPECT_FALSE(held);
        called = true;
    }));
    EXPECT_TRUE(run());
    EXPECT_TRUE(called);
}

TEST_F(permits_without_blocking, are_awaited_with_asio)
{
    const auto take = [&]() -> net::awaitable<std::uint64_t> {
        hold two = co_await seats_.permits(2).async_acquire(net::use_awaitable);
        const auto one = co_await others_.async_try_acquire_for(patience, net::use_awaitable);
        EXPECT_TRUE(one);
        co_return two.fence();
    };
    EXPECT_GT(run(take()), 0U);
    EXPECT_TRUE(eventually([&] { return nothing_is_left(); }));
}

TEST_F(permits_without_blocking, that_are_cancelled_leave_nothing_behind)
{
    hold two = seats_.acquire(2);
    std::stop_source stop;
    auto waiting = futures::acquire(others_.permits(3), stop.get_token());
    ASSERT_TRUE(until_queued(1));
    auto behind = futures::acquire(others_);
    ASSERT_TRUE(until_queued(2));
    stop.request_stop();
    EXPECT_EQ(code_of([&] { (void)waiting.get(); }), errc::cancelled);
    EXPECT_TRUE(behind.get()) << "it was behind one that waits no more";
    two.release();
    EXPECT_TRUE(eventually([&] { return nothing_is_left(); }));
}

TEST_F(permits_without_blocking, of_another_capacity_are_refused_with_both_numbers)
{
    const hold held = seats_.acquire();
    counting_semaphore wrong{other_, "seats", 4};
    std::promise<std::string> told;
    auto message = told.get_future();
    async::acquire(wrong, time_limit::never(),
                   when_acquired([&told](hold got, std::error_code ec, std::string_view text) {
                       EXPECT_FALSE(got);
                       EXPECT_EQ(ec, errc::refused);
                       told.set_value(std::string{text});
                   }));
    EXPECT_NE(message.get().find("is 3, and this caller gave 4"), std::string::npos);
}

}  // namespace
}  // namespace pawl::test
