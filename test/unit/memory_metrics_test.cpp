// What client::metrics() counts of calls that ask for a lock.
#include "unit/memory_metrics_fixture.h"

#include <pawl/condition_variable.h>
#include <pawl/futures.h>

#include <future>
#include <stop_token>
#include <utility>

namespace pawl::test {
namespace {

// ── Ways of a grant ─────────────────────────────────────────────────────────────────────────────

TEST_F(memory_metrics, are_zero_for_a_new_client)
{
    const auto now = measured_.metrics();
    EXPECT_EQ(now.all, lock_metrics{});
    ASSERT_EQ(now.locks.size(), 2U);
    EXPECT_EQ(now.locks.at("job"), lock_metrics{});
    EXPECT_EQ(now.requests, request_metrics{});
    EXPECT_EQ(now.connections, connection_metrics{});
    EXPECT_EQ(now.leases, 0U);
    EXPECT_EQ(now.waiters, 0U);
    EXPECT_FALSE(now.listening);
}

TEST_F(memory_metrics, count_a_free_lock_with_its_wait_and_its_hold)
{
    auto held = job_.acquire();
    EXPECT_EQ(all().granted[grant_way::free], 1U);
    EXPECT_EQ(all().granted.total(), 1U);
    EXPECT_EQ(all().wait.count, 1U);
    EXPECT_EQ(all().hold.count, 0U);
    EXPECT_EQ(all().held(), 1U);
    EXPECT_EQ(measured_.metrics().leases, 1U);
    server_.advance(12s);
    held.release();
    EXPECT_EQ(all().hold.count, 1U);
    EXPECT_GE(all().hold.sum, 12s);
    EXPECT_LT(all().hold.sum, 12s + 5s) << "and the real time of the test";
    EXPECT_EQ(all().held(), 0U);
    EXPECT_EQ(all().attempts(), 1U);
    EXPECT_EQ(measured_.metrics().leases, 0U);
}

TEST_F(memory_metrics, count_a_hand_over_and_how_long_it_took)
{
    auto theirs = theirs_.acquire();
    auto waiting = wait_for(job_);
    EXPECT_EQ(measured_.metrics().waiters, 1U);
    EXPECT_TRUE(measured_.metrics().listening);
    theirs.release();
    waiting.get().release();
    EXPECT_EQ(all().granted[grant_way::handed_over], 1U);
    EXPECT_EQ(all().granted.total(), 1U);
    EXPECT_EQ(all().hand_over.count, 1U);
    EXPECT_EQ(all().wait.count, 1U);
    EXPECT_EQ(measured_.metrics().waiters, 0U);
}

TEST_F(memory_metrics, say_how_long_the_queues_were_that_callers_joined)
{
    client third{options()};
    mutex another{third, "job"};
    auto theirs = theirs_.acquire();
    auto first = wait_for(another);
    auto second = wait_for(job_, 2);
    EXPECT_EQ(all().queue, (queue_metrics{.joined = 1, .waiters = 2, .longest = 2}));
    EXPECT_EQ(of("job").queue, all().queue);
    EXPECT_EQ(third.metrics().all.queue, (queue_metrics{.joined = 1, .waiters = 1, .longest = 1}));
    theirs.release();
    first.get().release();
    second.get().release();
    EXPECT_EQ(all().queue.joined, 1U) << "a hand-over does not join";
    EXPECT_EQ(all().queue.mean(), 2.0);
}

TEST_F(memory_metrics, count_a_lock_that_is_passed_on)
{
    auto held = job_.acquire();
    auto next = futures::acquire(job_);
    // Calls of one client start in order, so the first one is in line when this one has ended.
    mutex second{measured_, "second"};
    futures::acquire(second).get().release();
    held.release();
    next.get().release();
    EXPECT_EQ(all().granted[grant_way::passed_on], 1U);
    EXPECT_EQ(all().granted[grant_way::free], 2U);
    EXPECT_EQ(all().granted.total(), 3U);
    EXPECT_EQ(all().wait.count, 3U);
    EXPECT_EQ(all().hold.count, 3U);
    EXPECT_EQ(of("job").granted.total(), 2U);
}

TEST_F(memory_metrics, count_a_lock_that_lingered)
{
    mutex lingering{measured_, "job", {.linger = 10s}};
    // It lingers only when the client listens.
    ASSERT_TRUE(eventually([&] {
        lingering.acquire().release();
        return server_.is_locked("job");
    }));
    const auto before = all();
    for (int i = 0; i < 5; ++i) lingering.acquire().release();
    const auto after = all();
    EXPECT_EQ(after.granted[grant_way::lingered] - before.granted[grant_way::lingered], 5U);
    EXPECT_EQ(after.granted.total() - before.granted.total(), 5U);
    EXPECT_EQ(after.wait.count - before.wait.count, 5U);
    EXPECT_EQ(after.hold.count - before.hold.count, 5U);
    EXPECT_EQ(after.held(), 0U);
    EXPECT_EQ(measured_.metrics().leases, 1U) << "it is idle, but here";
    EXPECT_EQ(of("job"), all());
}

TEST_F(memory_metrics, count_a_reader_that_joins)
{
    shared_mutex prices{measured_, "prices"};
    // The second one must come within 10 ms, so it may take several tries.
    while (all().granted[grant_way::joined] == 0) {
        auto first = prices.acquire_shared();
        auto second = prices.acquire_shared();
    }
    const auto now = all();
    EXPECT_EQ(now.granted[grant_way::joined], 1U);
    EXPECT_EQ(now.wait.count, now.granted.total());
    EXPECT_EQ(now.hold.count, now.granted.total());
}

TEST_F(memory_metrics, count_a_re_entry_but_neither_a_wait_nor_a_hold_of_it)
{
    recursive_mutex again{measured_, "job"};
    auto first = again.acquire();
    auto second = again.acquire();
    auto third = again.acquire();
    EXPECT_EQ(all().granted[grant_way::free], 1U);
    EXPECT_EQ(all().granted[grant_way::re_entered], 2U);
    EXPECT_EQ(all().attempts(), 3U);
    EXPECT_EQ(all().held(), 1U);
    third.release();
    second.release();
    EXPECT_EQ(all().hold.count, 0U);
    first.release();
    EXPECT_EQ(all().hold.count, 1U);
    EXPECT_EQ(all().wait.count, 1U);
    EXPECT_EQ(of("job"), all());
}

TEST_F(memory_metrics, count_a_change_of_sides_as_another_grant)
{
    shared_mutex prices{measured_, "job"};
    auto writer = prices.acquire();
    auto reader = prices.downgrade(std::move(writer));
    EXPECT_EQ(all().granted[grant_way::changed], 1U);
    EXPECT_EQ(all().hold.count, 1U);
    EXPECT_EQ(all().held(), 1U);
    EXPECT_EQ(all().attempts(), 1U);
    reader.release();
    EXPECT_EQ(all().hold.count, 2U);
    EXPECT_EQ(all().wait.count, 1U);
}

TEST_F(memory_metrics, count_the_end_of_a_wait_for_a_condition)
{
    condition_variable more{job_, "more"};
    condition_variable their_more{theirs_, "more"};
    auto waiting = std::async(std::launch::async, [&] {
        auto held = job_.acquire();
        more.wait(held);
        held.release();
    });
    ASSERT_TRUE(eventually([&] { return queue_.length("job", "more") == 1; }));
    EXPECT_EQ(all().hold.count, 1U) << "the lock was given back";
    their_more.notify_all();
    waiting.get();
    EXPECT_EQ(all().granted[grant_way::free], 1U);
    EXPECT_EQ(all().granted[grant_way::woken], 1U);
    EXPECT_EQ(all().hold.count, 2U);
    EXPECT_EQ(all().wait.count, 1U);
    EXPECT_EQ(all().attempts(), 1U);
}

// ── Calls without a grant ───────────────────────────────────────────────────────────────────────

TEST_F(memory_metrics, count_what_was_busy)
{
    const auto theirs = theirs_.acquire();
    EXPECT_FALSE(job_.try_acquire());
    EXPECT_FALSE(futures::try_acquire(job_).get());
    EXPECT_EQ(all().not_granted[errc::busy], 2U);
    EXPECT_EQ(all().not_granted.total(), 2U);
    EXPECT_EQ(all().granted.total(), 0U);
    EXPECT_EQ(all().attempts(), 2U);
}

TEST_F(memory_metrics, count_what_timed_out)
{
    const auto theirs = theirs_.acquire();
    EXPECT_FALSE(job_.try_acquire_for(5ms));
    EXPECT_EQ(all().not_granted[errc::timed_out], 1U);
    EXPECT_EQ(all().not_granted.total(), 1U);
}

TEST_F(memory_metrics, count_what_was_cancelled_before_and_during_the_wait)
{
    const auto theirs = theirs_.acquire();
    std::stop_source enough;
    std::error_code ec;
    auto waiting = std::async(std::launch::async, [&] {
        std::error_code why;
        static_cast<void>(job_.acquire(enough.get_token(), why));
        return why;
    });
    ASSERT_TRUE(eventually([&] { return queue_.length("job") == 1; }));
    enough.request_stop();
    EXPECT_EQ(waiting.get(), errc::cancelled);
    static_cast<void>(job_.acquire(enough.get_token(), ec));
    EXPECT_EQ(ec, errc::cancelled);
    EXPECT_EQ(all().not_granted[errc::cancelled], 2U);
    EXPECT_EQ(all().not_granted.total(), 2U);
}

TEST_F(memory_metrics, count_a_server_that_does_not_answer)
{
    auto brief = with_names();
    brief.command_limit = 50ms;
    client hasty{brief};
    mutex job{hasty, "job"};
    server_.cut_off(hasty);
    EXPECT_EQ(code_of([&] { static_cast<void>(job.try_acquire()); }), errc::unreachable);
    EXPECT_EQ(hasty.metrics().all.not_granted[errc::unreachable], 1U);
    EXPECT_EQ(hasty.metrics().all.not_granted.total(), 1U);
    EXPECT_GE(hasty.metrics().requests.failed, 1U);
    EXPECT_EQ(hasty.metrics().requests.round_trip.count, 0U);
}

TEST_F(memory_metrics, count_a_refusal)
{
    server_.fill_memory();
    EXPECT_EQ(code_of([&] { static_cast<void>(job_.try_acquire()); }), errc::refused);
    server_.free_memory();
    EXPECT_EQ(all().not_granted[errc::refused], 1U);
    EXPECT_EQ(all().not_granted.total(), 1U);
}

TEST_F(memory_metrics, count_a_thread_that_would_wait_for_itself)
{
    job_.lock();
    EXPECT_EQ(code_of([&] { job_.lock(); }), errc::would_deadlock);
    EXPECT_FALSE(job_.try_lock());
    job_.unlock();
    EXPECT_EQ(all().not_granted[errc::would_deadlock], 2U);
    EXPECT_EQ(all().granted.total(), 1U);
}

TEST_F(memory_metrics, count_a_run_that_is_not_due)
{
    once_per report{measured_, "job", 1h};
    report.try_begin()->done();
    EXPECT_FALSE(report.try_begin());
    EXPECT_EQ(all().granted[grant_way::free], 1U);
    EXPECT_EQ(all().not_granted[errc::not_due], 1U);
    EXPECT_EQ(of("job"), all());
}

// ── Which locks are counted ─────────────────────────────────────────────────────────────────────

TEST_F(memory_metrics, of_a_lock_are_those_of_all_mutexes_of_its_name)
{
    mutex twin{measured_, "job", {.lease = 5s}};
    mutex unmeasured{measured_, "third"};
    job_.acquire().release();
    twin.acquire().release();
    unmeasured.acquire().release();
    EXPECT_EQ(of("job").granted.total(), 2U);
    EXPECT_EQ(of("job").hold.count, 2U);
    EXPECT_EQ(of("other"), lock_metrics{});
    EXPECT_EQ(all().granted.total(), 3U);
}

TEST_F(memory_metrics, of_a_lock_do_not_count_a_set_with_that_lock)
{
    lock_set both{measured_, {"job", "other"}};
    both.acquire().release();
    EXPECT_EQ(all().granted.total(), 1U);
    EXPECT_EQ(of("job"), lock_metrics{});
    EXPECT_EQ(of("other"), lock_metrics{});
}

TEST_F(memory_metrics, do_not_count_gates)
{
    latch start{measured_, "job", 1};
    EXPECT_FALSE(start.try_wait());
    start.count_down();
    start.wait();
    EXPECT_EQ(all(), lock_metrics{});
    EXPECT_GT(measured_.metrics().requests.sent, 0U);
}

TEST_F(memory_metrics, count_each_request_and_its_round_trip)
{
    job_.acquire().release();  // from now on, the server knows the scripts
    const auto before = measured_.metrics().requests;
    for (int i = 0; i < 10; ++i) job_.acquire().release();
    const auto after = measured_.metrics().requests;
    EXPECT_EQ(after.sent - before.sent, 20U);
    EXPECT_EQ(after.round_trip.count - before.round_trip.count, 20U);
    EXPECT_EQ(after.failed, 0U);
}

}  // namespace
}  // namespace pawl::test
