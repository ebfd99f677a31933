#include "core/abandoned.h"

#include "unit/at.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace pawl::core {
namespace {

using test::at;

lease_ptr lease_of(std::string holder)
{
    auto made = std::make_shared<lease>();
    made->holder = std::move(holder);
    return made;
}

TEST(abandoned_waiters, are_found_by_their_holder)
{
    abandoned_waiters all;
    all.add({lease_of("a"), at(100)}, at(0));
    all.add({lease_of("b"), at(200)}, at(0));
    ASSERT_NE(all.find("b"), nullptr);
    EXPECT_EQ(all.find("b")->wanted_until, at(200));
    EXPECT_EQ(all.find("c"), nullptr);
}

TEST(abandoned_waiters, are_forgotten_when_their_request_cannot_arrive_any_more)
{
    abandoned_waiters all;
    all.add({lease_of("a"), at(100)}, at(0));
    all.add({lease_of("b"), at(300)}, at(101));
    EXPECT_EQ(all.find("a"), nullptr);
    EXPECT_NE(all.find("b"), nullptr);
    all.add({lease_of("late"), at(100)}, at(101));
    EXPECT_EQ(all.find("late"), nullptr);
}

}  // namespace
}  // namespace pawl::core
