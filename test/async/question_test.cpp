// Calls that change or ask something, without blocking: latch::arrive_and_wait, term::yield_to, leader::current,
// counting_semaphore::resize and once_per::due_in. With completions, futures, coroutines and Asio, over memory.
#include "async/asio_fixture.h"
#include "async/run_queue.h"
#include "async/task.h"
#include "support/async_calls.h"

#include <pawl/asio.h>
#include <pawl/async.h>
#include <pawl/coro.h>
#include <pawl/futures.h>
#include <pawl/pawl.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
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

using net::use_awaitable;

template <class Result>
bool is_ready(const std::future<Result>& what)
{
    return what.wait_for(0ms) == std::future_status::ready;
}

// ── latch::arrive_and_wait ──────────────────────────────────────────────────────────────────────

class async_latch_arrival : public with_asio {
protected:
    // The name whose queue until_queued() looks at.
    latch latch_{other_, "job", 2};
    latch same_latch_{client_, "job", 2};
};

task meet(latch& where, bool& met)
{
    co_await coro::arrive_and_wait(where);
    met = true;
}

TEST_F(async_latch_arrival, waits_for_the_others)
{
    auto first = futures::arrive_and_wait(latch_);
    ASSERT_TRUE(until_queued(1));
    EXPECT_FALSE(is_ready(first));
    bool met = false;
    meet(same_latch_, met).get();
    EXPECT_TRUE(met);
    first.get();
}

TEST_F(async_latch_arrival, counts_for_several)
{
    futures::arrive_and_wait(latch_, 2).get();
    auto late = futures::arrive_and_wait(same_latch_);
    EXPECT_EQ(code_of([&] { late.get(); }), errc::refused) << "it is open";
    auto none = futures::arrive_and_wait(same_latch_, 0);
    EXPECT_EQ(code_of([&] { none.get(); }), errc::bad_argument);
}

TEST_F(async_latch_arrival, is_awaited_with_asio)
{
    const auto both = [this]() -> net::awaitable<bool> {
        co_await same_latch_.async_count_down(use_awaitable);
        co_await latch_.async_arrive_and_wait(use_awaitable);
        co_return co_await same_latch_.async_try_wait(use_awaitable);
    };
    EXPECT_TRUE(run(both()));
}

TEST_F(async_latch_arrival, counts_even_if_the_wait_is_cancelled)
{
    std::stop_source stop;
    auto first = futures::arrive_and_wait(latch_, 1, stop.get_token());
    ASSERT_TRUE(until_queued(1));
    stop.request_stop();
    EXPECT_EQ(code_of([&] { first.get(); }), errc::cancelled);
    ASSERT_TRUE(until_queued(0));

    latch three{client_, "three", 3};
    net::cancellation_signal signal;
    error_code told;
    three.async_arrive_and_wait(
        2U, net::bind_cancellation_slot(
                signal.slot(), net::bind_executor(io_, [&](error_code ec) { told = ec; })));
    ASSERT_TRUE(eventually([&] { return queue_.length("three") == 1; }));
    signal.emit(net::cancellation_type::terminal);
    EXPECT_TRUE(run());
    EXPECT_TRUE(told == errc::cancelled) << told;

    same_latch_.arrive_and_wait();
    three.arrive_and_wait();
}

TEST_F(async_latch_arrival, goes_on_without_the_latch_and_ends_with_the_client)
{
    auto own = std::make_unique<client>(options());
    std::optional<latch> brief{std::in_place, *own, "job", 2U};
    server_.freeze();
    auto first = futures::arrive_and_wait(*brief);
    brief.reset();
    server_.thaw();
    ASSERT_TRUE(until_queued(1));
    own.reset();
    EXPECT_EQ(code_of([&] { first.get(); }), errc::cancelled);
    same_latch_.arrive_and_wait();
}

// ── Leaders ─────────────────────────────────────────────────────────────────────────────────────

class async_term : public with_asio {
protected:
    leader mine_{client_, "job"};
    leader theirs_{other_, "job"};
};

