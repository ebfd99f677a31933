// Asynchronous calls that are cancelled at any stage: how they end, and what they leave behind.
#include "unit/async_fixture.h"

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace pawl::test {
namespace {

TEST_F(async_calls, cancelled_before_they_start_send_nothing)
{
    std::stop_source stop;
    stop.request_stop();
    server_.freeze();  // a request that was sent would be executed later
    EXPECT_EQ(acquire(lock_, time_limit::never(), stop.get_token()).get().ec, errc::cancelled);
    server_.thaw();
    server_.advance(10s);
    EXPECT_TRUE(nothing_is_left("job"));
    EXPECT_FALSE(queue_.has_fence("job"));  // not even a release was sent
}

TEST_F(async_calls, cancelled_while_an_answer_is_awaited_give_the_lock_back)
{
    std::stop_source stop;
    server_.freeze();
    auto waiting = acquire(lock_, time_limit::never(), stop.get_token());
    EXPECT_FALSE(is_ready(waiting, 50ms));
    stop.request_stop();
    EXPECT_EQ(waiting.get().ec, errc::cancelled);  // although the server does not answer
    server_.thaw();
    EXPECT_TRUE(eventually([&] { return nothing_is_left("job"); }));
    EXPECT_TRUE(theirs_.try_acquire());
}

TEST_F(async_calls, cancelled_in_the_servers_queue_leave_it)
{
    auto held = theirs_.acquire();
    std::stop_source stop;
    auto waiting = acquire(lock_, time_limit::never(), stop.get_token());
    ASSERT_TRUE(eventually([&] { return queue_.length("job") == 1; }));
    stop.request_stop();
    EXPECT_EQ(waiting.get().ec, errc::cancelled);
    EXPECT_TRUE(eventually([&] { return queue_.length("job") == 0; }));
    held.release();
    EXPECT_TRUE(nothing_is_left("job"));
}

TEST_F(async_calls, cancelled_in_the_local_queue_leave_the_lock_to_the_next)
{
    auto held = lock_.acquire();
    std::stop_source stop;
    auto first = acquire(lock_, time_limit::never(), stop.get_token());
    auto second = acquire(lock_);
    EXPECT_FALSE(is_ready(first, 20ms));
    stop.request_stop();
    EXPECT_EQ(first.get().ec, errc::cancelled);
    held.release();
    EXPECT_FALSE(second.get().ec);
}

TEST_F(async_calls, cancelled_after_the_grant_keep_the_lock)
{
    std::stop_source stop;
    auto got = acquire(lock_, time_limit::never(), stop.get_token()).get();
    stop.request_stop();
    EXPECT_EQ(got.held.state(), hold_state::held);
    EXPECT_EQ(server_.holder("job"), got.held.id());
}

TEST_F(async_calls, cancelled_at_any_moment_hold_the_lock_or_leave_nothing)
{
    for (int i = 0; i < 300; ++i) {
        std::stop_source stop;
        std::optional<hold> held;
        if (i % 3 == 0) held = theirs_.acquire();
        auto waiting = acquire(lock_, time_limit::never(), stop.get_token());
        std::jthread canceller{[&, i] {
            std::this_thread::sleep_for(std::chrono::microseconds{i % 60});
            stop.request_stop();
        }};
        if (held) held->release();
        auto got = waiting.get();
        if (got.ec) {
            ASSERT_EQ(got.ec, errc::cancelled);
        } else {
            ASSERT_EQ(server_.holder("job"), got.held.id());
            ASSERT_FALSE(release(std::move(got.held)).get());
        }
        ASSERT_TRUE(eventually([&] { return nothing_is_left("job"); })) << i;
    }
}

TEST_F(async_calls, end_as_cancelled_when_the_client_is_destroyed)
{
    auto held = theirs_.acquire();
    auto mine = std::make_unique<client>(options());
    mutex at_server{*mine, "job"};
    mutex in_line{*mine, "job"};
    auto first = acquire(at_server);
    auto second = acquire(in_line);
    ASSERT_TRUE(eventually([&] { return queue_.length("job") == 1; }));
    mine.reset();
    EXPECT_EQ(first.get().ec, errc::cancelled);
    EXPECT_EQ(second.get().ec, errc::cancelled);
    EXPECT_EQ(queue_.length("job"), 0);
}

TEST_F(async_calls, that_begin_while_the_client_is_destroyed_send_nothing)
{
    mutex also_theirs{other_, "next"};
    const auto held = theirs_.acquire();
    const auto also_held = also_theirs.acquire();
    auto mine = std::make_unique<client>(options());
    mutex lock{*mine, "job"};
    mutex next{*mine, "next"};
    std::future<ending> second;
    async::acquire(lock, time_limit::never(),
                   when_acquired([&](const hold&, std::error_code, std::string_view) {
                       second = acquire(next);
                   }));
    ASSERT_TRUE(eventually([&] { return queue_.length("job") == 1; }));
    mine.reset();
    EXPECT_EQ(second.get().ec, errc::cancelled);
    EXPECT_EQ(queue_.length("next"), 0);
}

TEST_F(async_calls, of_a_frozen_server_do_not_block_the_destruction_of_the_client)
{
    client_options patient = options();
    patient.command_limit = 10min;  // so that only the end of the client can end the call
    patient.shutdown_limit = 50ms;
    auto mine = std::make_unique<client>(patient);
    mutex lock{*mine, "job"};
    auto got = acquire(lock).get();
    server_.freeze();
    auto released = release(std::move(got.held));
    mine.reset();
    EXPECT_EQ(released.get(), errc::cancelled);
}

}  // namespace
}  // namespace pawl::test
