// Every form of asynchronous call on a quorum of real servers: a free lock, a busy one, a limit, a cancelled waiter,
// a release, and a lock that is lost.
#include "integration/quorum_fixture.h"
#include "support/async_calls.h"

#include <pawl/asio.h>
#include <pawl/coro.h>
#include <pawl/futures.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/system/system_error.hpp>

#include <coroutine>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <system_error>
#include <utility>

namespace pawl::test {
namespace {

namespace net = boost::asio;

using maybe_hold = std::optional<hold>;

// ── The forms, each as futures ──────────────────────────────────────────────────────────────────

class by_futures {
public:
    std::future<hold> acquire(acquirable& lock)
    {
        return futures::acquire(lock, stop_.get_token());
    }
    static std::future<maybe_hold> try_acquire(acquirable& lock)
    {
        return futures::try_acquire(lock);
    }
    static std::future<maybe_hold> try_acquire_for(acquirable& lock, std::chrono::milliseconds wait)
    {
        return futures::try_acquire_for(lock, wait);
    }
    static std::future<void> release(hold what) { return futures::release(std::move(what)); }
    void cancel() { stop_.request_stop(); }
    static std::error_code cancelled() { return errc::cancelled; }

private:
    std::stop_source stop_;
};

// A coroutine that nobody waits for.
struct detached {
    struct promise_type {
        static detached get_return_object() { return {}; }
        static std::suspend_never initial_suspend() noexcept { return {}; }
        static std::suspend_never final_suspend() noexcept { return {}; }
        static void return_void() noexcept {}
        static void unhandled_exception() noexcept { std::terminate(); }
    };
};

template <class Result, class Awaitable>
detached await_into(std::promise<Result> into, Awaitable what)
{
    try {
        if constexpr (std::is_void_v<Result>) {
            co_await std::move(what);
            into.set_value();
        } else {
            into.set_value(co_await std::move(what));
        }
    } catch (...) {
        into.set_exception(std::current_exception());
    }
}

template <class Result, class Awaitable>
std::future<Result> future_of(Awaitable what)
{
    std::promise<Result> into;
    auto got = into.get_future();
    await_into(std::move(into), std::move(what));
    return got;
}

class by_coroutines {
public:
    std::future<hold> acquire(acquirable& lock)
    {
        return future_of<hold>(coro::acquire(lock, stop_.get_token()));
    }
    static std::future<maybe_hold> try_acquire(acquirable& lock)
    {
        return future_of<maybe_hold>(coro::try_acquire(lock));
    }
    static std::future<maybe_hold> try_acquire_for(acquirable& lock, std::chrono::milliseconds wait)
    {
        return future_of<maybe_hold>(coro::try_acquire_for(lock, wait));
    }
    static std::future<void> release(hold what)
    {
        return future_of<void>(coro::release(std::move(what)));
    }
    void cancel() { stop_.request_stop(); }
    static std::error_code cancelled() { return errc::cancelled; }

private:
    std::stop_source stop_;
};

class by_completions {
public:
    std::future<hold> acquire(acquirable& lock)
    {
        auto into = std::make_shared<std::promise<hold>>();
        async::acquire(lock, time_limit::never(),
                       when_acquired([into](hold got, std::error_code ec, std::string_view) {
                           if (ec) {
                               into->set_exception(std::make_exception_ptr(std::system_error{ec}));
                           } else {
                               into->set_value(std::move(got));
                           }
                       }),
                       stop_.get_token());
        return into->get_future();
    }
    static std::future<maybe_hold> try_acquire(acquirable& lock)
    {
        return acquire_until(lock, time_limit::now());
    }
    static std::future<maybe_hold> try_acquire_for(acquirable& lock, std::chrono::milliseconds wait)
    {
        return acquire_until(lock, time_limit::after(wait));
    }
    static std::future<void> release(hold what)
    {
        auto into = std::make_shared<std::promise<void>>();
        async::release(std::move(what), when_done([into](std::error_code ec, std::string_view) {
                           if (ec) {
                               into->set_exception(std::make_exception_ptr(std::system_error{ec}));
                           } else {
                               into->set_value();
                           }
                       }));
        return into->get_future();
    }
    void cancel() { stop_.request_stop(); }
    static std::error_code cancelled() { return errc::cancelled; }

private:
    static std::future<maybe_hold> acquire_until(acquirable& lock, time_limit limit)
    {
        auto into = std::make_shared<std::promise<maybe_hold>>();
        async::acquire(lock, limit,
                       when_acquired([into](hold got, std::error_code ec, std::string_view) {
                           if (ec == errc::busy || ec == errc::timed_out) {
                               into->set_value(std::nullopt);
                           } else if (ec) {
                               into->set_exception(std::make_exception_ptr(std::system_error{ec}));
                           } else {
                               into->set_value(std::move(got));
                           }
                       }));
        return into->get_future();
    }

