// A once_per without blocking: with completions, futures, coroutines and Asio.
#include "async/asio_fixture.h"
#include "async/task.h"
#include "support/async_calls.h"

#include <pawl/asio.h>
#include <pawl/async.h>
#include <pawl/coro.h>
#include <pawl/futures.h>
#include <pawl/once_per.h>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace pawl::test {
namespace {

class once_without_blocking : public with_asio {
protected:
    [[nodiscard]] static std::error_code why_not(once_per& job)
    {
        std::error_code ec;
        static_cast<void>(job.try_begin(ec));
        return ec;
    }

    once_per report_{client_, "report", 1h, {.retry_failed = true}};
    once_per theirs_{other_, "report", 1h, {.retry_failed = true}};
};

// Passes the result on.
class told_begun final : public async::begin_completion {
public:
    struct result {
        once_per::turn turn;
        std::error_code ec;
        std::string message;
    };
    void done(once_per::turn got, std::error_code ec, std::string_view message) noexcept override
    {
        promise.set_value({std::move(got), ec, std::string{message}});
    }
    std::promise<result> promise;
};

told_begun::result begin(once_per& job)
{
    auto told = std::make_unique<told_begun>();
    auto result = told->promise.get_future();
    async::try_begin(job, std::move(told));
    return result.get();
}

TEST_F(once_without_blocking, completions_get_the_turn_or_the_reason)
{
    auto got = begin(report_);
    ASSERT_TRUE(got.turn);
    EXPECT_FALSE(got.ec);
    EXPECT_EQ(begin(theirs_).ec, errc::busy);
    std::promise<std::error_code> told;
    auto ended = told.get_future();
    async::done(std::move(got.turn),
                when_done([&told](std::error_code ec, std::string_view) { told.set_value(ec); }));
    EXPECT_FALSE(ended.get());
    const auto late = begin(theirs_);
    EXPECT_EQ(late.ec, errc::not_due);
    EXPECT_FALSE(late.turn);
    EXPECT_NE(late.message.find("begin 'report'"), std::string::npos) << late.message;
    EXPECT_NE(late.message.find("for another 3600 s"), std::string::npos) << late.message;
    EXPECT_EQ(code_of([] { async::done(once_per::turn{}); }), errc::not_owner);
}

TEST_F(once_without_blocking, futures_return_the_turn_or_nothing)
{
    auto turn = futures::try_begin(report_).get();
    ASSERT_TRUE(turn);
    EXPECT_FALSE(futures::try_begin(theirs_).get());
    futures::done(std::move(*turn)).get();
    EXPECT_FALSE(futures::try_begin(theirs_).get());
    EXPECT_EQ(why_not(theirs_), errc::not_due);
    auto again = futures::done(std::move(*turn));
    EXPECT_EQ(code_of([&] { again.get(); }), errc::not_owner);
}

TEST_F(once_without_blocking, a_turn_that_is_dropped_has_failed)
{
    static_cast<void>(futures::try_begin(report_).get());
    EXPECT_TRUE(eventually([&] { return !server_.is_locked("report"); }));
    EXPECT_EQ(why_not(theirs_), std::error_code{});
}

TEST_F(once_without_blocking, a_stopped_call_begins_nothing)
{
    std::stop_source stop;
    stop.request_stop();
    EXPECT_FALSE(futures::try_begin(report_, stop.get_token()).get());
    EXPECT_FALSE(server_.is_locked("report"));
}

task run_once(once_per& job, std::optional<std::uint64_t>& fence)
{
    auto turn = co_await coro::try_begin(job);
    if (!turn) co_return;
    fence = turn->fence();
    co_await coro::done(std::move(*turn));
}

TEST_F(once_without_blocking, coroutines_await_the_turn_and_its_end)
{
    std::optional<std::uint64_t> first;
    std::optional<std::uint64_t> second;
    run_once(report_, first).get();
    run_once(theirs_, second).get();
    EXPECT_TRUE(first);
    EXPECT_FALSE(second);
    EXPECT_EQ(why_not(theirs_), errc::not_due);
}

TEST_F(once_without_blocking, handlers_of_asio_get_the_turn_or_nothing)
{
    std::optional<once_per::turn> got;
    const auto handler = [&] {
        return net::bind_executor(io_, [&](error_code ec, std::optional<once_per::turn> turn) {
            EXPECT_FALSE(ec) << ec;
            got = std::move(turn);
        });
    };
    report_.async_try_begin(handler());
    EXPECT_TRUE(run());
    ASSERT_TRUE(got);
    auto mine = std::move(*got);
    theirs_.async_try_begin(handler());
    EXPECT_TRUE(run());
    EXPECT_FALSE(got) << "busy is not an error";
    mine.async_done(net::bind_executor(io_, [](error_code ec) { EXPECT_FALSE(ec) << ec; }));
    EXPECT_FALSE(mine);
    EXPECT_TRUE(run());
    theirs_.async_try_begin(handler());
    EXPECT_TRUE(run());
    EXPECT_FALSE(got) << "not due is not an error";
    EXPECT_EQ(why_not(theirs_), errc::not_due);
}

TEST_F(once_without_blocking, is_awaited_with_asio)
{
    const auto work = [&]() -> net::awaitable<bool> {
        auto turn = co_await report_.async_try_begin(net::use_awaitable);
        if (!turn) co_return false;
        co_await turn->async_done(net::use_awaitable);
        co_return true;
    };
    EXPECT_TRUE(run(work()));
    EXPECT_FALSE(run(work()));
}

}  // namespace
}  // namespace pawl::test
