#include "core/lock_word.h"

#include <gtest/gtest.h>

namespace pawl::core {
namespace {

TEST(lock_word, has_the_state_in_its_highest_byte)
{
    EXPECT_EQ(lock_word::locked().bits(), 0x01'00'0000U);
    EXPECT_TRUE(lock_word::locked().is_locked());
    EXPECT_EQ(lock_word::locked().reentries(), 0U);
    EXPECT_EQ(lock_word::locked().holds(), 1U);
}

TEST(lock_word, has_the_reentries_in_the_next_byte_and_nothing_below)
{
    auto word = lock_word::locked();
    for (std::uint32_t reentries = 1; reentries <= lock_word::most_reentries; ++reentries) {
        ASSERT_TRUE(word.enter());
        EXPECT_EQ(word.bits(), 0x01'00'0000U | (reentries << 16U));
        EXPECT_EQ(word.bits() & 0xFFFFU, 0U);
        EXPECT_EQ(word.reentries(), reentries);
        EXPECT_EQ(word.holds(), reentries + 1);
        EXPECT_TRUE(word.is_locked());
    }
    EXPECT_EQ(word.bits(), 0x01'FF'0000U);
}

TEST(lock_word, refuses_the_256th_reentry_and_stays_as_it_was)
{
    auto word = lock_word::locked();
    for (unsigned i = 0; i < 255; ++i) ASSERT_TRUE(word.enter());
    EXPECT_FALSE(word.enter());
    EXPECT_EQ(word.bits(), 0x01'FF'0000U);
    word.leave();
    EXPECT_EQ(word.bits(), 0x01'FE'0000U);
    EXPECT_TRUE(word.enter());
    EXPECT_FALSE(word.enter());
}

TEST(lock_word, is_free_when_as_many_have_left_as_entered)
{
    auto word = lock_word::locked();
    for (unsigned i = 0; i < 255; ++i) ASSERT_TRUE(word.enter());
    for (unsigned holds = 256; holds > 0; --holds) {
        EXPECT_TRUE(word.is_locked());
        EXPECT_EQ(word.holds(), holds);
        word.leave();
    }
    EXPECT_FALSE(word.is_locked());
    EXPECT_EQ(word.holds(), 0U);
    EXPECT_EQ(word.bits(), 0U);
}

}  // namespace
}  // namespace pawl::core