    std::stop_source stop_;
};

class by_asio {
public:
    std::future<hold> acquire(acquirable& lock)
    {
        return lock.async_acquire(net::bind_cancellation_slot(signal_.slot(), net::use_future));
    }
    static std::future<maybe_hold> try_acquire(acquirable& lock)
    {
        return lock.async_try_acquire(net::use_future);
    }
    static std::future<maybe_hold> try_acquire_for(acquirable& lock, std::chrono::milliseconds wait)
    {
        return lock.async_try_acquire_for(wait, net::use_future);
    }
    static std::future<void> release(hold what) { return what.async_release(net::use_future); }
    void cancel() { signal_.emit(net::cancellation_type::terminal); }
    static std::error_code cancelled()
    {
        return boost::system::error_code{net::error::operation_aborted};
    }

private:
    net::cancellation_signal signal_;
};

// ── The calls ───────────────────────────────────────────────────────────────────────────────────

template <class Form>
class quorum_async : public with_quorum {
protected:
    [[nodiscard]] bool until_waiting()
    {
        return eventually([&] {
            return waiters_at(0, "lock") == 1 && waiters_at(1, "lock") == 1 &&
                   waiters_at(2, "lock") == 1;
        });
    }
    [[nodiscard]] bool until_nobody_waits()
    {
        return eventually([&] {
            return waiters_at(0, "lock") == 0 && waiters_at(1, "lock") == 0 &&
                   waiters_at(2, "lock") == 0;
        });
    }
    [[nodiscard]] bool until_free()
    {
        return eventually([&] { return holders_of("lock") == 0; });
    }

    template <class Result>
    [[nodiscard]] static std::error_code code_of(std::future<Result> call)
    {
        try {
            call.get();
        } catch (const std::system_error& e) {
            return e.code();
        } catch (const boost::system::system_error& e) {
            return e.code();
        }
        return {};
    }

