// The executor, allocator and cancellation slot of a handler are used. And what happens to a
// handler when its io_context or the client is destroyed first.
#include "async/asio_fixture.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <cstddef>
#include <future>
#include <memory>
#include <thread>
#include <vector>

namespace pawl::test {
namespace {

class handler : public with_asio {};

// ── The executor ────────────────────────────────────────────────────────────────────────────────

TEST_F(handler, is_called_on_its_executor)
{
    std::thread::id seen;
    mutex_.async_acquire(net::bind_executor(
        io_, [&](error_code, const hold&) { seen = std::this_thread::get_id(); }));
    EXPECT_TRUE(run());
    EXPECT_EQ(seen, std::this_thread::get_id());
}

TEST_F(handler, is_called_on_its_strand)
{
    net::thread_pool pool{2};
    const auto strand = net::make_strand(pool);
    std::atomic<int> inside = 0;
    for (int i = 0; i < 20; ++i) {
        mutex_.async_acquire(net::bind_executor(strand, [&](error_code, const hold&) {
            inside += strand.running_in_this_thread() ? 1 : 1000;
        }));
    }
    pool.wait();
    EXPECT_EQ(inside, 20);
}

TEST_F(handler, without_an_executor_is_called_on_a_thread_that_may_block)
{
    // It blocks until the client has done something else. That would be impossible on the client's
    // thread.
    std::promise<bool> locked;
    mutex_.async_acquire([&](error_code, hold held) {
        held.release();
        auto again = mutex_.async_acquire(net::use_future);
        locked.set_value(static_cast<bool>(again.get()));
    });
    EXPECT_TRUE(locked.get_future().get());
}

TEST_F(handler, is_never_called_by_the_call_itself)
{
    bool inside = true;
    bool called = false;
    net::post(io_, [&] {
        // In a thread of the executor, where dispatch() would call the handler at once.
        hold nothing;
        nothing.async_release(net::bind_executor(io_, [&](error_code ec) {
            EXPECT_TRUE(ec == errc::not_owner) << ec;
            EXPECT_FALSE(inside);
            called = true;
        }));
        inside = false;
    });
    EXPECT_TRUE(run());
    EXPECT_TRUE(called);
}

TEST_F(handler, keeps_its_io_context_running)
{
    hold held = mutex_.acquire();
    bool called = false;
    wanted_.async_acquire(net::bind_executor(io_, [&](error_code, const hold&) { called = true; }));
    ASSERT_TRUE(until_queued(1));
    io_.poll();
    EXPECT_FALSE(io_.stopped());
    EXPECT_FALSE(called);
    held.release();
    EXPECT_TRUE(run());
    EXPECT_TRUE(called);
}

// ── The allocator ───────────────────────────────────────────────────────────────────────────────

struct memory_account {
    std::atomic<int> allocations = 0;
    std::atomic<std::ptrdiff_t> bytes = 0;
};

template <class T>
struct counting_allocator {
    using value_type = T;

    explicit counting_allocator(memory_account& account) noexcept : account_{&account} {}
    template <class U>
    explicit counting_allocator(const counting_allocator<U>& other) noexcept
        : account_{other.account_}
    {
    }

    [[nodiscard]] T* allocate(std::size_t count)
    {
        ++account_->allocations;
        account_->bytes += static_cast<std::ptrdiff_t>(count * sizeof(T));
        return std::allocator<T>{}.allocate(count);
    }

    void deallocate(T* what, std::size_t count) noexcept
    {
        account_->bytes -= static_cast<std::ptrdiff_t>(count * sizeof(T));
        std::allocator<T>{}.deallocate(what, count);
    }

    template <class U>
    [[nodiscard]] bool operator==(const counting_allocator<U>& other) const noexcept
    {
        return account_ == other.account_;
    }

