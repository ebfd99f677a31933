// The slots in which durations are counted.
#include "common/log_slots.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace pawl::common {
namespace {

using slots = log_slots<3, 47>;

TEST(log_slots, have_a_value_each_below_sixteen)
{
    for (std::uint64_t value = 0; value < 16; ++value) {
        EXPECT_EQ(slots::of(value), value);
        EXPECT_EQ(slots::last_of(slots::of(value)), value);
    }
}

TEST(log_slots, cover_every_value_once_and_in_order)
{
    for (std::size_t slot = 0; slot + 1 < slots::count; ++slot) {
        EXPECT_EQ(slots::of(slots::last_of(slot)), slot);
        EXPECT_EQ(slots::of(slots::last_of(slot) + 1), slot + 1);
    }
}

TEST(log_slots, read_a_value_back_at_most_an_eighth_too_large)
{
    for (std::uint64_t value = 16; value < std::uint64_t{1} << 46U; value += value / 7 + 1) {
        const auto back = slots::last_of(slots::of(value));
        EXPECT_GE(back, value);
        EXPECT_LE(back - value, value / 8);
    }
}

TEST(log_slots, keep_the_largest_values_in_the_last_one)
{
    EXPECT_EQ(slots::of(UINT64_MAX), slots::count - 1);
    EXPECT_EQ(slots::of(std::uint64_t{1} << 48U), slots::count - 1);
    EXPECT_EQ(slots::last_of(slots::count - 1), UINT64_MAX);
}

}  // namespace
}  // namespace pawl::common
