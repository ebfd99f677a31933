#include "complaints.h"

#include <gtest/gtest.h>

namespace pawl::cli {
namespace {

using namespace std::chrono_literals;

TEST(complaints, a_problem_that_lasts_is_shown_once_a_minute)
{
    complaints of;
    EXPECT_TRUE(of.is_due("full", 100s));
    EXPECT_FALSE(of.is_due("full", 101s));
    EXPECT_FALSE(of.is_due("full", 159s));
    EXPECT_TRUE(of.is_due("full", 160s));
    EXPECT_FALSE(of.is_due("full", 219s));
    EXPECT_TRUE(of.is_due("full", 220s));
}

TEST(complaints, another_problem_is_shown_at_once)
{
    complaints of;
    EXPECT_TRUE(of.is_due("full", 100s));
    EXPECT_TRUE(of.is_due("no permission", 101s));
}

TEST(complaints, problems_that_take_turns_are_shown_once_a_minute_each)
{
    complaints of;
    EXPECT_TRUE(of.is_due("no answer", 100s));
    EXPECT_TRUE(of.is_due("no connection", 101s));
    EXPECT_FALSE(of.is_due("no answer", 102s));
    EXPECT_FALSE(of.is_due("no connection", 103s));
    EXPECT_TRUE(of.is_due("no answer", 160s));
    EXPECT_FALSE(of.is_due("no connection", 160s));
}

TEST(complaints, a_problem_that_comes_back_is_shown)
{
    complaints of;
    EXPECT_TRUE(of.is_due("full", 100s));
    of.clear();
    EXPECT_TRUE(of.is_due("full", 101s));
}

}  // namespace
}  // namespace pawl::cli
