// pawl::shared_mutex on a memory server: the lease that the readers of one client share, and its loss.
#include "unit/memory_shared_mutex_fixture.h"

#include <pawl/futures.h>

#include <future>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace pawl::test {
namespace {

// ── Readers of one client ───────────────────────────────────────────────────────────────────────

TEST_F(memory_shared_mutex, lets_readers_of_one_client_share_a_lease)
{
    auto [first, second] = two_on_one_lease();
    EXPECT_EQ(first.fence(), second.fence());
    EXPECT_EQ(client_.holds().size(), 1U);
    server_.freeze();
    first.release();  // without the server
    server_.thaw();
    EXPECT_EQ(client_.holds().size(), 1U);
    EXPECT_FALSE(others_.try_acquire());
    second.release();
    EXPECT_TRUE(others_.try_acquire());
    EXPECT_TRUE(client_.holds().empty());
}

TEST_F(memory_shared_mutex, asks_the_server_again_after_ten_milliseconds)
{
    auto first = prices_.acquire_shared();
    server_.advance(10ms);
    auto second = prices_.acquire_shared();
    EXPECT_NE(first.id(), second.id());
    EXPECT_EQ(client_.holds().size(), 2U);
    first.release();
    EXPECT_FALSE(others_.try_acquire());
    second.release();
    EXPECT_TRUE(others_.try_acquire());
}

TEST_F(memory_shared_mutex, lets_all_readers_of_one_client_in_with_one_place)
{
    auto writer = prices_.acquire();
    auto first = wait_for(patient_.shared());
    std::vector<std::future<hold>> others;
    for (int i = 0; i < 4; ++i) {
        others.push_back(std::async(std::launch::async, [&] { return patient_.acquire_shared(); }));
    }
    EXPECT_EQ(queue_.length("prices"), 1);
    writer.release();
    const auto got = first.get();
    for (auto& each : others) EXPECT_EQ(each.get().state(), hold_state::held);
}

TEST_F(memory_shared_mutex, renews_a_shared_lease_for_all_its_readers)
{
    auto [first, second] = two_on_one_lease();
    first.release();
    server_.advance(1h);
    EXPECT_EQ(second.state(), hold_state::held);
    EXPECT_TRUE(second.confirm());
}

TEST_F(memory_shared_mutex, gives_readers_that_are_not_renewed_a_lease_each)
{
    shared_mutex brief{client_, "prices", {.lease = 10s, .renew = false}};
    auto first = brief.acquire_shared();
    auto second = brief.acquire_shared();
    EXPECT_NE(first.id(), second.id());
    server_.advance(10s);
    EXPECT_EQ(first.state(), hold_state::lost);
    EXPECT_EQ(second.state(), hold_state::lost);
}

// ── Loss ────────────────────────────────────────────────────────────────────────────────────────

TEST_F(memory_shared_mutex, tells_all_readers_of_a_lease_that_it_is_lost)
{
    auto [first, second] = two_on_one_lease();
    const auto told_first = first.lost();
    const auto told_second = second.lost();
    server_.lose("prices");
    server_.advance(10s);
    EXPECT_TRUE(told_first.stop_requested());
    EXPECT_TRUE(told_second.stop_requested());
    EXPECT_EQ(first.why(), cause::vanished);
    EXPECT_EQ(code_of([&] { first.release(); }), errc::lost);
    EXPECT_EQ(code_of([&] { second.release(); }), errc::lost);
    EXPECT_EQ(events_.count(hold_state::lost), 1U) << "they share an id";
    EXPECT_TRUE(others_.try_acquire());
}

TEST_F(memory_shared_mutex, still_tells_a_reader_of_the_loss_after_it_has_released_the_lost_lock)
{
    auto [first, second] = two_on_one_lease();
    static_cast<void>(first.lost());
    server_.lose("prices");
    EXPECT_FALSE(second.confirm());
    EXPECT_TRUE(first.lost().stop_requested());
    EXPECT_EQ(code_of([&] { first.release(); }), errc::lost);
    EXPECT_TRUE(first.lost().stop_requested()) << "as <pawl/hold.h> says";
}

TEST_F(memory_shared_mutex, does_not_tell_a_reader_that_has_left_of_the_loss)
{
    auto [first, second] = two_on_one_lease();
    const auto told_first = first.lost();
    const auto told_second = second.lost();
    first.release();
    server_.lose("prices");
    server_.advance(10s);
    EXPECT_FALSE(told_first.stop_requested());
    EXPECT_TRUE(told_second.stop_requested());
}

TEST_F(memory_shared_mutex, tells_readers_of_a_loss_at_their_deadline)
{
    const auto [first, second] = two_on_one_lease();
    const auto told = first.lost();
    bool called = false;
    const std::stop_callback on_loss{second.lost(), [&] { called = true; }};
    server_.freeze();
    server_.advance(30s);
    EXPECT_TRUE(told.stop_requested());
    EXPECT_TRUE(called);
    server_.thaw();
}

TEST_F(memory_shared_mutex, lets_a_reader_release_inside_the_callback_of_its_loss)
{
    auto [first, other] = two_on_one_lease();
    auto second = std::make_unique<hold>(std::move(other));
    std::promise<void> released;
    const std::stop_callback on_loss{second->lost(), [&] {
                                         second.reset();
                                         released.set_value();
                                     }};
    server_.lose("prices");
    server_.advance(10s);
    EXPECT_EQ(released.get_future().wait_for(10s), std::future_status::ready);
    EXPECT_TRUE(first.lost().stop_requested());
}

// What a callback of a reader's token waits for while the reader leaves.
struct slow_callback {
    void operator()()
    {
        started.set_value();
        const std::scoped_lock wait{wanted};
    }

