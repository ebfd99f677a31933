// Numbers in a form that people read easily.
#include "figures.h"

#include <gtest/gtest.h>

#include <chrono>

namespace pawl::cli {
namespace {

using namespace std::chrono_literals;

TEST(latency_text, has_three_digits_and_a_unit)
{
    EXPECT_EQ(latency_text(0ns, charset::utf8), "0 ns");
    EXPECT_EQ(latency_text(358ns, charset::utf8), "358 ns");
    EXPECT_EQ(latency_text(1'234ns, charset::utf8), "1.23 µs");
    EXPECT_EQ(latency_text(14'300ns, charset::utf8), "14.3 µs");
    EXPECT_EQ(latency_text(143'499ns, charset::utf8), "143 µs");
    EXPECT_EQ(latency_text(2ms, charset::utf8), "2.00 ms");
    EXPECT_EQ(latency_text(3s, charset::utf8), "3.00 s");
    EXPECT_EQ(latency_text(2h, charset::utf8), "7200 s");
    EXPECT_EQ(latency_text(14'300ns, charset::ascii), "14.3 us");
}

TEST(latency_text, changes_the_unit_when_rounding_reaches_the_next_one)
{
    EXPECT_EQ(latency_text(999'499ns, charset::utf8), "999 µs");
    EXPECT_EQ(latency_text(999'500ns, charset::utf8), "1.00 ms");
    EXPECT_EQ(latency_text(9'994ns, charset::utf8), "9.99 µs");
    EXPECT_EQ(latency_text(9'996ns, charset::utf8), "10.0 µs");
    EXPECT_EQ(latency_text(99'960ns, charset::utf8), "100 µs");
}

TEST(range_text, names_a_common_unit_once)
{
    EXPECT_EQ(range_text(32us, 40us, charset::utf8), "32 - 40 µs");
    EXPECT_EQ(range_text(800us, 1ms, charset::utf8), "800 µs - 1 ms");
    EXPECT_EQ(range_text(0ns, 10ns, charset::ascii), "0 - 10 ns");
    EXPECT_EQ(range_text(0ns, 10us, charset::ascii), "0 - 10 us");
    EXPECT_EQ(range_text(1'200us, 1'600us, charset::ascii), "1.2 - 1.6 ms");
}

TEST(count_text, groups_thousands)
{
    EXPECT_EQ(count_text(0), "0");
    EXPECT_EQ(count_text(999), "999");
    EXPECT_EQ(count_text(1'000), "1,000");
    EXPECT_EQ(count_text(1'234'567), "1,234,567");
}

}  // namespace
}  // namespace pawl::cli
