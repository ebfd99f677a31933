// How many records of one name reach the log.
#include "observe/repeat_limit.h"

#include <gtest/gtest.h>

namespace pawl::observe {
namespace {

using namespace std::chrono_literals;

class repeat_limit_of_records : public testing::Test {
protected:
    // All that may be written at once.
    void use_up()
    {
        for (unsigned i = 0; i < repeat_limit::at_once; ++i) {
            ASSERT_EQ(limit_.admit("fault", now_), 0U) << i;
        }
    }

    base::boot_time now_{1h};
    repeat_limit limit_;
};

TEST_F(repeat_limit_of_records, lets_some_through_at_once_and_then_one_in_each_pause)
{
    use_up();
    EXPECT_EQ(limit_.admit("fault", now_), std::nullopt);
    now_ += repeat_limit::pause - 1ns;
    EXPECT_EQ(limit_.admit("fault", now_), std::nullopt);
    now_ += 1ns;
    EXPECT_TRUE(limit_.admit("fault", now_));
    EXPECT_EQ(limit_.admit("fault", now_), std::nullopt);
}

TEST_F(repeat_limit_of_records, counts_those_that_it_left_out_once)
{
    use_up();
    for (int i = 0; i < 7; ++i) EXPECT_EQ(limit_.admit("fault", now_), std::nullopt);
    now_ += 10min;
    EXPECT_EQ(limit_.admit("fault", now_), 7U);
    EXPECT_EQ(limit_.admit("fault", now_), 0U);
}

TEST_F(repeat_limit_of_records, is_full_again_after_a_calm_time)
{
    use_up();
    now_ += repeat_limit::at_once * repeat_limit::pause;
    use_up();
    EXPECT_EQ(limit_.admit("fault", now_), std::nullopt);
}

TEST_F(repeat_limit_of_records, counts_each_name_alone)
{
    use_up();
    EXPECT_EQ(limit_.admit("fault", now_), std::nullopt);
    EXPECT_EQ(limit_.admit("other fault", now_), 0U);
}

}  // namespace
}  // namespace pawl::observe
