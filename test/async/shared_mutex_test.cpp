// A shared_mutex without blocking: with completions, futures, coroutines and Asio, over memory.
#include "async/asio_fixture.h"
#include "async/task.h"
#include "support/async_calls.h"

#include <pawl/asio.h>
#include <pawl/async.h>
#include <pawl/coro.h>
#include <pawl/futures.h>
#include <pawl/shared_mutex.h>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace pawl::test {
namespace {

using net::use_awaitable;

class async_shared : public with_asio {
protected:
    [[nodiscard]] bool until_waiting(std::int64_t count)
    {
        return eventually([&] { return queue_.length("prices") == count; });
    }

    [[nodiscard]] bool until_free()
    {
        return eventually([&] { return !server_.is_locked("prices"); });
    }

    shared_mutex prices_{client_, "prices"};
    shared_mutex theirs_{other_, "prices"};
};

template <class Result>
bool is_ready(const std::future<Result>& what)
{
    return what.wait_for(0ms) == std::future_status::ready;
}

// ── Acquire ─────────────────────────────────────────────────────────────────────────────────────

TEST_F(async_shared, futures_of_readers_are_ready_together_and_that_of_a_writer_alone)
{
    auto first = futures::acquire(prices_.shared()).get();
    auto second = futures::acquire(theirs_.shared()).get();
    EXPECT_FALSE(futures::try_acquire(theirs_).get());
    auto writes = futures::acquire(theirs_);
    ASSERT_TRUE(until_waiting(1));
    first.release();
    EXPECT_FALSE(is_ready(writes));
    futures::release(std::move(second)).get();
    EXPECT_GT(writes.get().fence(), first.fence());
}

task read_then_write(shared_mutex& lock, std::string& seen)
{
    auto reader = co_await coro::acquire(lock.shared());
    seen += 'r';
    co_await coro::release(std::move(reader));
    auto writer = co_await coro::acquire(lock);
    seen += 'w';
    co_await coro::release(std::move(writer));
}

TEST_F(async_shared, a_coroutine_reads_beside_a_reader_and_writes_after_it)
{
    auto reader = theirs_.acquire_shared();
    std::string seen;
    task running = read_then_write(prices_, seen);
    ASSERT_TRUE(until_waiting(1));
    EXPECT_EQ(seen, "r");
    reader.release();
    running.get();
    EXPECT_EQ(seen, "rw");
}

// ── Changing sides ──────────────────────────────────────────────────────────────────────────────

TEST_F(async_shared, an_asio_coroutine_reads_upgrades_and_downgrades)
{
    const auto body = [this]() -> net::awaitable<bool> {
        auto reader = co_await prices_.shared().async_acquire(use_awaitable);
        auto writer = co_await prices_.async_try_upgrade(reader, use_awaitable);
        if (!writer || reader || theirs_.try_acquire_shared()) co_return false;
        auto again = co_await prices_.async_downgrade(*writer, use_awaitable);
        if (*writer || again.fence() <= reader.fence()) co_return false;
        const bool shares = theirs_.try_acquire_shared().has_value();
        co_await again.async_release(use_awaitable);
        co_return shares;
    };
    EXPECT_TRUE(run(body()));
    EXPECT_TRUE(until_free());
}

task there_and_back(shared_mutex& lock, std::uint64_t& read, std::uint64_t& written)
{
    auto reader = co_await coro::acquire(lock.shared());
    read = reader.fence();
    auto writer = co_await coro::try_upgrade(lock, reader);
    written = writer->fence();
    auto again = co_await coro::downgrade(lock, *writer);
    if (again.fence() != written) throw std::runtime_error{"another fence"};
    co_await coro::release(std::move(again));
}

TEST_F(async_shared, a_coroutine_upgrades_and_downgrades_on_the_clients_thread)
{
    std::uint64_t read = 0;
    std::uint64_t written = 0;
    there_and_back(prices_, read, written).get();
    EXPECT_GT(written, read);
    EXPECT_TRUE(until_free());
    EXPECT_TRUE(client_.holds().empty());
}

TEST_F(async_shared, the_old_hold_may_be_moved_while_the_call_is_in_progress)
{
    auto writer = prices_.acquire();
    server_.freeze();
    auto reads = futures::downgrade(prices_, writer);
    auto moved = std::move(writer);
    EXPECT_TRUE(moved) << "it has the lock until the call has succeeded";
    server_.thaw();
    const auto reader = reads.get();
    EXPECT_FALSE(moved) << "it was exchanged, wherever it is";
    EXPECT_EQ(moved.state(), hold_state::released);
    EXPECT_EQ(code_of([&] { moved.release(); }), errc::not_owner);
    EXPECT_EQ(reader.state(), hold_state::held);
    EXPECT_EQ(client_.holds().size(), 1U);
    EXPECT_EQ(events_.count(hold_state::lost), 0U);
}

TEST_F(async_shared, the_old_hold_may_be_destroyed_while_the_call_is_in_progress)
{
    auto writer = futures::acquire(prices_).get();
    server_.freeze();
    auto reads = futures::downgrade(prices_, writer);
    writer = {};
    server_.thaw();
    auto reader = reads.get();
    EXPECT_TRUE(reader.confirm());
    EXPECT_FALSE(theirs_.try_acquire());
}

TEST_F(async_shared, the_mutex_may_be_destroyed_while_the_call_is_in_progress)
{
    std::optional<shared_mutex> brief{std::in_place, client_, "prices"};
    auto writer = brief->acquire();
    server_.freeze();
    auto reads = futures::downgrade(*brief, writer);
    brief.reset();
    server_.thaw();
    EXPECT_EQ(reads.get().state(), hold_state::held);
    EXPECT_FALSE(writer);
}

TEST_F(async_shared, a_coroutine_that_is_destroyed_during_a_change_leaves_nothing)
{
    const auto body = [](shared_mutex& lock, hold writer) -> task {
        const auto reader = co_await coro::downgrade(lock, writer);
        ADD_FAILURE() << "it was destroyed";
    };
    auto writer = futures::acquire(prices_).get();
    server_.freeze();
    body(prices_, std::move(writer)).destroy();
    server_.thaw();
    EXPECT_TRUE(until_free());
    EXPECT_TRUE(eventually([&] { return client_.holds().empty(); }));
}

TEST_F(async_shared, handlers_of_asio_get_the_new_hold)
{
    auto writer = prices_.acquire();
    hold got;
    auto later = prices_.async_downgrade(writer, net::deferred);
    EXPECT_TRUE(writer) << "it has not started";
    std::move(later)(net::bind_executor(io_, [&](error_code ec, hold reader) {
        EXPECT_FALSE(ec) << ec;
        got = std::move(reader);
    }));
    EXPECT_TRUE(run());
    EXPECT_TRUE(got);
    EXPECT_FALSE(writer);
}

// ── Failure ─────────────────────────────────────────────────────────────────────────────────────

TEST_F(async_shared, an_upgrade_beside_other_readers_gives_nothing_and_the_reader_stays)
{
    auto reader = prices_.acquire_shared();
    const auto second = theirs_.acquire_shared();
    EXPECT_FALSE(futures::try_upgrade(prices_, reader).get());
    std::promise<std::error_code> told;
    async::try_upgrade(
        prices_, reader,
        when_acquired([&told](const hold& got, std::error_code ec, std::string_view message) {
            EXPECT_FALSE(got);
            EXPECT_NE(message.find("upgrade 'prices'"), std::string_view::npos);
            told.set_value(ec);
        }));
    EXPECT_EQ(told.get_future().get(), errc::busy);
    const auto body = [this](hold& mine) -> net::awaitable<bool> {
        co_return (co_await prices_.async_try_upgrade(mine, use_awaitable)).has_value();
    };
    EXPECT_FALSE(run(body(reader))) << "busy is not an error";
    EXPECT_TRUE(reader.confirm());
}

TEST_F(async_shared, an_upgrade_of_a_shared_lease_gives_nothing_without_the_server)
{
    auto reader = prices_.acquire_shared();
    auto second = prices_.acquire_shared();
    while (reader.id() != second.id()) {
        reader = prices_.acquire_shared();
        second = prices_.acquire_shared();
    }
    server_.freeze();
    EXPECT_FALSE(futures::try_upgrade(prices_, reader).get());
    server_.thaw();
    EXPECT_TRUE(reader.confirm());
}

TEST_F(async_shared, a_lost_hold_cannot_be_changed)
{
    auto reader = prices_.acquire_shared();
    server_.lose("prices");
    auto first = futures::try_upgrade(prices_, reader);
    EXPECT_EQ(code_of([&] { static_cast<void>(first.get()); }), errc::lost);
    EXPECT_EQ(reader.why(), cause::vanished);
    auto second = futures::try_upgrade(prices_, reader);
    EXPECT_EQ(code_of([&] { static_cast<void>(second.get()); }), errc::lost) << "it is known here";
}

TEST_F(async_shared, errors_that_are_known_at_once_are_thrown_or_told)
{
    auto reader = prices_.acquire_shared();
    EXPECT_EQ(code_of([&] { async::downgrade(prices_, reader, nullptr); }), errc::bad_argument);
    EXPECT_EQ(code_of([&] { async::try_upgrade(theirs_, reader, nullptr); }), errc::bad_argument);
    hold none;
    auto failed = futures::downgrade(prices_, none);
    EXPECT_EQ(code_of([&] { static_cast<void>(failed.get()); }), errc::not_owner);
    error_code told;
    prices_.async_downgrade(reader, net::bind_executor(io_, [&](error_code ec, const hold& got) {
                                told = ec;
                                EXPECT_FALSE(got);
                            }));
    EXPECT_TRUE(run());
    EXPECT_TRUE(told == errc::bad_argument) << told;
    EXPECT_TRUE(reader.confirm());
}

TEST_F(async_shared, a_change_that_the_server_does_not_answer_loses_the_lock)
{
    shared_mutex lasting{client_, "prices", {.lease = 24h}};
    auto writer = lasting.acquire();
    const auto lost = writer.lost();
    server_.freeze();
    auto reads = futures::downgrade(lasting, writer);
    while (reads.wait_for(50ms) != std::future_status::ready) server_.advance(500ms);
    EXPECT_EQ(code_of([&] { static_cast<void>(reads.get()); }), errc::unreachable);
    EXPECT_TRUE(lost.stop_requested()) << "the request may be executed at any time";
    EXPECT_EQ(writer.why(), cause::unreachable);
    server_.thaw();
    EXPECT_EQ(code_of([&] { writer.release(); }), errc::lost);
    server_.advance(5s);
    EXPECT_TRUE(theirs_.try_acquire()) << "nothing of either holder is left";
}

TEST_F(async_shared, a_change_that_the_server_answers_with_an_error_leaves_the_lock_as_it_is)
{
    auto reader = prices_.acquire_shared();
    queue_.spoil_fence("prices");
    const auto body = [](shared_mutex& lock, hold& mine) -> task {
        static_cast<void>(co_await coro::try_upgrade(lock, mine));
    };
    auto running = body(prices_, reader);
    const auto told = code_of([&] { running.get(); });
    EXPECT_TRUE(told == errc::refused || told == errc::not_a_lock) << told;
    EXPECT_TRUE(reader.confirm());
}

TEST_F(async_shared, a_client_that_is_destroyed_ends_the_change)
{
    auto options = this->options();
    options.shutdown_limit = 50ms;
    auto brief = std::make_unique<client>(options);
    shared_mutex lock{*brief, "prices"};
    auto writer = lock.acquire();
    auto reader = std::optional<hold>{};
    server_.freeze();
    auto reads = futures::downgrade(lock, writer);
    brief.reset();
    EXPECT_EQ(code_of([&] { static_cast<void>(reads.get()); }), errc::cancelled);
    EXPECT_EQ(writer.state(), hold_state::lost);
    auto late = futures::downgrade(lock, writer);
    EXPECT_EQ(code_of([&] { static_cast<void>(late.get()); }), errc::lost);
    server_.thaw();
    EXPECT_EQ(code_of([&] { writer.release(); }), errc::lost);
}

}  // namespace
}  // namespace pawl::test
