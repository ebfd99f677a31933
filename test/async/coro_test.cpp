// co_await without a framework: <pawl/coro.h>, over memory.
#include "async/contended_memory.h"
#include "async/run_queue.h"
#include "async/task.h"

#include <pawl/coro.h>

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <coroutine>
#include <functional>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace pawl::test {
namespace {

// Stores the result of a coroutine for the test. The test waits for the end of the coroutine first.
task acquire_into(lockable& lock, hold& got)
{
    got = co_await coro::acquire(lock);
}

task acquire_into(lockable& lock, hold& got, std::stop_token stop)
{
    got = co_await coro::acquire(lock, std::move(stop));
}

task try_into(lockable& lock, std::optional<hold>& got)
{
    got = co_await coro::try_acquire(lock);
}

task acquire_for_into(lockable& lock, std::chrono::milliseconds wait, std::optional<hold>& got,
                      std::stop_token stop = {})
{
    got = co_await coro::try_acquire_for(lock, wait, std::move(stop));
}

class awaiting : public contended_memory {};

TEST_F(awaiting, a_free_lock_gives_a_hold)
{
    hold got;
    acquire_into(mutex_, got).get();
    EXPECT_TRUE(got);
    EXPECT_EQ(server_.holder("job"), got.id());
}

TEST_F(awaiting, a_lock_that_is_held_waits_for_its_release)
{
    hold held = mutex_.acquire();
    hold got;
    task waiting = acquire_into(wanted_, got);
    ASSERT_TRUE(until_queued(1));
    EXPECT_FALSE(waiting.ends_within(0ms));
    held.release();
    waiting.get();
    EXPECT_GT(got.fence(), held.fence());
}

TEST_F(awaiting, a_try_of_a_busy_lock_returns_nothing_without_throwing)
{
    const hold held = mutex_.acquire();
    std::optional<hold> got;
    try_into(wanted_, got).get();
    EXPECT_FALSE(got);
}

TEST_F(awaiting, a_try_gives_a_hold)
{
    std::optional<hold> got;
    try_into(wanted_, got).get();
    ASSERT_TRUE(got);
    EXPECT_TRUE(*got);
}

TEST_F(awaiting, a_limit_that_passes_returns_nothing_without_throwing)
{
    const hold held = mutex_.acquire();
    std::optional<hold> got;
    acquire_for_into(wanted_, 20ms, got).get();
    EXPECT_FALSE(got);
}

TEST_F(awaiting, an_error_is_thrown_with_its_message)
{
    server_.fill_memory();
    hold got;
    try {
        acquire_into(mutex_, got).get();
        FAIL() << "nothing was thrown";
    } catch (const error& problem) {
        EXPECT_EQ(problem.code(), errc::refused);
        EXPECT_NE(std::string_view{problem.what()}.find("'job'"), std::string_view::npos)
            << problem.what();
    }
}

TEST_F(awaiting, a_call_that_is_stopped_before_it_begins_throws)
{
    std::stop_source stop;
    stop.request_stop();
    hold got;
    task waiting = acquire_into(mutex_, got, stop.get_token());
    EXPECT_EQ(code_of([&] { waiting.get(); }), errc::cancelled);
    EXPECT_FALSE(server_.is_locked("job"));
}

TEST_F(awaiting, a_call_that_is_stopped_while_it_waits_throws)
{
    hold held = mutex_.acquire();
    std::stop_source stop;
    hold got;
    task waiting = acquire_into(wanted_, got, stop.get_token());
    ASSERT_TRUE(until_queued(1));
    EXPECT_FALSE(waiting.ends_within(0ms));
    stop.request_stop();
    EXPECT_EQ(code_of([&] { waiting.get(); }), errc::cancelled);
    held.release();
    EXPECT_TRUE(eventually([&] { return !server_.is_locked("job"); }));
}

TEST_F(awaiting, a_call_with_a_limit_that_is_stopped_returns_nothing)
{
    const hold held = mutex_.acquire();
    std::stop_source stop;
    std::optional<hold> got;
    task waiting = acquire_for_into(wanted_, 1h, got, stop.get_token());
    stop.request_stop();
    waiting.get();
    EXPECT_FALSE(got);
}

TEST_F(awaiting, a_stop_after_the_grant_changes_nothing)
{
    std::stop_source stop;
    hold got;
    acquire_into(mutex_, got, stop.get_token()).get();
    stop.request_stop();
    EXPECT_EQ(got.state(), hold_state::held);
}

task use(lockable& lock, std::vector<hold_state>& seen)
{
    hold held = co_await coro::acquire(lock);
    co_await coro::extend(held, 1min);
    seen.push_back(held.state());
    co_await coro::release(std::move(held));
    seen.push_back(held.state());
}

TEST_F(awaiting, extend_and_release_work)
{
    std::vector<hold_state> seen;
    use(mutex_, seen).get();
    EXPECT_EQ(seen, (std::vector{hold_state::held, hold_state::released}));
    EXPECT_FALSE(server_.is_locked("job"));
}

task release(hold& what)
{
    co_await coro::release(std::move(what));
}

task extend(hold& what, std::chrono::milliseconds lease)
{
    co_await coro::extend(what, lease);
}

TEST_F(awaiting, a_release_ends_the_hold_at_once)
{
    hold held = mutex_.acquire();
    auto unused = coro::release(std::move(held));
    EXPECT_FALSE(held);
    EXPECT_TRUE(server_.is_locked("job"));  // nothing has been sent, because it was not awaited
}

TEST_F(awaiting, a_release_of_an_empty_hold_throws)
{
    hold nothing;
    EXPECT_EQ(code_of([&] { release(nothing).get(); }), errc::not_owner);
    EXPECT_EQ(code_of([&] { extend(nothing, 1min).get(); }), errc::not_owner);
}

TEST_F(awaiting, an_extension_that_is_not_allowed_throws)
{
    hold held = mutex_.acquire();
    EXPECT_EQ(code_of([&] { extend(held, 0ms).get(); }), errc::bad_argument);
    EXPECT_EQ(held.state(), hold_state::held);
}

TEST_F(awaiting, a_release_of_a_lost_hold_throws)
{
    hold held = mutex_.acquire();
    server_.lose("job");
    EXPECT_EQ(code_of([&] { release(held).get(); }), errc::lost);
}

// ── Where a coroutine resumes ───────────────────────────────────────────────────────────────────

template <class Where>
task note_thread(lockable& lock, Where& where, std::thread::id& seen)
{
    const hold held = co_await coro::acquire(lock, {}, where);
    seen = std::this_thread::get_id();
}

TEST_F(awaiting, resumes_in_the_clients_thread_by_default)
{
    hold held = mutex_.acquire();
    std::thread::id seen;
    coro::on_client_thread there;
    task waiting = note_thread(wanted_, there, seen);
    held.release();
    waiting.get();
    EXPECT_NE(seen, std::this_thread::get_id());
}

TEST_F(awaiting, resumes_on_the_given_executor)
{
    run_queue here;
    struct executor {
        void execute(std::function<void()> what) const { queue->execute(std::move(what)); }
        run_queue* queue;
    };
    executor on{&here};
    std::thread::id seen;
    task waiting = note_thread(mutex_, on, seen);
    ASSERT_TRUE(here.run_one());
    waiting.get();
    EXPECT_EQ(seen, std::this_thread::get_id());
}

TEST_F(awaiting, resumes_through_the_given_callable)
{
    run_queue here;
    const auto on = [&here](coro::resumption go_on) { here.execute(std::move(go_on)); };
    std::thread::id seen;
    task waiting = note_thread(mutex_, on, seen);
    ASSERT_TRUE(here.run_one());
    waiting.get();
    EXPECT_EQ(seen, std::this_thread::get_id());
}

TEST_F(awaiting, resumes_through_a_callable_that_takes_only_handles)
{
    run_queue here;
    const auto on = [&here](std::coroutine_handle<> who) { here.execute([who] { who.resume(); }); };
    std::thread::id seen;
    task waiting = note_thread(mutex_, on, seen);
    ASSERT_TRUE(here.run_one());
    waiting.get();
    EXPECT_EQ(seen, std::this_thread::get_id());
}

TEST_F(awaiting, resumes_in_an_io_context)
{
    boost::asio::io_context here;
    client own{options()};  // is destroyed before the io_context
    mutex lock{own, "job"};
    auto on = here.get_executor();
    std::thread::id seen;
    task waiting = note_thread(lock, on, seen);
    EXPECT_TRUE(eventually([&] {
        here.restart();
        return here.poll() > 0;
    }));
    waiting.get();
    EXPECT_EQ(seen, std::this_thread::get_id());
}

// ── Coroutines that are destroyed while they wait ───────────────────────────────────────────────

TEST_F(awaiting, is_cancelled_when_the_coroutine_is_destroyed)
{
    hold held = mutex_.acquire();
    hold got;
    {
        task waiting = acquire_into(wanted_, got);
        ASSERT_TRUE(until_queued(1));
        EXPECT_FALSE(waiting.ends_within(0ms));
    }
    held.release();
    EXPECT_TRUE(eventually([&] { return !server_.is_locked("job"); }));
    EXPECT_FALSE(got);
}

task acquire_on(lockable& lock, run_queue& where, bool& resumed)
{
    const auto on = [&where](coro::resumption go_on) { where.execute(std::move(go_on)); };
    const hold held = co_await coro::acquire(lock, {}, on);
    resumed = true;
}

TEST_F(awaiting, does_not_resume_a_coroutine_that_was_destroyed_after_the_answer)
{
    run_queue here;
    bool resumed = false;
    {
        task waiting = acquire_on(mutex_, here, resumed);
        ASSERT_TRUE(here.has_some());
        EXPECT_TRUE(server_.is_locked("job"));
    }
    // The lock is free, although the resumption is still in the queue.
    EXPECT_TRUE(eventually([&] { return !server_.is_locked("job"); }));
    EXPECT_TRUE(here.run_one());
    EXPECT_FALSE(resumed);
}

task release_on(hold& what, run_queue& where)
{
    const auto on = [&where](coro::resumption go_on) { where.execute(std::move(go_on)); };
    co_await coro::release(std::move(what), on);
}

TEST_F(awaiting, a_release_completes_without_its_coroutine)
{
    hold held = mutex_.acquire();
    run_queue here;
    {
        const task waiting = release_on(held, here);
    }
    EXPECT_TRUE(eventually([&] { return !server_.is_locked("job"); }));
}

// ── Many ────────────────────────────────────────────────────────────────────────────────────────

task count_up(lockable& lock, int rounds, int& counter)
{
    for (int i = 0; i < rounds; ++i) {
        hold held = co_await coro::acquire(lock);
        const int before = counter;
        counter = before + 1;
        co_await coro::release(std::move(held));
    }
}

TEST_F(awaiting, coroutines_exclude_each_other)
{
    int counter = 0;
    {
        std::vector<task> all;
        for (int i = 0; i < 8; ++i) all.push_back(count_up(mutex_, 25, counter));
        for (int i = 0; i < 8; ++i) all.push_back(count_up(wanted_, 25, counter));
        for (task& each : all) each.get();
    }
    EXPECT_EQ(counter, 16 * 25);
}

TEST_F(awaiting, the_mutex_may_be_destroyed_before_the_answer)
{
    hold held = mutex_.acquire();
    hold got;
    auto brief = std::make_unique<mutex>(other_, "job");
    task waiting = acquire_into(*brief, got);
    brief.reset();
    held.release();
    waiting.get();
    EXPECT_TRUE(got);
}

TEST_F(awaiting, ends_when_the_client_is_destroyed)
{
    const hold held = mutex_.acquire();
    auto brief = std::make_unique<client>(options());
    mutex lock{*brief, "job"};
    hold got;
    task waiting = acquire_into(lock, got);
    ASSERT_TRUE(until_queued(1));
    EXPECT_FALSE(waiting.ends_within(0ms));
    brief.reset();
    EXPECT_EQ(code_of([&] { waiting.get(); }), errc::cancelled);
}

}  // namespace
}  // namespace pawl::test
