// shared_mutex::downgrade() and try_upgrade() on a memory server.
#include "unit/memory_waiters_fixture.h"

#include <future>
#include <thread>
#include <utility>

namespace pawl::test {
namespace {

class memory_change : public with_waiters {
protected:
    shared_mutex prices_{client_, "prices"};
    // With this lease, a waiter looks only after hours.
    shared_mutex patient_{other_, "prices", {.lease = 24h}};
};

// ── Downgrade ───────────────────────────────────────────────────────────────────────────────────

TEST_F(memory_change, makes_the_writer_a_reader_with_the_same_fence)
{
    auto writer = prices_.acquire();
    const auto fence = writer.fence();
    const auto reader = prices_.downgrade(std::move(writer));
    EXPECT_FALSE(writer);  // NOLINT(bugprone-use-after-move): it is empty
    EXPECT_EQ(reader.state(), hold_state::held);
    EXPECT_EQ(reader.fence(), fence);
    EXPECT_EQ(events_.count(hold_state::lost), 0U);
    EXPECT_EQ(client_.holds().size(), 1U);
    EXPECT_TRUE(patient_.try_acquire_shared());
    EXPECT_FALSE(patient_.try_acquire());
}

TEST_F(memory_change, lets_the_readers_at_the_head_of_the_queue_in_with_the_new_one)
{
    auto writer = prices_.acquire();
    auto reads = wait_for(patient_.shared(), 1);
    auto writes = wait_for(patient_, 2);
    auto reader = prices_.downgrade(std::move(writer));
    auto second = reads.get();
    EXPECT_FALSE(is_ready(writes));
    reader.release();
    second.release();
    EXPECT_GT(writes.get().fence(), reader.fence());
}

TEST_F(memory_change, lets_no_writer_in_between)
{
    auto writer = prices_.acquire();
    auto writes = wait_for(patient_);
    auto reader = prices_.downgrade(std::move(writer));
    EXPECT_FALSE(is_ready(writes));
    server_.advance(1h);
    EXPECT_EQ(reader.state(), hold_state::held) << "it is renewed";
    reader.release();
    EXPECT_EQ(writes.get().state(), hold_state::held);
}

TEST_F(memory_change, lets_readers_of_the_same_client_in_that_wait)
{
    auto writer = prices_.acquire();
    auto reads = wait_for(prices_.shared());
    auto reader = prices_.downgrade(std::move(writer));
    EXPECT_EQ(reads.get().state(), hold_state::held);
}

// ── Upgrade ─────────────────────────────────────────────────────────────────────────────────────

TEST_F(memory_change, makes_the_only_reader_the_writer)
{
    auto reader = prices_.acquire_shared();
    const auto writer = prices_.try_upgrade(reader);
    ASSERT_TRUE(writer);
    EXPECT_FALSE(reader);
    EXPECT_GT(writer->fence(), reader.fence());
    EXPECT_FALSE(patient_.try_acquire_shared());
    EXPECT_FALSE(prices_.try_acquire_shared());
    server_.advance(1h);
    EXPECT_EQ(writer->state(), hold_state::held);
}

TEST_F(memory_change, makes_the_only_reader_the_writer_before_the_writers_that_wait)
{
    auto reader = prices_.acquire_shared();
    auto writes = wait_for(patient_);
    auto writer = prices_.try_upgrade(reader);
    ASSERT_TRUE(writer);
    EXPECT_FALSE(is_ready(writes));
    writer->release();
    EXPECT_GT(writes.get().fence(), writer->fence());
}

TEST_F(memory_change, is_refused_while_another_client_reads)
{
    auto reader = prices_.acquire_shared();
    auto second = patient_.acquire_shared();
    EXPECT_FALSE(prices_.try_upgrade(reader));
    std::error_code told;
    EXPECT_FALSE(prices_.try_upgrade(reader, told));
    EXPECT_EQ(told, errc::busy);
    EXPECT_TRUE(reader.confirm()) << "it is still a reader";
    second.release();
    EXPECT_TRUE(prices_.try_upgrade(reader));
}

TEST_F(memory_change, is_refused_without_the_server_while_another_reader_shares_the_lease)
{
    auto reader = prices_.acquire_shared();
    auto second = prices_.acquire_shared();
    while (reader.id() != second.id()) {
        reader = prices_.acquire_shared();
        second = prices_.acquire_shared();
    }
    server_.freeze();
    EXPECT_FALSE(prices_.try_upgrade(reader));
    server_.thaw();
    second.release();
    EXPECT_TRUE(prices_.try_upgrade(reader));
}

TEST_F(memory_change, is_refused_while_this_client_has_another_lease)
{
    auto reader = prices_.acquire_shared();
    server_.advance(10ms);
    const auto second = prices_.acquire_shared();
    ASSERT_NE(reader.id(), second.id());
    EXPECT_FALSE(prices_.try_upgrade(reader));
    EXPECT_TRUE(reader.confirm());
}

TEST_F(memory_change, can_go_back_and_forth)
{
    auto writer = std::optional{prices_.acquire()};
    for (int i = 0; i < 3; ++i) {
        const auto fence = writer->fence();
        auto reader = prices_.downgrade(std::move(*writer));
        writer = prices_.try_upgrade(reader);
        ASSERT_TRUE(writer);
        EXPECT_GT(writer->fence(), fence);
    }
    writer->release();
    EXPECT_TRUE(client_.holds().empty());
    EXPECT_TRUE(patient_.try_acquire());
}

// ── Failure ─────────────────────────────────────────────────────────────────────────────────────

TEST_F(memory_change, needs_a_hold_of_the_right_side)
{
    auto reader = prices_.acquire_shared();
    EXPECT_EQ(code_of([&] { static_cast<void>(prices_.downgrade(std::move(reader))); }),
              errc::bad_argument);
    EXPECT_TRUE(reader);  // NOLINT(bugprone-use-after-move): it is unchanged
    EXPECT_EQ(code_of([&] { static_cast<void>(patient_.try_upgrade(reader)); }), errc::bad_argument)
        << "of another client";
    reader.release();
    EXPECT_EQ(code_of([&] { static_cast<void>(prices_.try_upgrade(reader)); }), errc::not_owner);
    auto writer = prices_.acquire();
    EXPECT_EQ(code_of([&] { static_cast<void>(prices_.try_upgrade(writer)); }), errc::bad_argument);
    auto job = mutex_.acquire();
    EXPECT_EQ(code_of([&] { static_cast<void>(prices_.downgrade(std::move(job))); }),
              errc::bad_argument);
}

TEST_F(memory_change, of_a_lock_that_is_gone_is_told_so)
{
    auto reader = prices_.acquire_shared();
    server_.lose("prices");
    EXPECT_EQ(code_of([&] { static_cast<void>(prices_.try_upgrade(reader)); }), errc::lost);
    EXPECT_EQ(reader.state(), hold_state::lost);
    EXPECT_EQ(reader.why(), cause::vanished);
    EXPECT_EQ(code_of([&] { static_cast<void>(prices_.try_upgrade(reader)); }), errc::lost);
    EXPECT_TRUE(patient_.try_acquire());
}

TEST_F(memory_change, that_the_server_does_not_answer_loses_the_lock)
{
    shared_mutex lasting{client_, "prices", {.lease = 24h}};
    auto writer = lasting.acquire();
    const auto lost = writer.lost();
    server_.freeze();
    std::error_code told;
    auto reading = std::async(std::launch::async,
                              [&] { return lasting.downgrade(std::move(writer), told).state(); });
    // Its lease must not end before the call has run.
    while (reading.wait_for(50ms) != std::future_status::ready) server_.advance(500ms);
    EXPECT_EQ(told, errc::unreachable);
    EXPECT_TRUE(lost.stop_requested()) << "the request may be executed at any time";
    EXPECT_EQ(writer.why(), cause::unreachable);  // NOLINT(bugprone-use-after-move)
    server_.thaw();
    std::error_code released;
    writer.release(released);
    EXPECT_EQ(released, errc::lost);
    server_.advance(5s);
    EXPECT_TRUE(patient_.try_acquire()) << "nothing of either holder is left";
}

TEST_F(memory_change, is_not_busy_if_an_earlier_try_may_yet_be_executed)
{
    auto reader = prices_.acquire_shared();
    const auto second = patient_.acquire_shared();
    server_.freeze();
    std::error_code told;
    auto writing = std::async(std::launch::async,
                              [&] { return prices_.try_upgrade(reader, told).has_value(); });
    // The first try gets no answer, and the second one an answer when the server goes on.
    ASSERT_TRUE(eventually([&] { return queue_.unanswered() == 1; }));
    while (queue_.unanswered() == 1) server_.advance(100ms);
    server_.thaw();
    EXPECT_FALSE(writing.get());
    EXPECT_EQ(told, errc::unreachable);
    EXPECT_EQ(reader.state(), hold_state::lost);
}

TEST_F(memory_change, that_the_server_answers_with_an_error_leaves_the_lock_as_it_is)
{
    auto reader = prices_.acquire_shared();
    queue_.spoil_fence("prices");
    std::error_code told;
    EXPECT_FALSE(prices_.try_upgrade(reader, told));
    EXPECT_TRUE(told == errc::refused || told == errc::not_a_lock) << told;
    EXPECT_EQ(reader.state(), hold_state::held);
    EXPECT_TRUE(reader.confirm());
    server_.advance(1h);
    EXPECT_EQ(reader.state(), hold_state::held) << "it is renewed";
}

TEST_F(memory_change, does_not_shorten_the_lease)
{
    shared_mutex brief{client_, "prices", {.lease = 10s}};
    auto writer = brief.acquire();
    writer.extend(1h);
    const auto reader = brief.downgrade(std::move(writer));
    EXPECT_GT(reader.valid_for(), 50min);
}

}  // namespace
}  // namespace pawl::test
