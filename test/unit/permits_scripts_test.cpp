// The scripts of a semaphore in the in-process Redis.
#include "unit/members_scripts_fixture.h"

#include <string>

namespace pawl::store::memory {
namespace {

constexpr std::string_view t0 = "1700000000000000";

class permits_scripts : public members_scripts {
protected:
    permits_scripts() : members_scripts{"5"} {}

    static std::string holder(char letter, int permits)
    {
        return id(letter) + std::to_string(permits);
    }

    std::string take(char letter, int permits, const how& asked = {})
    {
        return enter(holder(letter, permits), core::entry_mode::writer, asked);
    }
    std::string give(char letter, int permits) { return leave(holder(letter, permits)); }
    std::string resize(std::string_view capacity, std::string_view after = "0")
    {
        return ask(
            {"EVAL", redis::scripts::members_resize.text, "3", "a", "f", "q", "", capacity, after});
    }
    static std::string resized(int after)
    {
        return answer("1 170000000000000" + std::to_string(after));
    }
    static std::string not_resized(int after)
    {
        return answer("0 170000000000000" + std::to_string(after));
    }
    static std::string granted(int after)
    {
        return answer("1 170000000000000" + std::to_string(after) + " " + std::string{t0});
    }
    static std::string busy(int left)
    {
        return answer("0 " + std::to_string(left) + " " + std::string{t0});
    }
};

TEST_F(permits_scripts, permits_are_granted_up_to_the_capacity_each_with_its_own_fence)
{
    EXPECT_EQ(take('a', 2), granted(0));
    EXPECT_EQ(take('b', 2), granted(1));
    EXPECT_EQ(take('c', 2, {.join = false}), busy(3000));
    EXPECT_EQ(take('d', 1), granted(2));
    EXPECT_EQ(out(), "-5");
}

TEST_F(permits_scripts, a_break_says_whether_others_are_in)
{
    const auto end = [this](char letter) {
        return ask({"EVAL", redis::scripts::members_break.text, "3", "a", "f", "q",
                    holder(letter, 2), capacity_, "", "", "it hangs"});
    };
    take('a', 2);
    take('b', 2);
    EXPECT_EQ(end('a'), ":1|");
    EXPECT_EQ(end('a'), ":-1|");
    EXPECT_EQ(out(), "-2");
    EXPECT_EQ(end('b'), ":1|");
    EXPECT_EQ(end('b'), ":0|");
}

TEST_F(permits_scripts, a_large_request_is_not_overtaken)
{
    take('a', 4);
    EXPECT_EQ(take('b', 3), busy(3000));
    EXPECT_EQ(take('c', 1), busy(3000));
    EXPECT_EQ(give('a', 4), ":1|");
    EXPECT_EQ(heard(), grant(holder('b', 3), "1700000000000001", std::string{t0}) +
                           grant(holder('c', 1), "1700000000000002", std::string{t0}));
    EXPECT_EQ(out(), "-4");
}

TEST_F(permits_scripts, the_permits_of_a_holder_whose_lease_has_ended_come_back)
{
    take('a', 5, {.lease = 1s});
    take('b', 5);
    pass(1s);
    EXPECT_EQ(take('b', 5, {.repeated = true}), answer("1 1700000001000000 1700000001000000"));
    EXPECT_EQ(out(), "-5");
    EXPECT_EQ(give('a', 5), ":0|");
    EXPECT_EQ(out(), "-5");
}

TEST_F(permits_scripts, the_capacity_stays_at_the_server_for_a_day)
{
    take('a', 1);
    give('a', 1);
    EXPECT_EQ(number_of("capacity"), "-5");
    EXPECT_EQ(ask({"PTTL", "a"}), ":86403000|");
    capacity_ = "6";
    EXPECT_EQ(take('b', 1), answer("-4 5 1700000000000000"));
    pass(24h + 3001ms);
    EXPECT_EQ(take('b', 1), answer("1 1700086403001000 1700086403001000"));
    EXPECT_EQ(number_of("capacity"), "-6");
}

TEST_F(permits_scripts, the_capacity_is_remembered_for_a_day_after_a_long_hold)
{
    take('a', 1, {.lease = 2h});
    for (int hours = 0; hours < 45; ++hours) {
        pass(1h);
        EXPECT_EQ(renew(holder('a', 1), "7200000"), "*1|:1|");
    }
    EXPECT_EQ(give('a', 1), ":1|");
    EXPECT_EQ(number_of("capacity"), "-5");
    EXPECT_EQ(ask({"PTTL", "a"}), ":86400000|");
}

TEST_F(permits_scripts, more_permits_than_the_capacity_are_refused)
{
    EXPECT_EQ(take('a', 6), answer("-5 5 1700000000000000"));
    EXPECT_EQ(ask({"EXISTS", "a"}), ":0|");
}

TEST_F(permits_scripts, a_waiter_that_looks_does_not_lose_its_place)
{
    take('a', 5);
    take('b', 1);
    take('c', 1);
    take('b', 1, {.repeated = true});
    give('a', 5);
    EXPECT_EQ(heard(), grant(holder('b', 1), "1700000000000001", std::string{t0}) +
                           grant(holder('c', 1), "1700000000000002", std::string{t0}));
}

TEST_F(permits_scripts, a_greater_capacity_lets_in_waiters)
{
    take('a', 5);
    take('b', 2);
    take('c', 2);
    EXPECT_EQ(resize("7"), resized(0));
    EXPECT_EQ(heard(), grant(holder('b', 2), "1700000000000001", std::string{t0}));
    EXPECT_EQ(out(), "-7");
    EXPECT_EQ(number_of("resized"), "-7");
    give('a', 5);
    EXPECT_EQ(take('d', 3), granted(3)) << "a client that was made with 5 goes on";
}

TEST_F(permits_scripts, after_a_smaller_capacity_nobody_enters_until_enough_are_back)
{
    take('a', 4);
    EXPECT_EQ(resize("2"), resized(0));
    EXPECT_EQ(take('b', 1), busy(3000));
    EXPECT_EQ(take('c', 3), answer("-5 2 1700000000000000"));
    give('a', 4);
    EXPECT_EQ(out(), "-1");
}

TEST_F(permits_scripts, a_capacity_can_be_set_before_the_first_acquire)
{
    EXPECT_EQ(resize("3"), resized(0));
    EXPECT_EQ(ask({"PTTL", "a"}), ":86400000|");
    EXPECT_EQ(take('a', 4), answer("-5 3 1700000000000000"));
    EXPECT_EQ(take('a', 3), granted(0));
}

TEST_F(permits_scripts, a_repeated_resize_changes_nothing)
{
    EXPECT_EQ(resize("3", ""), answer("0 0"));
    EXPECT_EQ(ask({"EXISTS", "a"}), ":0|");
    EXPECT_EQ(resize("3"), resized(0));
    EXPECT_EQ(resize("3"), not_resized(0));
    EXPECT_EQ(resize("3", ""), not_resized(0));
    EXPECT_EQ(number_of("resize_number"), "-" + std::string{t0});
}

TEST_F(permits_scripts, a_late_copy_of_a_resize_does_not_undo_a_later_one)
{
    EXPECT_EQ(resize("3"), resized(0));
    EXPECT_EQ(resize("4", t0), resized(1)) << "in the same microsecond";
    EXPECT_EQ(resize("3"), not_resized(1));
    EXPECT_EQ(number_of("resized"), "-4");
    pass(1s);
    EXPECT_EQ(resize("5", "1700000000000001"), answer("1 1700000001000000"));
    EXPECT_EQ(resize("4", t0), answer("0 1700000001000000"));
    EXPECT_EQ(number_of("resized"), "-5");
}

TEST_F(permits_scripts, a_resize_behind_a_late_copy_of_an_older_one_is_told_so)
{
    EXPECT_EQ(resize("5"), resized(0)) << "the late copy: its caller has given up";
    EXPECT_EQ(resize("10"), not_resized(0)) << "its caller had asked before the copy came";
    EXPECT_EQ(resize("10", t0), resized(1));
    EXPECT_EQ(number_of("resized"), "-10");
}

TEST_F(permits_scripts, a_late_copy_of_a_resize_sets_nothing_after_the_server_has_forgotten_it)
{
    resize("3");
    ask({"DEL", "a"});
    EXPECT_EQ(resize("4", t0), answer("0 0"));
    EXPECT_EQ(ask({"EXISTS", "a"}), ":0|");
}

TEST_F(permits_scripts, a_shared_mutex_does_not_get_a_capacity)
{
    capacity_ = "";
    enter(id('a') + "1", core::entry_mode::reader, {});
    EXPECT_EQ(resize("3"), answer("-2 0"));
    EXPECT_EQ(number_of("resized"), "_|");
    EXPECT_EQ(out(), "-1");
}

}  // namespace
}  // namespace pawl::store::memory