task yield_to_second(leader& where, leader::term& term, bool& yielded, std::string& seen)
{
    const auto before = co_await coro::current(where);
    yielded = co_await coro::yield_to(term, "second");
    const auto after = co_await coro::current(where);
    seen = before->payload + ' ' + after->payload;
}

TEST_F(async_term, a_coroutine_yields_and_sees_who_leads_on_the_clients_thread)
{
    auto term = mine_.campaign("first");
    auto second = futures::acquire(theirs_.candidate("second"));
    ASSERT_TRUE(until_queued(1));
    bool yielded = false;
    std::string seen;
    yield_to_second(mine_, term, yielded, seen).get();
    EXPECT_TRUE(yielded);
    EXPECT_EQ(seen, "first second");
    EXPECT_FALSE(term);
    EXPECT_EQ(code_of([&] { term.resign(); }), errc::not_owner);
    EXPECT_EQ(leader::term{second.get()}.payload(), "second");
    EXPECT_EQ(events_.count(hold_state::lost), 0U);
}

TEST_F(async_term, a_future_says_that_no_such_candidate_waits)
{
    EXPECT_FALSE(futures::current(mine_).get());
    auto term = mine_.campaign("first");
    EXPECT_FALSE(futures::yield_to(term, "nobody").get());
    EXPECT_TRUE(term.confirm());
    EXPECT_EQ(futures::current(theirs_).get()->fence, term.fence());
}

TEST_F(async_term, an_asio_coroutine_yields)
{
    auto second = futures::acquire(theirs_.candidate("first"));
    auto term = leader::term{second.get()};
    auto third = futures::acquire(mine_.candidate("third"));
    ASSERT_TRUE(until_queued(1));
    const auto body = [&]() -> net::awaitable<std::string> {
        if (co_await term.async_yield_to("nobody", use_awaitable)) co_return "nobody";
        auto later = term.async_yield_to(std::string{"third"}, net::deferred);
        if (!co_await std::move(later)(use_awaitable)) co_return "not yielded";
        const auto now = co_await theirs_.async_current(use_awaitable);
        co_return now->payload;
    };
    EXPECT_EQ(run(body()), "third");
    EXPECT_FALSE(term);
    EXPECT_TRUE(third.get());
}

TEST_F(async_term, a_term_may_be_moved_while_it_yields)
{
    auto term = mine_.campaign("first");
    auto second = futures::acquire(theirs_.candidate("second"));
    ASSERT_TRUE(until_queued(1));
    server_.freeze();
    auto yields = futures::yield_to(term, "second");
    const auto moved = std::move(term);
    EXPECT_TRUE(moved);
    server_.thaw();
    EXPECT_TRUE(yields.get());
    EXPECT_FALSE(moved);
}

TEST_F(async_term, a_term_that_was_lost_cannot_yield)
{
    auto term = mine_.campaign("first");
    server_.lose("job");
    auto yields = futures::yield_to(term, "second");
    EXPECT_EQ(code_of([&] { static_cast<void>(yields.get()); }), errc::lost);
    EXPECT_TRUE(term.lost().stop_requested());
    leader::term none;
    EXPECT_EQ(code_of([&] { async::yield_to(none, "second", nullptr); }), errc::not_owner);
    EXPECT_EQ(code_of([&] { async::yield_to(term, "", nullptr); }), errc::bad_argument);
}

TEST_F(async_term, a_term_is_lost_if_nobody_knows_whether_it_has_yielded)
{
    auto options = this->options();
    options.command_limit = 300ms;
    client own{options};
    leader here{own, "job"};
    auto term = here.campaign("first");
    server_.freeze();
    auto yields = futures::yield_to(term, "second");
    EXPECT_EQ(code_of([&] { static_cast<void>(yields.get()); }), errc::unreachable);
    EXPECT_EQ(term.state(), hold_state::lost);
    server_.thaw();
}

