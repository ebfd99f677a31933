#include "sync/blocking_bell.h"

#include <gtest/gtest.h>

namespace pawl::sync {
namespace {

TEST(a_blocking_bell, wakes_its_driver_once)
{
    blocking_bell one;
    int woken = 0;
    ASSERT_TRUE(one.on_ring([&] { ++woken; }));
    one.ring();
    EXPECT_EQ(woken, 1);
    one.ring();
    EXPECT_EQ(woken, 1);
}

TEST(a_blocking_bell, that_rings_while_no_driver_waits_is_heard_by_the_next_wait)
{
    blocking_bell one;
    one.ring();
    EXPECT_FALSE(one.on_ring([] { ADD_FAILURE() << "it has rung before"; }));
    bool woken = false;
    EXPECT_TRUE(one.on_ring([&] { woken = true; }));
    EXPECT_FALSE(woken);
}

TEST(a_blocking_bell, forgets_its_driver_and_an_old_ring)
{
    blocking_bell one;
    bool woken = false;
    ASSERT_TRUE(one.on_ring([&] { woken = true; }));
    one.silence();
    one.ring();
    EXPECT_FALSE(woken);
    one.silence();
    EXPECT_TRUE(one.on_ring([] {}));
}

TEST(a_blocking_bell, may_be_used_again_by_the_thread_that_rings)
{
    blocking_bell one;
    bool again = false;
    ASSERT_TRUE(one.on_ring([&] { again = one.on_ring([] {}); }));
    one.ring();
    EXPECT_TRUE(again);
}

}  // namespace
}  // namespace pawl::sync
