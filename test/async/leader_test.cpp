// A leader without blocking: <pawl/coro.h>, <pawl/futures.h> and <pawl/asio.h>, over memory.
#include "async/asio_fixture.h"
#include "async/task.h"

#include <pawl/coro.h>
#include <pawl/futures.h>
#include <pawl/leader.h>

#include <boost/asio/use_awaitable.hpp>

#include <stop_token>
#include <string>
#include <utility>

namespace pawl::test {
namespace {

using net::use_awaitable;

class async_leader : public with_asio {
protected:
    // The name whose queue until_queued() looks at.
    leader leader_{other_, "job"};
    leader same_leader_{client_, "job"};
};

task lead_after(leader& where, std::string& seen)
{
    leader::term term{co_await coro::acquire(where.candidate("coro"))};
    seen = where.current()->payload;
    co_await coro::release(std::move(term));
}

TEST_F(async_leader, a_coroutine_campaigns)
{
    auto first = same_leader_.campaign("first");
    std::string seen;
    task running = lead_after(leader_, seen);
    ASSERT_TRUE(until_queued(1));
    first.resign();
    running.get();
    EXPECT_EQ(seen, "coro");
    EXPECT_FALSE(leader_.current());
}

task watch_once(leader& where, std::uint64_t seen, bool& changed)
{
    co_await coro::wait(where.changed_since(seen));
    changed = true;
}

TEST_F(async_leader, a_coroutine_waits_for_another_leader)
{
    auto first = same_leader_.campaign("first");
    bool changed = false;
    task running = watch_once(leader_, first.fence(), changed);
    EXPECT_FALSE(futures::wait_for(leader_.changed_since(first.fence()), 20ms).get());
    first.resign();
    running.get();
    EXPECT_TRUE(changed);
}

TEST_F(async_leader, a_future_of_a_campaign_is_ready_when_it_leads)
{
    auto first = same_leader_.campaign("first");
    EXPECT_FALSE(futures::try_acquire(leader_.candidate("second")).get());
    EXPECT_FALSE(futures::try_acquire_for(leader_.candidate("second"), 20ms).get());
    std::stop_source stop;
    auto stopped = futures::acquire(leader_.candidate("third"), stop.get_token());
    ASSERT_TRUE(until_queued(1));
    stop.request_stop();
    EXPECT_EQ(code_of([&] { (void)stopped.get(); }), errc::cancelled);
    ASSERT_TRUE(until_queued(0));
    auto second = futures::acquire(leader_.candidate("second"));
    ASSERT_TRUE(until_queued(1));
    EXPECT_TRUE(first.yield_to("second"));
    EXPECT_EQ(leader::term{second.get()}.payload(), "second");
}

TEST_F(async_leader, an_asio_coroutine_campaigns_and_watches)
{
    const auto body = [this]() -> net::awaitable<std::string> {
        auto me = leader_.candidate("asio");
        leader::term term{co_await me.async_acquire(use_awaitable)};
        const auto change = same_leader_.changed_since(0);
        co_await change.async_wait(use_awaitable);
        auto shown = same_leader_.current()->payload;
        co_await term.async_release(use_awaitable);
        co_return shown;
    };
    EXPECT_EQ(run(body()), "asio");
    EXPECT_FALSE(leader_.current());
}

}  // namespace
}  // namespace pawl::test
