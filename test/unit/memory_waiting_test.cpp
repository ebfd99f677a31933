// Clients of a memory server that wait for one another, and the effects of the levers of
// <pawl/testing.h>.
#include "unit/memory_waiters_fixture.h"

#include <future>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

namespace pawl::test {
namespace {

class memory_waiting : public with_waiters {
protected:
    // With this lease, a waiter looks only after hours.
    mutex patient_{other_, "job", {.lease = 24h}};
    mutex wanted_{other_, "job"};
};

// ── Handing over ────────────────────────────────────────────────────────────────────────────────

TEST_F(memory_waiting, gets_a_message_about_the_grant_and_need_not_ask)
{
    auto held = mutex_.acquire();
    auto waiting = wait_for(patient_);
    held.release();
    const auto got = waiting.get();
    EXPECT_GT(got.fence(), held.fence());
    EXPECT_EQ(server_.holder("job"), got.id());
    EXPECT_EQ(queue_.length("job"), 0);
}

TEST_F(memory_waiting, is_in_the_order_of_arrival)
{
    auto held = mutex_.acquire();
    std::vector<std::unique_ptr<client>> clients;
    std::vector<std::unique_ptr<mutex>> locks;
    std::vector<std::future<hold>> waiting;
    for (int i = 0; i < 5; ++i) {
        clients.push_back(std::make_unique<client>(options()));
        locks.push_back(
            std::make_unique<mutex>(*clients.back(), "job", lock_options{.lease = 24h}));
        waiting.push_back(wait_for(*locks.back(), i + 1));
    }
    auto fence = held.fence();
    for (auto& next : waiting) {
        held.release();
        held = next.get();
        EXPECT_GT(held.fence(), fence);
        fence = held.fence();
    }
}

TEST_F(memory_waiting, of_a_fair_mutex_is_in_order_within_a_client_too)
{
    fair_mutex fair{other_, "job", {.lease = 24h}};
    auto held = mutex_.acquire();
    std::vector<std::future<hold>> waiting;
    for (int i = 0; i < 5; ++i) waiting.push_back(wait_for(fair, i + 1));
    for (auto& next : waiting) {
        held.release();
        EXPECT_FALSE(fair.try_acquire()) << "a newcomer does not overtake";
        held = next.get();
    }
}

TEST_F(memory_waiting, of_several_threads_of_one_client_takes_one_place)
{
    auto held = mutex_.acquire();
    auto first = wait_for(patient_);
    std::vector<std::future<std::uint64_t>> others;
    for (int i = 0; i < 4; ++i) {
        others.push_back(
            std::async(std::launch::async, [&] { return patient_.acquire().fence(); }));
    }
    held.release();
    const auto fence = first.get().fence();
    for (auto& each : others) EXPECT_GT(each.get(), fence);
    EXPECT_EQ(queue_.length("job"), 0);
    EXPECT_TRUE(eventually([&] { return !server_.is_locked("job"); }));
}

TEST_F(memory_waiting, that_is_cancelled_leaves_no_place)
{
    auto held = mutex_.acquire();
    std::stop_source stop;
    std::error_code told;
    auto waiting = std::async(std::launch::async,
                              [&] { return patient_.acquire(stop.get_token(), told).state(); });
    ASSERT_TRUE(eventually([&] { return queue_.length("job") == 1; }));
    stop.request_stop();
    static_cast<void>(waiting.get());
    EXPECT_EQ(told, errc::cancelled);
    EXPECT_TRUE(eventually([&] { return queue_.length("job") == 0; }));
    held.release();
    EXPECT_FALSE(server_.is_locked("job"));
}

TEST_F(memory_waiting, that_timed_out_leaves_no_place)
{
    auto held = mutex_.acquire();
    auto waiting =
        std::async(std::launch::async, [&] { return patient_.try_acquire_for(1h).has_value(); });
    ASSERT_TRUE(eventually([&] { return queue_.length("job") == 1; }));
    server_.advance(59min);
    EXPECT_FALSE(is_ready(waiting));
    EXPECT_EQ(queue_.length("job"), 1);
    EXPECT_FALSE(get(waiting));
    EXPECT_TRUE(eventually([&] { return queue_.length("job") == 0; }));
    held.release();
    EXPECT_FALSE(server_.is_locked("job"));
}

// ── Time ────────────────────────────────────────────────────────────────────────────────────────

TEST_F(memory_waiting, lasts_however_much_time_passes)
{
    auto held = mutex_.acquire();
    auto waiting = wait_for(wanted_);
    server_.advance(1h);
    EXPECT_EQ(held.state(), hold_state::held);
    EXPECT_FALSE(is_ready(waiting));
    EXPECT_EQ(queue_.length("job"), 1) << "its place was renewed, 360 times";
    held.release();
    EXPECT_EQ(waiting.get().state(), hold_state::held);
}

TEST_F(memory_waiting, ends_when_the_lease_of_the_holder_does)
{
    mutex fixed{client_, "job", {.lease = 30s, .renew = false}};
    const auto held = fixed.acquire();
    auto waiting = wait_for(patient_);
    server_.advance(29s);
    EXPECT_FALSE(is_ready(waiting));
    const auto got = get(waiting);
    EXPECT_EQ(held.state(), hold_state::lost);
    EXPECT_GT(got.fence(), held.fence());
    EXPECT_EQ(queue_.length("job"), 0);
}

// ── Lost data ───────────────────────────────────────────────────────────────────────────────────

TEST_F(memory_waiting, survives_the_loss_of_all_data)
{
    const auto held = mutex_.acquire();
    auto waiting = wait_for(wanted_);
    server_.lose_data();
    EXPECT_EQ(queue_.length("job"), 0);
    const auto got = get(waiting);
    EXPECT_EQ(held.state(), hold_state::lost);
    EXPECT_EQ(got.state(), hold_state::held);
    EXPECT_GT(got.fence(), held.fence());
    EXPECT_EQ(server_.holder("job"), got.id());
}

TEST_F(memory_waiting, goes_on_if_the_lock_was_taken_after_the_loss)
{
    const auto lost = mutex_.acquire();
    auto waiting = wait_for(wanted_);
    server_.lose_data();
    client third{options()};
    mutex quick{third, "job"};
    auto held = quick.acquire();
    server_.advance(11s);
    EXPECT_EQ(queue_.length("job"), 1) << "it looked, and is in the queue again";
    held.release();
    EXPECT_GT(waiting.get().fence(), held.fence());
}

TEST_F(memory_waiting, for_a_lock_that_an_operator_deleted_ends_at_the_next_look)
{
    const auto held = mutex_.acquire();
    auto waiting = wait_for(wanted_);
    server_.lose("job");
    const auto got = get(waiting);
    EXPECT_GT(got.fence(), held.fence());
    EXPECT_EQ(queue_.length("job"), 0);
}

TEST_F(memory_waiting, goes_on_when_memory_is_full)
{
    auto held = mutex_.acquire();
    auto waiting = wait_for(patient_);
    server_.fill_memory();
    held.release();
    EXPECT_EQ(waiting.get().state(), hold_state::held);
    server_.free_memory();
}

TEST_F(memory_waiting, goes_on_when_the_scripts_are_gone)
{
    auto held = mutex_.acquire();
    auto waiting = wait_for(patient_);
    server_.flush_scripts();
    held.release();
    EXPECT_EQ(waiting.get().state(), hold_state::held);
}

// ── No connection ───────────────────────────────────────────────────────────────────────────────

TEST_F(memory_waiting, of_a_client_that_misses_the_message_ends_at_its_next_look)
{
    auto held = mutex_.acquire();
    auto waiting = wait_for(wanted_);
    server_.cut_off(other_);
    held.release();
    const auto granted = server_.holder("job");
    ASSERT_TRUE(granted) << "the server could not know that";
    server_.advance(1s);
    EXPECT_FALSE(is_ready(waiting));
    server_.reconnect(other_);
    const auto got = get(waiting);
    EXPECT_EQ(got.id(), *granted);
    EXPECT_EQ(got.state(), hold_state::held);
    server_.advance(1h);
    EXPECT_EQ(got.state(), hold_state::held) << "it is renewed";
}

TEST_F(memory_waiting, of_a_client_that_was_cut_off_for_a_moment_goes_on)
{
    auto held = mutex_.acquire();
    auto waiting = wait_for(wanted_);
    server_.cut_off(other_);
    server_.advance(5s);
    server_.reconnect(other_);
    server_.advance(20s);
    EXPECT_EQ(queue_.length("job"), 1);
    held.release();
    EXPECT_EQ(waiting.get().state(), hold_state::held);
}

TEST_F(memory_waiting, of_a_client_that_stays_cut_off_ends_and_blocks_no_other_client)
{
    auto held = mutex_.acquire();
    std::error_code told;
    auto waiting = std::async(std::launch::async, [&] { return wanted_.acquire(told).state(); });
    ASSERT_TRUE(eventually([&] { return queue_.length("job") == 1; }));
    server_.cut_off(other_);
    static_cast<void>(get(waiting));
    EXPECT_EQ(told, errc::unreachable);
    server_.advance(31s);
    EXPECT_EQ(queue_.length("job"), 0) << "its place is kept for as long as its lease";
    held.release();
    EXPECT_FALSE(server_.is_locked("job"));
    server_.reconnect(other_);
    EXPECT_TRUE(wanted_.try_acquire());
}

TEST_F(memory_waiting, of_a_client_that_gave_up_while_it_was_cut_off_costs_little_time)
{
    auto held = mutex_.acquire();
    std::error_code told;
    auto waiting = std::async(std::launch::async, [&] { return wanted_.acquire(told).state(); });
    ASSERT_TRUE(eventually([&] { return queue_.length("job") == 1; }));
    server_.cut_off(other_);
    static_cast<void>(get(waiting));
    EXPECT_EQ(told, errc::unreachable);
    held.release();  // to the waiter that has given up
    server_.reconnect(other_);
    server_.advance(2s);
    EXPECT_FALSE(server_.is_locked("job")) << "its client gave it back";
}

TEST_F(memory_waiting, survives_a_short_freeze_of_the_server)
{
    auto held = mutex_.acquire();
    auto waiting = wait_for(wanted_);
    server_.freeze();
    server_.advance(5s);
    EXPECT_FALSE(is_ready(waiting));
    server_.thaw();
    held.release();
    EXPECT_EQ(waiting.get().state(), hold_state::held);
}

TEST_F(memory_waiting, ends_when_a_frozen_server_executes_the_release_later)
{
    auto held = mutex_.acquire();
    auto waiting = wait_for(patient_);
    server_.freeze();
    auto releasing = std::async(std::launch::async, [&] { held.release(); });
    server_.advance(500ms);
    EXPECT_FALSE(is_ready(waiting));
    server_.thaw();
    releasing.get();
    EXPECT_EQ(waiting.get().state(), hold_state::held);
}

TEST_F(memory_waiting, ends_without_a_lock_if_the_server_stays_frozen)
{
    auto held = mutex_.acquire();
    std::error_code told;
    auto waiting = std::async(std::launch::async, [&] { return wanted_.acquire(told).state(); });
    ASSERT_TRUE(eventually([&] { return queue_.length("job") == 1; }));
    server_.freeze();
    static_cast<void>(get(waiting));
    EXPECT_EQ(told, errc::unreachable);
    server_.thaw();
    server_.advance(2s);
    EXPECT_EQ(queue_.length("job"), 0) << "the delayed look left nothing behind";
    EXPECT_EQ(held.state(), hold_state::held);
    held.release();
    EXPECT_FALSE(server_.is_locked("job"));
}

}  // namespace
}  // namespace pawl::test
