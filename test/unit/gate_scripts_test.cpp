// The scripts of latches and barriers in the in-process Redis.
#include "unit/members_scripts_fixture.h"

#include <string>

namespace pawl::store::memory {
namespace {

constexpr std::string_view lifetime = "86400000";

class gate_scripts : public members_scripts {
protected:
    gate_scripts() : members_scripts{""} {}

    std::string arrive(std::string_view participant, int number = 1, int count = 1,
                       std::string_view drop = {})
    {
        return ask({"EVAL", redis::scripts::gate_arrive.text, "3", "a", "f", "q", participant,
                    std::to_string(number), std::to_string(count), made_, lifetime, drop});
    }
    std::string wait(std::string_view who, int phase = 0, const how& asked = {})
    {
        const auto flags = std::to_string((asked.repeated ? 1 : 0) + (asked.join ? 2 : 0));
        return ask({"EVAL", redis::scripts::gate_wait.text, "3", "a", "f", "q", who,
                    asked.wanted_until, flags, place(core::entry_mode::writer, asked), made_,
                    lifetime, std::to_string(phase)});
    }
    std::string leave_queue(std::string_view who)
    {
        return ask({"EVAL", redis::scripts::gate_leave.text, "3", "a", "f", "q", who});
    }
    static std::string said(int code, int number)
    {
        return answer(std::to_string(code) + " " + std::to_string(number) + " 1700000000000000");
    }
    static std::string told(const std::string& who, int phase)
    {
        return grant(who, std::to_string(phase), "1700000000000000");
    }
    static std::string not_yet() { return said(0, -1); }

    std::string made_ = "latch 2";
};

TEST_F(gate_scripts, a_latch_opens_with_the_last_arrival_and_tells_all_waiters)
{
    EXPECT_EQ(wait("x"), not_yet());
    EXPECT_EQ(wait("y"), not_yet());
    EXPECT_EQ(arrive("p"), said(1, 0));
    EXPECT_EQ(heard(), "");
    EXPECT_EQ(arrive("q"), said(1, 0));
    EXPECT_EQ(heard(), told("x", 1) + told("y", 1));
    EXPECT_EQ(ask({"EXISTS", "q"}), ":0|");
    EXPECT_EQ(wait("z"), said(1, 1));
}

TEST_F(gate_scripts, a_repeated_arrival_counts_once)
{
    arrive("p");
    EXPECT_EQ(arrive("p"), said(1, 0));
    EXPECT_EQ(wait("x", 0, {.join = false}), not_yet());
    EXPECT_EQ(arrive("p", 2), said(1, 0)) << "its next arrival counts";
    EXPECT_EQ(wait("x", 0, {.join = false}), said(1, 1));
}

TEST_F(gate_scripts, an_open_latch_counts_no_more)
{
    arrive("p", 1, 2);
    EXPECT_EQ(arrive("p", 2), said(-5, 0));
    EXPECT_EQ(arrive("p", 1, 2), said(1, 0)) << "a repetition is not an error";
}

TEST_F(gate_scripts, more_arrivals_than_are_missing_are_refused)
{
    EXPECT_EQ(arrive("p", 1, 3), said(-5, 2));
    EXPECT_EQ(arrive("p", 1, 2), said(1, 0)) << "nothing was counted";
}

TEST_F(gate_scripts, a_barrier_begins_its_next_phase)
{
    made_ = "barrier 2";
    EXPECT_EQ(arrive("p"), said(1, 0));
    wait("x", 0);
    EXPECT_EQ(arrive("q"), said(1, 0));
    EXPECT_EQ(heard(), told("x", 1));
    EXPECT_EQ(wait("y", 0), said(1, 1)) << "the phase has ended before it waits";
    EXPECT_EQ(arrive("p", 2), said(1, 1));
    EXPECT_EQ(wait("x", 1), not_yet());
    EXPECT_EQ(arrive("p", 1), said(1, 1)) << "a delayed request of the first phase";
    EXPECT_EQ(arrive("q", 2), said(1, 1));
    EXPECT_EQ(heard(), told("x", 2));
}

TEST_F(gate_scripts, one_that_drops_out_is_not_expected_in_the_next_phase)
{
    made_ = "barrier 2";
    EXPECT_EQ(arrive("p", 1, 1, "1"), said(1, 0));
    arrive("q");
    EXPECT_EQ(wait("x", 0), said(1, 1));
    arrive("q", 2);
    EXPECT_EQ(wait("x", 1), said(1, 2)) << "one arrival ends the second phase";
    EXPECT_EQ(wait("x", 1), said(1, 2));
}

TEST_F(gate_scripts, a_waiter_that_looks_keeps_its_place_and_one_that_leaves_has_none)
{
    wait("x");
    wait("x", 0, {.repeated = true});
    EXPECT_EQ(ask({"LLEN", "q"}), ":2|");
    EXPECT_EQ(leave_queue("x"), ":1|");
    EXPECT_EQ(ask({"EXISTS", "q"}), ":0|");
}

TEST_F(gate_scripts, a_place_that_is_over_is_not_told)
{
    wait("x", 0, {.stay = 1s});
    wait("y", 0, {.stay = 9s});
    pass(2s);
    arrive("p", 1, 2);
    EXPECT_EQ(heard(), grant("y", "1", "1700000002000000"));
}

TEST_F(gate_scripts, another_number_or_kind_is_refused)
{
    arrive("p");
    made_ = "latch 3";
    EXPECT_EQ(arrive("q"), said(-4, 2));
    EXPECT_EQ(wait("x"), said(-4, 2));
    made_ = "barrier 2";
    EXPECT_EQ(arrive("q"), said(-6, 2));
}

TEST_F(gate_scripts, a_hash_of_another_program_is_left_alone)
{
    ask({"HSET", "a", "name", "x"});
    EXPECT_TRUE(arrive("p").starts_with("-WRONGTYPE"));
    EXPECT_TRUE(wait("x").starts_with("-WRONGTYPE"));
    EXPECT_EQ(ask({"HLEN", "a"}), ":1|");
    EXPECT_EQ(ask({"PTTL", "a"}), ":-1|");
}

TEST_F(gate_scripts, an_abandoned_gate_is_forgotten_after_a_day)
{
    arrive("p");
    pass(1h);
    wait("x", 0, {.join = false});
    EXPECT_EQ(ask({"PTTL", "a"}), ":86400000|");
}

}  // namespace
}  // namespace pawl::store::memory
