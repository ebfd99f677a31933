// Many locks at once without blocking.
#include "async/asio_fixture.h"
#include "async/task.h"

#include <pawl/asio.h>
#include <pawl/coro.h>
#include <pawl/futures.h>
#include <pawl/lock_set.h>

#include <boost/asio/use_awaitable.hpp>

#include <stop_token>
#include <string>
#include <thread>

namespace pawl::test {
namespace {

class lock_set_without_blocking : public with_asio {
protected:
    [[nodiscard]] bool until_queued(const std::string& lock)
    {
        return eventually([&] { return queue_.length(lock) == 1; });
    }

    [[nodiscard]] bool is_held(const hold& who)
    {
        return server_.holder("a") == who.id() && server_.holder("b") == who.id();
    }

    [[nodiscard]] bool nothing_is_left()
    {
        return !server_.is_locked("a") && !server_.is_locked("b") && queue_.length("a") == 0 &&
               queue_.length("b") == 0;
    }

    mutex a_{client_, "a"};
    mutex b_{client_, "b"};
    lock_set both_{other_, {"b", "a"}, {.lease = 24h}};
};

task acquire_into(acquirable& lock, hold& got)
{
    got = co_await coro::acquire(lock);
}

TEST_F(lock_set_without_blocking, is_awaited_with_coro_although_it_gets_a_part_first)
{
    hold first = a_.acquire();
    hold second = b_.acquire();
    hold got;
    task waiting = acquire_into(both_, got);
    ASSERT_TRUE(until_queued("a"));
    first.release();
    ASSERT_TRUE(until_queued("b"));
    EXPECT_FALSE(server_.is_locked("a")) << "it holds none while it waits";
    second.release();
    waiting.get();
    EXPECT_TRUE(is_held(got));
}

TEST_F(lock_set_without_blocking, is_awaited_with_asio)
{
    const auto take = [&]() -> net::awaitable<hold> {
        co_return co_await both_.async_acquire(net::use_awaitable);
    };
    hold held = b_.acquire();
    const std::jthread releases{[&] {
        EXPECT_TRUE(until_queued("b"));
        held.release();
    }};
    const hold got = run(take());
    EXPECT_TRUE(is_held(got));
}

TEST_F(lock_set_without_blocking, leaves_nothing_when_it_is_cancelled)
{
    hold held = b_.acquire();
    std::stop_source stop;
    auto waiting = futures::try_acquire_for(both_, 1h, stop.get_token());
    ASSERT_TRUE(until_queued("b"));
    stop.request_stop();
    EXPECT_FALSE(waiting.get());
    held.release();
    EXPECT_TRUE(eventually([&] { return nothing_is_left(); }));
}

}  // namespace
}  // namespace pawl::test
