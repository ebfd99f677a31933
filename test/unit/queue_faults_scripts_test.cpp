// pawl's scripts in the in-process Redis: a strange clock, late repetitions, and keys that are damaged.
#include "unit/queue_scripts_fixture.h"

#include <string>

namespace pawl::store::memory {
namespace {

TEST_P(queue_scripts, a_clock_before_2001_does_not_keep_waiters_from_joining)
{
    now_ = std::chrono::seconds{900'000'000};
    EXPECT_EQ(acquire("h"), answer("1 0900000000000000 0900000000000000"));
    EXPECT_EQ(acquire("x"), answer("-2 3000 0900000000000000"));
    EXPECT_EQ(acquire("y"), answer("-2 3000 0900000000000000"));
    EXPECT_EQ(ask({"PTTL", "q"}), ":9000|");
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
}

TEST_P(queue_scripts, a_first_request_that_comes_after_its_repetition_gets_no_second_place)
{
    acquire("h");
    acquire("x", {.repeated = true});
    std::vector<std::string> all{"x"};
    for (int i = 0; i < 200; ++i) {
        all.push_back("w" + std::to_string(i));
        acquire(all.back());
    }
    acquire("x");
    EXPECT_EQ(waiting(), list(all));
}

TEST_P(queue_scripts, a_waiter_with_two_places_is_gone_after_two_releases)
{
    constexpr int too_many_to_find_the_first = 501;
    acquire("h");
    acquire("x", {.repeated = true});
    for (int i = 0; i < too_many_to_find_the_first; ++i) acquire("w" + std::to_string(i));
    acquire("x");
    ASSERT_EQ(ask({"LLEN", "q"}), ":1006|") << "x is in it twice";
    release("h");
    ASSERT_EQ(holder(), "x|");
    EXPECT_EQ(release("x"), ":1|");
    EXPECT_EQ(release("x"), ":-1|");
    EXPECT_EQ(ask({"LPOS", "q", "x"}), "_|");
}

TEST_P(queue_scripts, a_waiter_with_two_places_leaves_both)
{
    acquire("h");
    for (int i = 0; i < 2; ++i) ask({"RPUSH", "q", "x", place()});
    acquire("y");
    EXPECT_EQ(release("x"), ":-1|");
    EXPECT_EQ(waiting(), list({"y"}));
}

TEST_P(queue_scripts, a_release_hands_over_although_the_fence_key_has_another_type)
{
    acquire("h");
    acquire("x");
    acquire("y");
    ask({"DEL", "f"});
    ask({"RPUSH", "f", "not a fence"});
    EXPECT_EQ(release("h"), ":1|");
    EXPECT_EQ(holder(), "x|");
    EXPECT_EQ(waiting(), list({"y"}));
}

TEST_P(queue_scripts, a_waiter_whose_place_is_missing_can_leave)
{
    acquire("h");
    ask({"RPUSH", "q", "x"});
    EXPECT_EQ(acquire("x", {.repeated = true}).front(), '-')
        << "an error, and the lock is not taken";
    EXPECT_EQ(release("x"), ":-1|");
    EXPECT_EQ(waiting(), "*0|");
}

TEST_P(queue_scripts, a_value_that_only_begins_like_a_holder_is_a_foreign_one)
{
    for (const std::string start : {"pa ", "p0x", "p-1"}) {
        const auto value = start + std::string(32 - start.size(), '1');
        ask({"DEL", "a"});
        is_hash() ? ask({"HSET", "a", value, "1"}) : ask({"SET", "a", value});
        const auto got = acquire("x", {.join = false});
        EXPECT_EQ(got.at(got.find('|') + 1), '-') << got;
    }
}

}  // namespace
}  // namespace pawl::store::memory