    std::mutex wanted;
    std::promise<void> started;
};

TEST_F(memory_shared_mutex, does_not_wait_for_the_callback_of_a_reader_that_leaves)
{
    auto [first, second] = two_on_one_lease();
    slow_callback slow;
    const std::stop_callback on_loss{first.lost(), [&] { slow(); }};
    std::unique_lock mine{slow.wanted};
    server_.lose("prices");
    auto time = std::async(std::launch::async, [&] { server_.advance(10s); });
    slow.started.get_future().wait();
    auto leaves = std::async(std::launch::async, [&] { first = hold{}; });
    EXPECT_EQ(leaves.wait_for(10s), std::future_status::ready);
    mine.unlock();
    leaves.wait();
    time.wait();
}

TEST_F(memory_shared_mutex, keeps_the_event_loop_going_while_the_callback_of_a_reader_is_slow)
{
    auto [first, second] = two_on_one_lease();
    slow_callback slow;
    const std::stop_callback on_loss{first.lost(), [&] { slow(); }};
    std::unique_lock mine{slow.wanted};
    server_.lose("prices");
    auto time = std::async(std::launch::async, [&] { server_.advance(10s); });
    slow.started.get_future().wait();
    auto released = futures::release(std::move(first));
    auto acquired = futures::acquire(mutex_);
    EXPECT_EQ(released.wait_for(10s), std::future_status::ready);
    EXPECT_EQ(acquired.wait_for(10s), std::future_status::ready);
    mine.unlock();
    time.wait();
    EXPECT_EQ(code_of([&] { released.get(); }), errc::lost);
    EXPECT_EQ(acquired.get().state(), hold_state::held);
}

TEST_F(memory_shared_mutex, gives_new_readers_a_new_lease_after_a_loss)
{
    auto lost = prices_.acquire_shared();
    server_.lose_data();
    EXPECT_FALSE(lost.confirm());
    const auto fresh = prices_.acquire_shared();
    EXPECT_NE(fresh.id(), lost.id());
    EXPECT_EQ(fresh.state(), hold_state::held);
}

TEST_F(memory_shared_mutex, is_free_for_a_writer_when_the_lease_of_a_dead_reader_ends)
{
    shared_mutex brief{client_, "prices", {.lease = 10s}};
    const auto dead = brief.acquire_shared();
    auto alive = others_.acquire_shared();
    server_.cut_off(client_);
    auto writer = wait_for(patient_);
    alive.release();
    server_.advance(9s);
    EXPECT_FALSE(is_ready(writer));
    const auto got = get(writer);
    EXPECT_EQ(got.state(), hold_state::held);
    EXPECT_EQ(dead.state(), hold_state::lost);
    server_.reconnect(client_);
}

TEST_F(memory_shared_mutex, fails_for_all_readers_that_wait_if_the_server_stays_silent)
{
    auto writer = prices_.acquire();
    std::vector<std::future<std::error_code>> waiting;
    for (int i = 0; i < 4; ++i) {
        waiting.push_back(std::async(std::launch::async, [&] {
            std::error_code told;
            static_cast<void>(others_.shared().acquire(told));
            return told;
        }));
    }
    ASSERT_TRUE(eventually([&] { return queue_.length("prices") == 1; }));
    server_.freeze();
    for (auto& each : waiting) EXPECT_EQ(get(each), errc::unreachable);
    server_.thaw();
}

}  // namespace
}  // namespace pawl::test
