// Ranges with round bounds for a latency histogram.
#include "log_buckets.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <random>

namespace pawl::cli {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

// Checks what must be true for all histograms.
void check(const common::latency_histogram& times, const std::vector<log_bucket>& buckets,
           std::size_t most)
{
    ASSERT_FALSE(buckets.empty());
    EXPECT_LE(buckets.size(), most);
    EXPECT_LE(buckets.front().from, times.min());
    EXPECT_GE(buckets.back().to, times.max());
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        EXPECT_LE(buckets[i].from, buckets[i].to);
        if (i > 0) {
            EXPECT_EQ(buckets[i].from, buckets[i - 1].to);
        }
        sum += buckets[i].count;
    }
    EXPECT_EQ(sum, times.count());
}

TEST(log_buckets, of_an_empty_histogram_are_empty)
{
    EXPECT_TRUE(log_buckets(common::latency_histogram{}, 12).empty());
}

TEST(log_buckets, of_one_value_are_one_range)
{
    common::latency_histogram times;
    times.add(33us);
    const auto buckets = log_buckets(times, 12);
    ASSERT_EQ(buckets.size(), 1U);
    EXPECT_EQ(buckets[0].from, 32us);
    EXPECT_EQ(buckets[0].to, 36us);
    EXPECT_EQ(buckets[0].count, 1U);
}

TEST(log_buckets, are_narrow_if_the_values_are_close_together)
{
    common::latency_histogram times;
    for (nanoseconds value = 30us; value < 60us; value += 100ns) times.add(value);
    const auto buckets = log_buckets(times, 12);
    check(times, buckets, 12);
    EXPECT_GE(buckets.size(), 6U);
}

TEST(log_buckets, put_the_few_extreme_values_into_the_last_range)
{
    common::latency_histogram times;
    for (int i = 0; i < 100'000; ++i) times.add(nanoseconds{30'000 + i % 15'000});
    times.add(5s);
    const auto buckets = log_buckets(times, 12);
    check(times, buckets, 12);
    EXPECT_EQ(buckets.back().count, 1U);
    EXPECT_EQ(buckets.back().from, 50us);
    EXPECT_EQ(buckets.back().to, 5s);
}

TEST(log_buckets, cover_any_values_with_the_allowed_number_of_lines)
{
    std::mt19937 random{1};
    std::uniform_real_distribution<double> exponent{0, 12};
    for (const std::size_t most : {2U, 3U, 5U, 12U, 20U}) {
        for (int round = 0; round < 200; ++round) {
            common::latency_histogram times;
            const int count = 1 + round;
            const double spread = round % 5 == 0 ? 0.1 : 1;
            for (int i = 0; i < count; ++i) {
                times.add(nanoseconds{
                    static_cast<nanoseconds::rep>(std::pow(10, exponent(random) * spread))});
            }
            check(times, log_buckets(times, most), most);
        }
    }
}

}  // namespace
}  // namespace pawl::cli
