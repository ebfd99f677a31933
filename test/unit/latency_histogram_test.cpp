// Durations that are counted and read back.
#include "common/latency_histogram.h"

#include <gtest/gtest.h>

#include <chrono>

namespace pawl::common {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

latency_histogram of(std::initializer_list<nanoseconds> durations)
{
    latency_histogram result;
    for (const nanoseconds each : durations) result.add(each);
    return result;
}

TEST(latency_histogram, is_empty_at_first)
{
    const latency_histogram nothing;
    EXPECT_EQ(nothing.count(), 0U);
    EXPECT_EQ(nothing.min(), 0ns);
    EXPECT_EQ(nothing.max(), 0ns);
    EXPECT_EQ(nothing.quantile(0.5), 0ns);
    EXPECT_EQ(nothing.count_below(1h), 0U);
}

TEST(latency_histogram, knows_the_exact_minimum_and_maximum)
{
    const latency_histogram times = of({12'345'678ns, 1'234ns, 77'777ns});
    EXPECT_EQ(times.min(), 1'234ns);
    EXPECT_EQ(times.max(), 12'345'678ns);
    EXPECT_EQ(times.quantile(1), 12'345'678ns);
}

TEST(latency_histogram, reads_every_duration_back_at_most_a_64th_too_long)
{
    for (nanoseconds::rep value = 1; value < 60'000'000'000; value += value / 7 + 1) {
        latency_histogram times = of({nanoseconds{value}, 1h});
        const nanoseconds back = times.quantile(0.4);
        EXPECT_GE(back.count(), value);
        EXPECT_LE(back.count(), value + value / 64) << value;
    }
}

TEST(latency_histogram, has_quantiles)
{
    latency_histogram times;
    for (int i = 1; i <= 1000; ++i) times.add(nanoseconds{i * 1'000});
    EXPECT_NEAR(static_cast<double>(times.quantile(0.5).count()), 501'000, 501'000 / 64.0);
    EXPECT_NEAR(static_cast<double>(times.quantile(0.99).count()), 991'000, 991'000 / 64.0);
}

TEST(latency_histogram, counts_shorter_durations)
{
    const latency_histogram times = of({10ns, 20ns, 20ns, 30ns});
    EXPECT_EQ(times.count_below(-1ns), 0U);
    EXPECT_EQ(times.count_below(10ns), 0U);
    EXPECT_EQ(times.count_below(20ns), 1U);
    EXPECT_EQ(times.count_below(21ns), 3U);
    EXPECT_EQ(times.count_below(30ns), 3U);
    EXPECT_EQ(times.count_below(31ns), 4U);
}

TEST(latency_histogram, accepts_impossible_durations)
{
    const latency_histogram times = of({-5ns, 10h});
    EXPECT_EQ(times.min(), 0ns);
    EXPECT_EQ(times.max(), 10h);
    EXPECT_EQ(times.quantile(0.9), 10h);
    EXPECT_EQ(times.count_below(10h), 1U);
    EXPECT_EQ(times.count_below(11h), 2U);
}

TEST(latency_histogram, can_be_added_to_another)
{
    latency_histogram all = of({10ns});
    all.add(of({5ns, 40ns}));
    all.add(latency_histogram{});
    EXPECT_EQ(all.count(), 3U);
    EXPECT_EQ(all.min(), 5ns);
    EXPECT_EQ(all.max(), 40ns);
    EXPECT_EQ(all.quantile(0.5), 10ns);
}

}  // namespace
}  // namespace pawl::common