    memory_account* account_;
};

TEST_F(handler, is_kept_in_its_allocators_memory_until_it_is_called)
{
    memory_account account;
    std::ptrdiff_t at_call = -1;
    hold held = mutex_.acquire();
    wanted_.async_acquire(net::bind_allocator(
        counting_allocator<char>{account},
        net::bind_executor(io_, [&](error_code, const hold&) { at_call = account.bytes; })));
    EXPECT_EQ(account.allocations, 1);
    EXPECT_GT(account.bytes, 0);
    held.release();
    EXPECT_TRUE(run());
    EXPECT_EQ(at_call, 0);
    EXPECT_EQ(account.bytes, 0);
    EXPECT_EQ(account.allocations, 2);  // once while it waited, once to be posted
}

// A handler that is stored in its own memory.
struct owning_handler {
    using allocator_type = counting_allocator<char>;

    [[nodiscard]] allocator_type get_allocator() const noexcept { return allocator_type{*account}; }
    void operator()(error_code, const hold&) const { *called = true; }

    std::unique_ptr<memory_account> account;
    bool* called;
};

TEST_F(handler, may_own_the_memory_it_is_kept_in)
{
    bool called = false;
    mutex_.async_acquire(
        net::bind_executor(io_, owning_handler{std::make_unique<memory_account>(), &called}));
    EXPECT_TRUE(run());
    EXPECT_TRUE(called);
}

TEST_F(handler, may_own_the_memory_it_is_kept_in_when_its_io_context_goes_first)
{
    bool called = false;
    const hold held = mutex_.acquire();
    {
        net::io_context io;
        wanted_.async_acquire(
            net::bind_executor(io, owning_handler{std::make_unique<memory_account>(), &called}));
    }
    EXPECT_FALSE(called);
}

// ── Cancellation ────────────────────────────────────────────────────────────────────────────────

class cancelled_handler : public handler, public ::testing::WithParamInterface<int> {
protected:
    [[nodiscard]] static net::cancellation_type type()
    {
        return static_cast<net::cancellation_type>(GetParam());
    }

