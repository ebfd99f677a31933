// Histograms drawn with characters.
#include "bars.h"

#include "common/columns.h"

#include <gtest/gtest.h>

#include <chrono>
#include <sstream>

namespace pawl::cli {
namespace {

using namespace std::chrono_literals;

TEST(bar, is_as_long_as_its_share)
{
    EXPECT_EQ(bar(0, 10, charset::ascii), "");
    EXPECT_EQ(bar(0.5, 10, charset::ascii), "#####");
    EXPECT_EQ(bar(1, 10, charset::ascii), "##########");
    EXPECT_EQ(bar(0, 4, charset::utf8), "");
    EXPECT_EQ(bar(0.5, 4, charset::utf8), "██");
    EXPECT_EQ(bar(1, 4, charset::utf8), "████");
}

TEST(bar, is_drawn_in_eighths_of_a_column)
{
    EXPECT_EQ(bar(1.0 / 8, 1, charset::utf8), "▏");
    EXPECT_EQ(bar(0.5, 1, charset::utf8), "▌");
    EXPECT_EQ(bar(7.0 / 8, 1, charset::utf8), "▉");
    EXPECT_EQ(bar(0.625, 2, charset::utf8), "█▎");
}

TEST(bar, is_visible_unless_it_is_zero)
{
    EXPECT_EQ(bar(1e-9, 10, charset::ascii), "#");
    EXPECT_EQ(bar(1e-9, 10, charset::utf8), "▏");
}

TEST(bar, is_never_wider_than_its_width)
{
    for (int i = -10; i <= 1100; ++i) {
        EXPECT_LE(common::width_of(bar(i / 1000.0, 17, charset::utf8)), 17U);
        EXPECT_LE(common::width_of(bar(i / 1000.0, 17, charset::ascii)), 17U);
    }
}

common::latency_histogram sample()
{
    common::latency_histogram times;
    for (int i = 0; i < 3; ++i) times.add(33us);
    times.add(41us);
    return times;
}

TEST(bars, are_drawn_in_ascii)
{
    EXPECT_EQ(draw_bars(sample(), 45, charset::ascii),
              "  32 - 36 us  #######################  75.0 %\n"
              "  36 - 40 us                            0.0 %\n"
              "  40 - 45 us  ########                 25.0 %\n");
}

TEST(bars, are_drawn_in_blocks)
{
    EXPECT_EQ(draw_bars(sample(), 38, charset::utf8),
              "  32 - 36 µs  ████████████████  75.0 %\n"
              "  36 - 40 µs                     0.0 %\n"
              "  40 - 45 µs  █████▍            25.0 %\n");
}

TEST(bars, distinguish_few_from_none)
{
    common::latency_histogram times;
    for (int i = 0; i < 10'000; ++i) times.add(33us);
    times.add(41us);
    const std::string drawn = draw_bars(times, 45, charset::ascii);
    EXPECT_NE(drawn.find("  36 - 41 us  #                        <0.1 %\n"), std::string::npos)
        << drawn;
}

TEST(bars, are_exactly_as_wide_as_the_screen)
{
    for (const std::size_t columns : {40U, 80U, 200U}) {
        std::istringstream lines{draw_bars(sample(), columns, charset::utf8)};
        for (std::string line; std::getline(lines, line);)
            EXPECT_EQ(common::width_of(line), columns);
    }
}

TEST(bars, are_drawn_even_on_the_narrowest_screen)
{
    EXPECT_EQ(draw_bars(sample(), 1, charset::ascii), draw_bars(sample(), 32, charset::ascii));
}

TEST(bars, of_an_empty_histogram_are_empty)
{
    EXPECT_EQ(draw_bars(common::latency_histogram{}, 80, charset::utf8), "");
}

}  // namespace
}  // namespace pawl::cli
