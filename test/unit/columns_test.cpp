// Text in columns.
#include "common/columns.h"

#include <gtest/gtest.h>

namespace pawl::common {
namespace {

TEST(columns, count_characters_and_not_bytes)
{
    EXPECT_EQ(width_of("µs"), 2U);
    EXPECT_EQ(right_aligned("µs", 4), "  µs");
    EXPECT_EQ(left_aligned("µs", 4), "µs  ");
}

TEST(columns, do_not_cut_texts_that_are_too_long)
{
    EXPECT_EQ(right_aligned("long", 2), "long");
    EXPECT_EQ(left_aligned("long", 2), "long");
}

TEST(columns, are_as_wide_as_their_widest_cell)
{
    EXPECT_EQ(lay_out({{"", "p50", "max"}, {"ping", "14.3 µs", "2 s"}}),
              "          p50  max\n"
              "ping  14.3 µs  2 s\n");
}

}  // namespace
}  // namespace pawl::common