TEST_F(async_term, a_client_that_is_destroyed_ends_the_calls)
{
    auto options = this->options();
    options.shutdown_limit = 50ms;
    auto own = std::make_unique<client>(options);
    leader here{*own, "job"};
    auto term = here.campaign("first");
    server_.freeze();
    auto yields = futures::yield_to(term, "second");
    auto asks = futures::current(here);
    own.reset();
    EXPECT_EQ(code_of([&] { static_cast<void>(yields.get()); }), errc::cancelled);
    EXPECT_EQ(code_of([&] { static_cast<void>(asks.get()); }), errc::cancelled);
    EXPECT_EQ(term.state(), hold_state::lost);
    server_.thaw();
}

TEST_F(async_term, the_leader_object_may_be_destroyed_before_the_answer)
{
    std::optional<leader> brief{std::in_place, client_, "job"};
    server_.freeze();
    auto asks = futures::current(*brief);
    brief.reset();
    server_.thaw();
    EXPECT_FALSE(asks.get());
}

// ── counting_semaphore::resize ──────────────────────────────────────────────────────────────────

class async_resize : public with_asio {
protected:
    counting_semaphore seats_{client_, "seats", 2};
};

task widen(counting_semaphore& seats, unsigned capacity, run_queue& where)
{
    const auto there = [&where](coro::resumption go_on) { where.execute(go_on); };
    co_await coro::resize(seats, capacity, there);
}

TEST_F(async_resize, is_done_by_every_form)
{
    auto first = seats_.acquire(2);
    futures::resize(seats_, 3).get();
    auto second = seats_.try_acquire();
    ASSERT_TRUE(second);
    run_queue here;
    auto running = widen(seats_, 4, here);
    EXPECT_TRUE(here.run_one());
    running.get();
    auto third = seats_.try_acquire();
    ASSERT_TRUE(third);
    const auto body = [this]() -> net::awaitable<bool> {
        co_await seats_.async_resize(6, use_awaitable);
        co_return seats_.try_acquire(2).has_value();
    };
    EXPECT_TRUE(run(body()));
    EXPECT_EQ(seats_.permits(6).name(), "seats") << "the object knows the new capacity";
}

TEST_F(async_resize, fails_as_the_blocking_form)
{
    auto none = futures::resize(seats_, 0);
    EXPECT_EQ(code_of([&] { none.get(); }), errc::bad_argument);
    std::optional<counting_semaphore> brief{std::in_place, client_, "seats", 2U};
    server_.freeze();
    auto frozen = futures::resize(*brief, 3);
    brief.reset();
    while (!is_ready(frozen)) server_.advance(500ms);
    EXPECT_EQ(code_of([&] { frozen.get(); }), errc::unreachable);
    server_.thaw();
}

// ── once_per::due_in ────────────────────────────────────────────────────────────────────────────

class async_due : public with_asio {
protected:
    once_per report_{client_, "report", 1h};
};

task ask_due(once_per& job, std::chrono::milliseconds& left)
{
    left = co_await coro::due_in(job);
}

TEST_F(async_due, is_told_by_every_form)
{
    EXPECT_EQ(futures::due_in(report_).get(), 0ms);
    report_.try_begin()->done();
    EXPECT_GT(futures::due_in(report_).get(), 59min);
    std::chrono::milliseconds left{0};
    ask_due(report_, left).get();
    EXPECT_GT(left, 59min);
    const auto body = [this]() -> net::awaitable<std::chrono::milliseconds> {
        co_return co_await report_.async_due_in(use_awaitable);
    };
    EXPECT_GT(run(body()), 59min);
}

TEST_F(async_due, fails_with_a_client_that_is_destroyed)
{
    auto options = this->options();
    options.shutdown_limit = 50ms;
    auto own = std::make_unique<client>(options);
    once_per job{*own, "report", 1h};
    EXPECT_EQ(futures::due_in(job).get(), 0ms);
    server_.freeze();
    auto asks = futures::due_in(job);
    own.reset();
    EXPECT_EQ(code_of([&] { static_cast<void>(asks.get()); }), errc::cancelled);
    server_.thaw();
}

}  // namespace
}  // namespace pawl::test
