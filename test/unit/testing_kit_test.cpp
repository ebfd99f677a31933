// The levers of <pawl/testing.h>: their effects on holders and waiters.
#include "unit/memory_fixture.h"

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <vector>

namespace pawl::test {
namespace {

using pawl::testing::memory_server;

class testing_kit : public with_memory {
protected:
    // Runs a call in another thread.
    template <class Call>
    [[nodiscard]] static auto start(Call call)
    {
        return std::async(std::launch::async, std::move(call));
    }

    mutex fixed_{client_, "fixed", {.lease = 30s, .renew = false}};
};

// ── Time ────────────────────────────────────────────────────────────────────────────────────────

TEST_F(testing_kit, a_lease_that_is_not_renewed_ends_with_time)
{
    const auto held = fixed_.acquire();
    const auto token = held.lost();
    server_.advance(29s);
    EXPECT_EQ(held.state(), hold_state::held);
    EXPECT_FALSE(token.stop_requested());
    EXPECT_LT(held.valid_for(), 1s);
    server_.advance(2s);
    EXPECT_TRUE(token.stop_requested()) << "even for a token that was taken before";
    EXPECT_TRUE(held.lost().stop_requested());
    EXPECT_EQ(held.state(), hold_state::lost);
    EXPECT_EQ(held.why(), cause::expired);
    EXPECT_FALSE(server_.is_locked("fixed"));
    EXPECT_EQ(events_.count(hold_state::lost), 1U) << "the handler has been called";
}

TEST_F(testing_kit, a_lease_that_is_renewed_lasts_however_much_time_passes)
{
    const auto held = mutex_.acquire();
    for (const std::chrono::nanoseconds far : {25s, 31s, 600s, 3600s}) {
        server_.advance(far);
        EXPECT_EQ(held.state(), hold_state::held);
        EXPECT_GT(held.valid_for(), 19s);
        EXPECT_EQ(server_.holder("job"), held.id());
    }
    EXPECT_EQ(events_.count(hold_state::jeopardy), 0U);
}

TEST_F(testing_kit, many_leases_of_many_clients_are_renewed)
{
    std::vector<std::unique_ptr<client>> clients;
    std::vector<std::unique_ptr<mutex>> locks;
    std::vector<hold> holds;
    for (int i = 0; i < 8; ++i) {
        clients.push_back(std::make_unique<client>(options()));
        for (int j = 0; j < 8; ++j) {
            const auto name = std::to_string(i) + ':' + std::to_string(j);
            locks.push_back(std::make_unique<mutex>(
                *clients.back(), name, lock_options{.lease = std::chrono::seconds{10 + j}}));
            holds.push_back(locks.back()->acquire());
            server_.advance(777ms);
        }
    }
    server_.advance(1min);
    for (const auto& held : holds) EXPECT_EQ(held.state(), hold_state::held);
    EXPECT_EQ(events_.count(hold_state::jeopardy), 0U);
}

TEST_F(testing_kit, a_waiter_gets_the_lock_when_the_lease_ends)
{
    const auto held = fixed_.acquire();
    client other{server_.url()};
    mutex wanted{other, "fixed"};
    std::atomic<bool> begun = false;
    auto waiting = start([&] {
        begun = true;
        return wanted.try_acquire_for(32s);
    });
    ASSERT_TRUE(eventually([&] { return begun.load(); }));
    // The two threads may run in any order. In the end enough time has passed.
    while (waiting.wait_for(0s) != std::future_status::ready) server_.advance(1s);
    const auto got = waiting.get();
    ASSERT_TRUE(got);
    EXPECT_GT(got->fence(), held.fence());
    EXPECT_EQ(held.state(), hold_state::lost);
}

TEST_F(testing_kit, a_waiter_is_told_when_its_limit_has_passed)
{
    const auto held = mutex_.acquire();
    client other{server_.url()};
    mutex wanted{other, "job"};
    std::error_code told;
    auto waiting = start([&] { return wanted.try_acquire_for(1min, told).has_value(); });
    while (waiting.wait_for(0s) != std::future_status::ready) server_.advance(20s);
    EXPECT_FALSE(waiting.get());
    EXPECT_EQ(told, errc::timed_out);
    EXPECT_EQ(held.state(), hold_state::held);
}

TEST_F(testing_kit, fences_follow_the_servers_time)
{
    const auto before = fixed_.acquire().fence();
    server_.advance(1h);
    EXPECT_GE(fixed_.acquire().fence() - before, 3'600'000'000U);
}

TEST_F(testing_kit, time_cannot_be_moved_back_or_too_far)
{
    EXPECT_EQ(code_of([&] { server_.advance(-1ns); }), errc::bad_argument);
    EXPECT_EQ(code_of([&] { server_.advance(std::chrono::hours{24 * 366}); }), errc::bad_argument);
    server_.advance(0s);
    server_.advance(std::chrono::hours{24 * 365});
}

TEST_F(testing_kit, time_passes_for_the_clients_of_one_server_only)
{
    memory_server elsewhere;
    client stranger{elsewhere.url()};
    mutex lock{stranger, "fixed", {.lease = 30s, .renew = false}};
    const auto held = lock.acquire();
    server_.advance(1h);
    EXPECT_GT(held.valid_for(), 20s);
}

TEST_F(testing_kit, time_may_be_advanced_by_a_handler_and_by_a_stop_callback)
{
    const auto held = fixed_.acquire();
    mutex longer{client_, "longer", {.lease = 1min, .renew = false}};
    const auto second = longer.acquire();
    {
        const std::stop_callback on_loss{held.lost(), [&] { server_.advance(1min); }};
        server_.advance(31s);
        EXPECT_TRUE(eventually([&] { return second.state() == hold_state::lost; }));
    }
}

TEST_F(testing_kit, a_handler_may_use_the_lock)
{
    std::optional<client> other;
    std::optional<mutex> again;
    std::optional<hold> taken_anew;
    auto made = options();
    made.on_event = [&](const event& what) {
        if (what.to == hold_state::lost) taken_anew = again->acquire();
    };
    other.emplace(made);
    again.emplace(*other, "again", lock_options{.lease = 10s, .renew = false});
    const auto held = again->acquire();
    server_.advance(11s);
    ASSERT_TRUE(taken_anew) << "the handler was waited for";
    EXPECT_EQ(server_.holder("again"), taken_anew->id());
    EXPECT_EQ(taken_anew->state(), hold_state::held);
}

TEST_F(testing_kit, a_handler_that_is_stuck_delays_time_for_one_second_only)
{
    std::promise<void> let_go;
    auto made = options();
    made.on_event = [&](const event&) { let_go.get_future().wait(); };
    {
        client other{made};
        mutex lock{other, "stuck", {.lease = 10s, .renew = false}};
        const auto held = lock.acquire();
        server_.advance(1min);
        EXPECT_EQ(held.state(), hold_state::lost);
        let_go.set_value();
    }
}

// ── The server does not answer ──────────────────────────────────────────────────────────────────

TEST_F(testing_kit, a_frozen_server_makes_every_hold_lost_at_its_deadline)
{
    const auto held = mutex_.acquire();
    server_.freeze();
    server_.advance(20s);
    EXPECT_EQ(held.state(), hold_state::jeopardy);
    EXPECT_EQ(held.why(), cause::no_reply);
    server_.advance(11s);
    EXPECT_TRUE(held.lost().stop_requested());
    EXPECT_EQ(held.state(), hold_state::lost);
    EXPECT_EQ(held.why(), cause::expired);
    server_.thaw();
}

TEST_F(testing_kit, a_server_that_thaws_in_time_costs_nothing)
{
    const auto held = mutex_.acquire();
    server_.freeze();
    server_.advance(20s);
    server_.thaw();
    server_.advance(1s);
    EXPECT_EQ(held.state(), hold_state::held);
    EXPECT_EQ(held.why(), cause::none);
    server_.advance(1h);
    EXPECT_EQ(held.state(), hold_state::held);
}

TEST_F(testing_kit, a_frozen_server_is_unreachable_after_the_command_limit)
{
    client_.ping();
    server_.freeze();
    std::error_code told;
    auto asking = start([&] { return mutex_.try_acquire(told).has_value(); });
    while (asking.wait_for(0s) != std::future_status::ready) server_.advance(1s);
    EXPECT_FALSE(asking.get());
    EXPECT_EQ(told, errc::unreachable);
    // The server may have got the request, and executes it now. The client gives the lock back.
    server_.thaw();
    server_.advance(1s);
    EXPECT_FALSE(server_.is_locked("job"));
}

TEST_F(testing_kit, a_call_to_a_frozen_server_is_answered_when_it_thaws)
{
    client_.ping();
    server_.freeze();
    auto asking = start([&] { return mutex_.acquire(); });
    server_.advance(500ms);
    server_.thaw();
    EXPECT_EQ(asking.get().state(), hold_state::held);
}

TEST_F(testing_kit, a_call_to_a_frozen_server_can_be_stopped)
{
    server_.freeze();
    std::stop_source stop;
    std::error_code told;
    auto asking = start([&] { return mutex_.acquire(stop.get_token(), told); });
    stop.request_stop();
    EXPECT_FALSE(asking.get());
    EXPECT_EQ(told, errc::cancelled);
    server_.thaw();
}

TEST_F(testing_kit, a_client_that_is_cut_off_loses_its_lock_and_another_gets_it)
{
    client other{options()};
    mutex wanted{other, "job"};
    mutex kept_by_other{other, "other"};
    const auto others = kept_by_other.acquire();
    auto held = mutex_.acquire();
    server_.cut_off(client_);
    server_.advance(31s);
    EXPECT_EQ(held.state(), hold_state::lost);
    EXPECT_EQ(held.why(), cause::expired);
    EXPECT_EQ(others.state(), hold_state::held);
    const auto next = wanted.try_acquire();
    ASSERT_TRUE(next);
    EXPECT_GT(next->fence(), held.fence());

    server_.reconnect(client_);
    client_.ping();
    std::error_code told;
    held.release(told);
    EXPECT_EQ(told, errc::lost);
    server_.advance(1min);
    EXPECT_EQ(server_.holder("job"), next->id()) << "the late release frees nothing";
}

TEST_F(testing_kit, a_client_that_is_cut_off_for_a_moment_notices_nothing)
{
    const auto held = mutex_.acquire();
    server_.cut_off(client_);
    server_.advance(9s);
    server_.reconnect(client_);
    server_.advance(1min);
    EXPECT_EQ(held.state(), hold_state::held);
    EXPECT_EQ(events_.count(hold_state::jeopardy), 0U);
}

TEST_F(testing_kit, only_its_own_clients_can_be_cut_off)
{
    client stranger{"memory:"};
    client real{"unix:/nonexistent"};
    EXPECT_EQ(code_of([&] { server_.cut_off(stranger); }), errc::bad_argument);
    EXPECT_EQ(code_of([&] { server_.reconnect(real); }), errc::bad_argument);
}

TEST_F(testing_kit, a_client_may_be_destroyed_while_the_server_is_frozen)
{
    client_options impatient;  // without handlers, which might outlive the test
    impatient.url = server_.url();
    impatient.shutdown_limit = 0ms;
    std::optional<client> other{std::in_place, impatient};
    std::optional<mutex> lock{std::in_place, *other, "left"};
    std::optional<hold> held = lock->acquire();
    const auto id = held->id();
    server_.advance(11s);  // it was renewed, and the server knows the script
    server_.freeze();
    server_.advance(10s);  // the next renewal is on its way
    other.reset();
    EXPECT_EQ(held->why(), cause::closed);
    held.reset();
    lock.reset();
    server_.thaw();
    EXPECT_EQ(server_.holder("left"), id);
    server_.advance(25s);
    EXPECT_EQ(server_.holder("left"), id) << "the late renewal counted";
    server_.advance(6s);
    EXPECT_FALSE(server_.is_locked("left"));
}

// ── The server forgets, or is full ──────────────────────────────────────────────────────────────

TEST_F(testing_kit, a_lock_whose_key_is_gone_is_lost_at_the_next_renewal)
{
    const auto held = mutex_.acquire();
    server_.lose("job");
    EXPECT_FALSE(server_.is_locked("job"));
    EXPECT_EQ(held.state(), hold_state::held) << "the holder does not know it yet";
    server_.advance(10s);
    EXPECT_EQ(held.state(), hold_state::lost);
    EXPECT_EQ(held.why(), cause::vanished);
    EXPECT_EQ(events_.first(hold_state::lost).why, cause::vanished);
}

TEST_F(testing_kit, a_lock_whose_key_was_taken_is_lost_to_the_next_holder)
{
    client other{server_.url()};
    mutex wanted{other, "job"};
    const auto held = mutex_.acquire();
    server_.lose("job");
    const auto next = wanted.try_acquire();
    ASSERT_TRUE(next);
    EXPECT_GT(next->fence(), held.fence());
    server_.advance(10s);
    EXPECT_EQ(held.why(), cause::taken);
    EXPECT_EQ(next->state(), hold_state::held);
}

TEST_F(testing_kit, all_locks_are_lost_with_the_data_and_fences_go_on)
{
    const auto held = mutex_.acquire();
    const auto other = fixed_.acquire();
    server_.lose_data();
    EXPECT_FALSE(server_.is_locked("job"));
    EXPECT_FALSE(server_.is_locked("fixed"));
    client next{server_.url()};
    mutex wanted{next, "job"};
    EXPECT_GT(wanted.acquire().fence(), held.fence());
    server_.advance(10s);
    EXPECT_EQ(held.state(), hold_state::lost);
}

TEST_F(testing_kit, with_memory_full_only_acquiring_is_refused)
{
    auto held = mutex_.acquire();
    server_.fill_memory();
    EXPECT_EQ(code_of([&] { (void)fixed_.try_acquire(); }), errc::refused);
    server_.advance(1min);
    EXPECT_EQ(held.state(), hold_state::held);
    held.release();
    EXPECT_FALSE(server_.is_locked("job"));
    server_.free_memory();
    EXPECT_TRUE(fixed_.try_acquire());
}

TEST_F(testing_kit, scripts_that_are_forgotten_are_sent_again)
{
    auto held = mutex_.acquire();
    server_.flush_scripts();
    server_.advance(1min);
    server_.flush_scripts();
    held.release();
    server_.flush_scripts();
    EXPECT_TRUE(mutex_.try_acquire());
}

// ── Several levers, several threads ─────────────────────────────────────────────────────────────

TEST_F(testing_kit, the_faults_end_when_the_last_memory_server_object_is_destroyed)
{
    std::optional<memory_server> one{std::in_place, "kit.lifetime"};
    std::optional<memory_server> two{std::in_place, "kit.lifetime"};
    EXPECT_EQ(one->url(), "memory:kit.lifetime");
    client user{one->url()};
    user.ping();
    one->freeze();
    one->cut_off(user);
    one->fill_memory();
    std::error_code told;
    auto asking = start([&] { return mutex{user, "job"}.try_acquire(told).has_value(); });
    one.reset();
    two.reset();
    EXPECT_TRUE(asking.get()) << told.message();
}

TEST_F(testing_kit, names_are_checked)
{
    for (const auto* const name : {"", "a b", "a?db=0", "//a"}) {
        EXPECT_EQ(code_of([&] { const memory_server made{name}; }), errc::bad_argument) << name;
    }
    EXPECT_NE(memory_server{}.url(), server_.url());
}

TEST_F(testing_kit, levers_may_be_used_by_many_threads_at_once)
{
    std::atomic<bool> enough = false;
    std::atomic<int> granted = 0;
    std::vector<std::jthread> hands;
    for (int t = 0; t < 3; ++t) {
        hands.emplace_back([&] {
            auto quick = options();
            quick.command_limit = 200ms;
            client own{quick};
            mutex lock{own, "contended", {.lease = 1s, .wait = poll{1ms}}};
            while (!enough) {
                std::error_code told;
                if (const auto held = lock.try_acquire_for(20ms, told)) ++granted;
                server_.cut_off(own);
                server_.reconnect(own);
            }
        });
    }
    for (const std::function<void()>& pull : std::vector<std::function<void()>>{
             [&] { server_.advance(700ms); }, [&] { server_.lose("contended"); },
             [&] { server_.lose_data(), server_.flush_scripts(); },
             [&] { server_.fill_memory(), server_.free_memory(); },
             [&] { server_.freeze(), server_.advance(30ms), server_.thaw(); },
             [&] { (void)server_.holder("contended"); }}) {
        hands.emplace_back([&, pull] {
            while (!enough) {
                pull();
                std::this_thread::yield();
            }
        });
    }
    EXPECT_TRUE(eventually([&] { return granted > 100; }));
    enough = true;
    hands.clear();
    EXPECT_TRUE(eventually([&] { return !server_.is_locked("contended"); }));
}

}  // namespace
}  // namespace pawl::test
