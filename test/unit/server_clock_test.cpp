#include "store/redis/server_clock.h"

#include "unit/at.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstdint>

namespace pawl::store {
namespace {

using namespace std::chrono_literals;
using test::at;

TEST(server_clock, is_unknown_before_the_first_reply)
{
    const server_clock clock{0.01};
    EXPECT_FALSE(clock.at(at(0)));
    EXPECT_FALSE(clock.when(1000ms));
}

TEST(server_clock, is_at_most_the_reported_time_plus_the_truncated_part_of_a_millisecond)
{
    server_clock clock{0};
    clock.heard(5000ms, at(100));
    EXPECT_EQ(clock.at(at(100)), 5001ms);
    EXPECT_EQ(clock.at(at(350)), 5251ms);
    EXPECT_EQ(clock.at(at(350) + 1ns), 5252ms) << "rounded up";
}

TEST(server_clock, may_run_faster_by_the_drift)
{
    server_clock clock{0.05};
    clock.heard(5000ms, at(0));
    EXPECT_EQ(clock.at(at(1000)), 6051ms);
}

TEST(server_clock, does_not_go_back)
{
    server_clock clock{0.05};
    clock.heard(5000ms, at(100));
    EXPECT_EQ(clock.at(at(0)), 5001ms) << "an upper bound, whatever it showed before";
}

TEST(server_clock, showed_a_reported_time_no_earlier_than_the_request_apart_from_truncation)
{
    server_clock clock{0};
    clock.heard(5000ms, at(100));
    EXPECT_EQ(clock.when(5000ms), at(99));
    EXPECT_EQ(clock.when(5251ms), at(350));
    EXPECT_EQ(clock.when(4751ms), at(-150));
}

TEST(server_clock, may_have_shown_a_time_earlier_by_the_drift)
{
    server_clock clock{0.05};
    clock.heard(5000ms, at(100));
    EXPECT_EQ(clock.when(6001ms), at(100 + 1000 - 50)) << "it may run faster";
    EXPECT_EQ(clock.when(4001ms), at(100 - 1000 - 50)) << "it may have run slower";
}

TEST(server_clock, follows_the_last_reply)
{
    server_clock clock{0};
    clock.heard(5000ms, at(100));
    clock.heard(3000ms, at(200));
    EXPECT_EQ(clock.at(at(200)), 3001ms) << "it was set back";
    EXPECT_EQ(clock.when(3001ms), at(200));
}

// A server whose clock runs at `rate`, measured by ours. The rate may differ from 1 in both
// directions, so that one clock differs from the other by at most the drift.
struct server_time {
    base::boot_time origin = at(0);
    double shown_at_origin_ns = 0;
    double rate = 1;

    [[nodiscard]] double ns(base::boot_time now) const
    {
        return shown_at_origin_ns + static_cast<double>((now - origin).count()) * rate;
    }
    [[nodiscard]] std::chrono::milliseconds ms(base::boot_time now) const
    {
        return std::chrono::milliseconds{static_cast<std::int64_t>(ns(now) / 1e6)};
    }
};

// Random values: an answer to a request, and a moment before or after it. The range is small enough
// for a double to be exact to the nanosecond.
struct story {
    double drift;
    server_time server;
    base::boot_time asked;
    base::boot_time executed;
    base::boot_time moment;
};

story any_story()
{
    const auto below = [](std::int64_t limit) { return *rc::gen::inRange<std::int64_t>(0, limit); };
    constexpr std::int64_t hour_ns = 3'600'000'000'000;
    story made;
    made.drift = static_cast<double>(below(501)) / 1000;
    const double slowest = 1 / (1 + made.drift);
    const double position = static_cast<double>(below(1001)) / 1000;
    made.server.rate = slowest + (1 + made.drift - slowest) * position;
    made.server.shown_at_origin_ns = static_cast<double>(10 * hour_ns + below(100 * hour_ns));
    made.asked = at(0) + std::chrono::nanoseconds{below(hour_ns)};
    made.executed = made.asked + std::chrono::nanoseconds{below(10'000'000'000)};
    made.moment = at(0) + std::chrono::nanoseconds{below(2 * hour_ns)};
    return made;
}

// The rounding error of a double.
constexpr auto rounding = 1us;

RC_GTEST_PROP(server_clock, never_showed_a_time_before_the_computed_moment, ())
{
    const auto it = any_story();
    server_clock clock{it.drift};
    clock.heard(it.server.ms(it.executed), it.asked);
    RC_ASSERT(clock.when(it.server.ms(it.moment)).value() <= it.moment + rounding);
}

RC_GTEST_PROP(server_clock, never_shows_more_than_the_computed_maximum, ())
{
    const auto it = any_story();
    server_clock clock{it.drift};
    clock.heard(it.server.ms(it.executed), it.asked);
    const auto latest = std::chrono::nanoseconds{clock.at(it.moment).value()};
    RC_ASSERT(static_cast<double>(latest.count()) + 1000 >= it.server.ns(it.moment));
}

// The bound must also be close. It may be off by the time of the answer, and by twice the drift.
RC_GTEST_PROP(server_clock, is_known_more_exactly_after_a_quicker_answer, ())
{
    const auto it = any_story();
    server_clock clock{it.drift};
    clock.heard(it.server.ms(it.executed), it.asked);
    const auto found = clock.when(it.server.ms(it.moment)).value();
    const auto span = std::chrono::abs(it.moment - it.asked);
    const auto way = it.executed - it.asked;
    const auto apart = std::chrono::duration_cast<std::chrono::nanoseconds>(
        2 * it.drift * (1 + it.drift) * (span + way));
    RC_ASSERT(it.moment - found <= way + apart + 4ms);
}

TEST(server_clock, shows_at_least_what_it_showed_when_the_reply_was_there)
{
    server_clock clock{0};
    EXPECT_FALSE(clock.at_least(at(0)));
    clock.heard(5000ms, at(100));
    EXPECT_FALSE(clock.at_least(at(200))) << "not known when the reply was there";
    clock.heard(5000ms, at(100), at(150));
    EXPECT_EQ(clock.at_least(at(150)), 5000ms);
    EXPECT_EQ(clock.at_least(at(350) + 1ns), 5200ms) << "rounded down";
    EXPECT_FALSE(clock.at_least(at(149))) << "it may have been less before";
}

TEST(server_clock, may_run_slower_by_the_drift)
{
    server_clock clock{0.05};
    clock.heard(5000ms, at(0), at(0));
    EXPECT_EQ(clock.at_least(at(1000)), 5950ms);
}

}  // namespace
}  // namespace pawl::store
