// What client::metrics() counts of holds: renewals, jeopardy and losses.
#include "unit/memory_metrics_fixture.h"

#include <string>

namespace pawl::test {
namespace {

TEST_F(memory_metrics, count_a_renewal_and_what_was_left_of_the_lease)
{
    const auto held = job_.acquire();
    server_.advance(11s);
    const auto now = all();
    EXPECT_EQ(now.renewals, (renewal_metrics{.sent = 1, .done = 1, .failed = 0, .denied = 0}));
    EXPECT_EQ(now.margin.count, 1U);
    EXPECT_GT(now.margin.sum, 18s) << "it is renewed when two thirds of the lease are left";
    EXPECT_LT(now.margin.sum, 21s);
    EXPECT_EQ(of("job").renewals, now.renewals);
    EXPECT_EQ(now.jeopardies, 0U);
}

TEST_F(memory_metrics, count_a_renewal_for_each_lease_in_a_request)
{
    mutex other{measured_, "other"};
    const auto one = job_.acquire();
    const auto two = other.acquire();
    server_.advance(11s);
    EXPECT_EQ(all().renewals.done, 2U);
    EXPECT_EQ(of("job").renewals.done, 1U);
    EXPECT_EQ(of("other").renewals.done, 1U);
}

TEST_F(memory_metrics, count_renewals_that_fail_and_the_recovery)
{
    const auto held = job_.acquire();
    server_.cut_off(measured_);
    server_.advance(20s);
    EXPECT_EQ(held.state(), hold_state::jeopardy);
    EXPECT_GT(all().renewals.failed, 0U);
    EXPECT_EQ(all().jeopardies, 1U);
    EXPECT_EQ(all().recoveries, 0U);
    server_.reconnect(measured_);
    server_.advance(5s);
    EXPECT_EQ(held.state(), hold_state::held);
    EXPECT_EQ(all().jeopardies, 1U);
    EXPECT_EQ(all().recoveries, 1U);
    EXPECT_EQ(all().lost_in_jeopardy, 0U);
    EXPECT_EQ(all().losses.total(), 0U);
    EXPECT_GT(all().renewals.done, 0U);
}

TEST_F(memory_metrics, count_a_loss_in_jeopardy)
{
    const auto held = job_.acquire();
    server_.cut_off(measured_);
    server_.advance(1min);
    EXPECT_EQ(held.state(), hold_state::lost);
    const auto now = all();
    EXPECT_EQ(now.losses[cause::expired], 1U);
    EXPECT_EQ(now.losses.total(), 1U);
    EXPECT_EQ(now.jeopardies, 1U);
    EXPECT_EQ(now.lost_in_jeopardy, 1U);
    EXPECT_EQ(of("job").losses, now.losses);
    EXPECT_EQ(now.held(), 1U) << "it is lost, but its hold is still there";
}

TEST_F(memory_metrics, count_a_lock_that_has_vanished)
{
    const auto held = job_.acquire();
    server_.lose("job");
    server_.advance(11s);
    EXPECT_EQ(all().losses[cause::vanished], 1U);
    EXPECT_EQ(all().losses.total(), 1U);
    EXPECT_EQ(all().renewals.denied, 1U);
    EXPECT_EQ(all().lost_in_jeopardy, 0U);
}

TEST_F(memory_metrics, count_a_lock_that_another_holder_has_taken)
{
    auto held = job_.acquire();
    server_.lose("job");
    const auto theirs = theirs_.acquire();
    EXPECT_FALSE(held.confirm());
    EXPECT_EQ(all().losses[cause::taken], 1U);
    EXPECT_EQ(all().losses.total(), 1U);
}

TEST_F(memory_metrics, count_a_hold_that_lasted_too_long)
{
    mutex limited{measured_, "job", {.lease = 3s, .longest_hold = 10s}};
    const auto held = limited.acquire();
    server_.advance(11s);
    EXPECT_EQ(all().losses[cause::held_too_long], 1U);
    EXPECT_EQ(all().losses.total(), 1U);
}

TEST_F(memory_metrics, count_a_heartbeat_that_stopped)
{
    mutex beating{measured_, "job", {.lease = 3s, .heartbeat = 2s}};
    const auto held = beating.acquire();
    server_.advance(11s);
    EXPECT_EQ(all().losses[cause::no_beat], 1U);
    EXPECT_EQ(all().losses.total(), 1U);
    EXPECT_EQ(all().lost_in_jeopardy, 1U);
}

TEST_F(memory_metrics, do_not_count_the_loss_of_a_lock_that_only_lingers)
{
    mutex lingering{measured_, "job", {.linger = 1min}};
    ASSERT_TRUE(eventually([&] {
        lingering.acquire().release();
        return server_.is_locked("job");
    }));
    server_.lose("job");
    server_.advance(11s);
    EXPECT_EQ(all().losses.total(), 0U);
    EXPECT_EQ(measured_.metrics().leases, 0U);
}

TEST_F(memory_metrics, count_a_lost_hold_when_it_is_given_up)
{
    auto held = job_.acquire();
    server_.lose("job");
    EXPECT_FALSE(held.confirm());
    EXPECT_EQ(all().hold.count, 0U);
    EXPECT_EQ(code_of([&] { held.release(); }), errc::lost);
    EXPECT_EQ(all().hold.count, 1U);
    EXPECT_EQ(all().held(), 0U);
}

}  // namespace
}  // namespace pawl::test