    client own_{options()};
    client other_{options()};
    mutex lock_{own_, "lock", quick()};
    mutex same_{other_, "lock", quick()};
    Form form_;
};

using forms = testing::Types<by_futures, by_coroutines, by_completions, by_asio>;
TYPED_TEST_SUITE(quorum_async, forms);

TYPED_TEST(quorum_async, a_free_lock_is_held_on_all_nodes_until_the_release)
{
    hold held = this->form_.acquire(this->lock_).get();
    const auto id = held.id();
    EXPECT_TRUE(
        eventually([&] { return this->on_nodes("lock") == std::vector<std::string>(3, id); }));
    this->form_.release(std::move(held)).get();
    EXPECT_TRUE(this->until_free());
}

TYPED_TEST(quorum_async, a_try_gets_a_free_lock_and_not_a_busy_one)
{
    auto held = this->form_.try_acquire(this->lock_).get();
    ASSERT_TRUE(held);
    EXPECT_FALSE(this->form_.try_acquire(this->same_).get());
    this->form_.release(std::move(*held)).get();
    EXPECT_TRUE(this->form_.try_acquire(this->same_).get());
}

TYPED_TEST(quorum_async, a_limit_that_passes_leaves_no_place_behind)
{
    // So long that the holder cannot lose it meanwhile, even if the machine is busy.
    constexpr auto long_lease = 10s;
    auto options = this->options();
    options.longest_lease = long_lease;
    client holder{options};
    mutex lock{holder, "lock", {.lease = long_lease}};
    const hold held = this->acquire_everywhere(lock);
    auto waiting = this->form_.try_acquire_for(this->same_, 2s);
    EXPECT_TRUE(this->until_waiting());
    EXPECT_FALSE(waiting.get());
    EXPECT_TRUE(this->until_nobody_waits());
}

TYPED_TEST(quorum_async, a_waiter_is_granted_the_lock_with_a_greater_fence)
{
    hold held = this->acquire_everywhere(this->lock_);
    auto waiting = this->form_.acquire(this->same_);
    ASSERT_TRUE(this->until_waiting());
    EXPECT_EQ(waiting.wait_for(0ms), std::future_status::timeout);
    held.release();
    EXPECT_GT(waiting.get().fence(), held.fence());
}

TYPED_TEST(quorum_async, a_cancelled_waiter_leaves_no_place_behind)
{
    hold held = this->acquire_everywhere(this->lock_);
    auto waiting = this->form_.acquire(this->same_);
    ASSERT_TRUE(this->until_waiting());
    this->form_.cancel();
    EXPECT_EQ(this->code_of(std::move(waiting)), TypeParam::cancelled());
    EXPECT_TRUE(this->until_nobody_waits());
    held.release();
    EXPECT_TRUE(this->until_free());
}

TYPED_TEST(quorum_async, a_hold_is_lost_when_most_nodes_are_gone)
{
    const hold held = this->form_.acquire(this->lock_).get();
    const auto lost = held.lost();
    this->nodes_.node(0).kill();
    this->nodes_.node(1).kill();
    EXPECT_TRUE(eventually([&] { return lost.stop_requested(); }));
    EXPECT_EQ(held.state(), hold_state::lost);
    EXPECT_EQ(this->code_of(this->form_.try_acquire(this->same_)), errc::no_quorum);
}

TYPED_TEST(quorum_async, every_kind_that_a_quorum_has_can_be_awaited)
{
    fair_mutex fair{this->own_, "fair", this->quick()};
    recursive_mutex again{this->own_, "again", this->quick()};
    striped_mutex rows{this->own_, "row", 4, this->quick()};
    for (acquirable* const each :
         std::initializer_list<acquirable*>{&this->lock_, &fair, &again, &rows.of(7)}) {
        hold held = this->form_.acquire(*each).get();
        EXPECT_GT(held.fence(), 0U);
        this->form_.release(std::move(held)).get();
        auto tried = this->form_.try_acquire_for(*each, patience).get();
        ASSERT_TRUE(tried);
        this->form_.release(std::move(*tried)).get();
    }
    EXPECT_TRUE(eventually([&] {
        return this->holders_of("lock") + this->holders_of("fair") + this->holders_of("again") +
                   this->holders_of("row:" + std::to_string(rows.index_of(7))) ==
               0;
    }));
}

// A client that is destroyed while a call waits ends it, and its places at the nodes.
TYPED_TEST(quorum_async, a_client_that_is_destroyed_ends_its_waiters)
{
    const hold held = this->acquire_everywhere(this->lock_);
    std::optional<client> gone{this->options()};
    std::optional<mutex> wanted{std::in_place, *gone, "lock", this->quick()};
    auto waiting = this->form_.acquire(*wanted);
    ASSERT_TRUE(this->until_waiting());
    wanted.reset();
    gone.reset();
    EXPECT_EQ(this->code_of(std::move(waiting)), TypeParam::cancelled());
    EXPECT_TRUE(this->until_nobody_waits());
}

}  // namespace
}  // namespace pawl::test