    net::cancellation_signal signal_;
};

TEST_P(cancelled_handler, is_called_with_the_cancelled_error)
{
    hold held = mutex_.acquire();
    error_code told;
    bool called = false;
    wanted_.async_acquire(net::bind_cancellation_slot(
        signal_.slot(), net::bind_executor(io_, [&](error_code ec, const hold& got) {
            told = ec;
            called = true;
            EXPECT_FALSE(got);
        })));
    ASSERT_TRUE(until_queued(1));
    io_.poll();
    EXPECT_FALSE(called);
    signal_.emit(type());
    EXPECT_TRUE(run());
    EXPECT_TRUE(told == net::error::operation_aborted) << told;
    EXPECT_TRUE(told == errc::cancelled) << told;
    held.release();
    EXPECT_TRUE(eventually([&] { return !server_.is_locked("job"); }));
}

INSTANTIATE_TEST_SUITE_P(with_each_type, cancelled_handler,
                         ::testing::Values(int(net::cancellation_type::terminal),
                                           int(net::cancellation_type::partial),
                                           int(net::cancellation_type::total)));

TEST_F(handler, of_a_call_with_a_limit_gets_the_cancelled_error)
{
    const hold held = mutex_.acquire();
    net::cancellation_signal signal;
    error_code told;
    wanted_.async_try_acquire_for(
        1h, net::bind_cancellation_slot(
                signal.slot(), net::bind_executor(io_, [&](error_code ec, std::optional<hold> got) {
                    told = ec;
                    EXPECT_FALSE(got);
                })));
    signal.emit(net::cancellation_type::terminal);
    EXPECT_TRUE(run());
    EXPECT_TRUE(told == net::error::operation_aborted) << told;
}

TEST_F(handler, that_is_cancelled_after_the_grant_gets_the_hold)
{
    net::cancellation_signal signal;
    memory_account account;
    error_code told = net::error::timed_out;
    hold got;
    mutex_.async_acquire(net::bind_cancellation_slot(
        signal.slot(), net::bind_allocator(counting_allocator<char>{account},
                                           net::bind_executor(io_, [&](error_code ec, hold held) {
                                               told = ec;
                                               got = std::move(held);
                                           }))));
    // The io_context has not run, but the handler was posted: the client has completed the call.
    EXPECT_TRUE(eventually([&] { return account.allocations == 2; }));
    signal.emit(net::cancellation_type::terminal);
    EXPECT_TRUE(run());
    EXPECT_FALSE(told) << told;
    EXPECT_TRUE(got);
    EXPECT_FALSE(signal.slot().has_handler());
}

TEST_F(handler, of_a_release_cannot_be_cancelled)
{
    hold held = mutex_.acquire();
    net::cancellation_signal signal;
    error_code told = net::error::timed_out;
    held.async_release(net::bind_cancellation_slot(
        signal.slot(), net::bind_executor(io_, [&](error_code ec) { told = ec; })));
    signal.emit(net::cancellation_type::terminal);
    EXPECT_TRUE(run());
    EXPECT_FALSE(told) << told;
    EXPECT_FALSE(server_.is_locked("job"));
}

// ── Order of destruction ────────────────────────────────────────────────────────────────────────

net::awaitable<void> hold_for_ever(mutex& lock, std::shared_ptr<int> alive)
{
    const hold held = co_await lock.async_acquire(net::use_awaitable);
    ++*alive;
}

TEST_F(handler, is_destroyed_with_its_io_context_and_its_call_is_cancelled)
{
    hold held = mutex_.acquire();
    const auto alive = std::make_shared<int>(0);
    {
        net::io_context brief;
        for (int i = 0; i < 10; ++i) {
            net::co_spawn(brief, hold_for_ever(wanted_, alive), net::detached);
        }
        brief.poll();
        ASSERT_TRUE(until_queued(1));
        EXPECT_GT(alive.use_count(), 10);
    }
    EXPECT_EQ(alive.use_count(), 1);
    held.release();
    EXPECT_TRUE(eventually([&] { return !server_.is_locked("job"); }));
    EXPECT_EQ(*alive, 0);
}

TEST_F(handler, that_was_posted_is_destroyed_with_its_io_context_and_its_hold_is_released)
{
    {
        net::io_context brief;
        mutex_.async_acquire(net::bind_executor(brief, [](error_code, const hold&) {
            FAIL() << "called although the io_context did not run";
        }));
        EXPECT_TRUE(eventually([&] { return !client_.holds().empty(); }));
    }
    EXPECT_TRUE(eventually([&] { return !server_.is_locked("job"); }));
}

TEST_F(handler, is_safe_when_io_contexts_are_destroyed_while_calls_end)
{
    for (int i = 0; i < 100; ++i) {
        net::io_context brief;
        for (int k = 0; k < 5; ++k) {
            wanted_.async_acquire(net::bind_executor(brief, [](error_code, hold) {}));
        }
        brief.run_for(std::chrono::microseconds{i * 20});
    }
    EXPECT_TRUE(mutex_.try_acquire_for(patience));
}

TEST_F(handler, is_called_when_the_client_is_destroyed)
{
    const hold held = mutex_.acquire();
    auto brief = std::make_unique<client>(options());
    mutex lock{*brief, "job"};
    error_code told;
    lock.async_acquire(net::bind_executor(io_, [&](error_code ec, const hold& got) {
        told = ec;
        EXPECT_FALSE(got);
    }));
    ASSERT_TRUE(until_queued(1));
    brief.reset();
    EXPECT_TRUE(run());
    EXPECT_TRUE(told == errc::cancelled) << told;
}

net::awaitable<void> temporary_lock(client& own, bool& got)
{
    const hold held = co_await mutex{own, "job", {.lease = 5s}}.async_acquire(net::use_awaitable);
    got = static_cast<bool>(held);
}

TEST_F(handler, needs_its_lock_only_to_start)
{
    bool got = false;
    run(temporary_lock(client_, got));
    EXPECT_TRUE(got);
    error_code told = net::error::timed_out;
    hold held = mutex_.acquire();
    {
        mutex brief{other_, "job"};
        brief.async_acquire(
            net::bind_executor(io_, [&](error_code ec, const hold&) { told = ec; }));
    }
    held.release();
    EXPECT_TRUE(run());
    EXPECT_FALSE(told) << told;
}

}  // namespace
}  // namespace pawl::test
