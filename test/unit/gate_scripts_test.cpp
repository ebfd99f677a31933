// The scripts of latches and barriers in the in-process Redis.
#include "unit/members_scripts_fixture.h"

#include <cstdint>
#include <string>

namespace pawl::store::memory {
namespace {

class gate_scripts : public members_scripts {
protected:
    gate_scripts() : members_scripts{""} {}

    // The phases of a gate that is made at the beginning of the test.
    static std::string phase(int which) { return std::to_string(1'700'000'000'000'000 + which); }
    static constexpr std::string_view of_a_latch = "0";

    std::string arrive(std::string_view participant, int number = 1, int count = 1,
                       std::string_view drop = {})
    {
        return ask({"EVAL", redis::scripts::gate_arrive.text, "3", "a", "f", "q", participant,
                    std::to_string(number), std::to_string(count), made_, drop});
    }
    std::string wait(std::string_view who) { return wait(who, of_a_latch, {}); }
    std::string wait(std::string_view who, std::string_view after, const how& asked = {})
    {
        const auto flags = std::to_string((asked.repeated ? 1 : 0) + (asked.join ? 2 : 0));
        return ask({"EVAL", redis::scripts::gate_wait.text, "3", "a", "f", "q", who,
                    asked.wanted_until, flags, gate_place(asked), made_, after});
    }
    // Without joining the queue.
    std::string look(std::string_view who) { return wait(who, of_a_latch, {.join = false}); }

    [[nodiscard]] std::string gate_place(const how& asked) const
    {
        const auto until = std::chrono::floor<std::chrono::milliseconds>(now_) + asked.stay;
        return place_text({.name = {}, .kind = core::object_kind::latch},
                          {asked.client, asked.lease, 0}, until);
    }

    std::string leave_queue(std::string_view who)
    {
        return ask({"EVAL", redis::scripts::gate_leave.text, "3", "a", "f", "q", who});
    }

    [[nodiscard]] std::string micros() const { return std::to_string(now_.count()); }
    [[nodiscard]] std::string said(int code, const std::string& number) const
    {
        return answer(std::to_string(code) + " " + number + " " + micros());
    }
    [[nodiscard]] std::string told(const std::string& who, const std::string& now_in) const
    {
        return grant(who, now_in, micros());
    }
    [[nodiscard]] std::string arrived_in(int which) const { return said(1, phase(which)); }
    [[nodiscard]] std::string open_in(int which) const { return said(1, phase(which)); }
    [[nodiscard]] std::string not_yet() const { return said(0, "-1"); }

    std::string made_ = "latch 2";
};

TEST_F(gate_scripts, a_latch_opens_with_the_last_arrival_and_tells_all_waiters)
{
    EXPECT_EQ(wait("x"), not_yet());
    EXPECT_EQ(wait("y"), not_yet());
    EXPECT_EQ(arrive("p"), arrived_in(0));
    EXPECT_EQ(heard(), "");
    EXPECT_EQ(arrive("q"), arrived_in(0));
    EXPECT_EQ(heard(), told("x", phase(1)) + told("y", phase(1)));
    EXPECT_EQ(ask({"EXISTS", "q"}), ":0|");
    EXPECT_EQ(wait("z"), open_in(1));
    EXPECT_EQ(ask({"EXISTS", "q"}), ":0|");
}

// A program may use one name for a lock and for a latch, by mistake.
TEST_F(gate_scripts, a_waiter_for_a_lock_of_the_same_name_is_not_told_that_it_has_the_lock)
{
    ask({"RPUSH", "q", "of-a-lock", place(core::entry_mode::writer, {})});
    wait("x");
    arrive("p", 1, 2);
    EXPECT_EQ(heard(), told("x", phase(1)));
}

TEST_F(gate_scripts, a_lock_of_the_same_name_is_not_handed_over_to_a_waiter_at_the_gate)
{
    const std::string holder = "p" + std::string(31, '0');
    ask({"SET", "lock", holder, "PX", "10000"});
    wait("x");
    EXPECT_EQ(ask({"EVAL", redis::scripts::plain_release.text, "3", "lock", "f", "q", holder, "0"}),
              ":1|");
    EXPECT_EQ(heard(), "");
    EXPECT_EQ(ask({"EXISTS", "lock"}), ":0|");
}

TEST_F(gate_scripts, a_waiter_that_has_asked_before_learns_that_it_was_told)
{
    wait("x");
    arrive("p", 1, 2);
    EXPECT_EQ(wait("x", of_a_latch, {.repeated = true}), said(2, phase(1)));
}

TEST_F(gate_scripts, a_repeated_arrival_counts_once)
{
    arrive("p");
    EXPECT_EQ(arrive("p"), arrived_in(0));
    EXPECT_EQ(look("x"), not_yet());
    EXPECT_EQ(arrive("p", 2), arrived_in(0)) << "its next arrival counts";
    EXPECT_EQ(look("x"), open_in(1));
}

TEST_F(gate_scripts, a_delayed_arrival_does_not_count_after_the_next_one)
{
    arrive("p", 2);
    EXPECT_EQ(arrive("p", 1), arrived_in(0));
    EXPECT_EQ(look("x"), not_yet());
}

TEST_F(gate_scripts, an_open_latch_counts_no_more)
{
    arrive("p", 1, 2);
    EXPECT_EQ(arrive("p", 2), said(-5, "0"));
    EXPECT_EQ(arrive("p", 1, 2), arrived_in(0)) << "a repetition is not an error";
}

TEST_F(gate_scripts, more_arrivals_than_are_missing_are_refused)
{
    EXPECT_EQ(arrive("p", 1, 3), said(-5, "2"));
    EXPECT_EQ(arrive("p", 1, 2), arrived_in(0)) << "nothing was counted";
}

TEST_F(gate_scripts, a_delayed_copy_of_a_refused_arrival_does_not_count_in_a_later_phase)
{
    made_ = "barrier 2";
    arrive("p");
    EXPECT_EQ(arrive("q", 1, 2), said(-5, "1"));
    EXPECT_EQ(arrive("r"), arrived_in(0)) << "the phase ends";
    EXPECT_EQ(arrive("q", 1, 2), said(-5, "2")) << "the copy";
    EXPECT_EQ(arrive("q", 2, 2), arrived_in(1)) << "a new arrival";
}

TEST_F(gate_scripts, a_barrier_that_is_made_again_does_not_release_the_waiters_of_the_lost_one)
{
    made_ = "barrier 2";
    arrive("p");
    wait("x", phase(0));
    ask({"DEL", "a"});
    arrive("q");
    arrive("r");
    EXPECT_EQ(heard(), "");
}

TEST_F(gate_scripts, a_latch_that_is_made_again_keeps_its_waiters)
{
    wait("x");
    ask({"DEL", "a"});
    arrive("p", 1, 2);
    EXPECT_EQ(heard(), told("x", phase(1)));
}

TEST_F(gate_scripts, a_barrier_begins_its_next_phase)
{
    made_ = "barrier 2";
    EXPECT_EQ(arrive("p"), arrived_in(0));
    wait("x", phase(0));
    EXPECT_EQ(arrive("q"), arrived_in(0));
    EXPECT_EQ(heard(), told("x", phase(1)));
    EXPECT_EQ(wait("y", phase(0)), open_in(1)) << "the phase has ended before it waits";
    EXPECT_EQ(arrive("p", 2), arrived_in(1));
    EXPECT_EQ(wait("x", phase(1)), not_yet());
    EXPECT_EQ(arrive("p", 1), arrived_in(1)) << "a delayed request of the first phase";
    EXPECT_EQ(arrive("q", 2), arrived_in(1));
    EXPECT_EQ(heard(), told("x", phase(2)));
}

TEST_F(gate_scripts, one_that_drops_out_is_not_expected_in_the_next_phase)
{
    made_ = "barrier 2";
    EXPECT_EQ(arrive("p", 1, 1, "1"), arrived_in(0));
    arrive("q");
    EXPECT_EQ(wait("x", phase(0)), open_in(1));
    arrive("p", 1, 1, "1");
    EXPECT_EQ(wait("x", phase(1), {.join = false}), not_yet()) << "a repetition drops nothing";
    arrive("q", 2);
    EXPECT_EQ(wait("x", phase(1)), open_in(2)) << "one arrival ends the second phase";
}

TEST_F(gate_scripts, a_barrier_that_all_have_left_accepts_no_arrival)
{
    made_ = "barrier 1";
    arrive("p", 1, 1, "1");
    EXPECT_EQ(arrive("p", 2), said(-5, "0"));
    EXPECT_EQ(wait("x", phase(0)), open_in(1));
}

TEST_F(gate_scripts, a_barrier_that_was_forgotten_is_an_error_for_its_waiters)
{
    made_ = "barrier 2";
    arrive("p");
    wait("x", phase(0));
    ask({"FLUSHALL"});
    pass(1s);
    EXPECT_EQ(wait("x", phase(0), {.repeated = true}), said(-7, "0"));
    arrive("p", 2);
    arrive("q");
    EXPECT_EQ(wait("y", phase(0)), said(-7, "0")) << "phases of the new barrier are others";
    EXPECT_EQ(wait("y", phase(1'000'000)), open_in(1'000'001));
    EXPECT_EQ(wait("y", phase(1'000'002)), said(-7, "0")) << "a phase that has not begun";
}

TEST_F(gate_scripts, a_waiter_that_looks_keeps_its_place_and_one_that_leaves_has_none)
{
    wait("x");
    wait("x", of_a_latch, {.repeated = true});
    EXPECT_EQ(ask({"LLEN", "q"}), ":2|");
    EXPECT_EQ(leave_queue("x"), ":1|");
    EXPECT_EQ(ask({"EXISTS", "q"}), ":0|");
}

TEST_F(gate_scripts, a_request_that_comes_too_late_does_nothing)
{
    EXPECT_EQ(wait("x", of_a_latch, {.wanted_until = "1699999999999999"}), said(-1, "0"));
    EXPECT_EQ(ask({"EXISTS", "a", "q"}), ":0|");
}

TEST_F(gate_scripts, a_place_that_is_over_is_not_told)
{
    wait("x", of_a_latch, {.stay = 1s});
    wait("y", of_a_latch, {.stay = 9s});
    pass(2s);
    arrive("p", 1, 2);
    EXPECT_EQ(heard(), told("y", phase(1)));
}

TEST_F(gate_scripts, another_number_or_kind_is_refused)
{
    arrive("p");
    made_ = "latch 3";
    EXPECT_EQ(arrive("q"), said(-4, "2"));
    EXPECT_EQ(wait("x"), said(-4, "2"));
    made_ = "barrier 2";
    EXPECT_EQ(arrive("q"), said(-6, "2"));
    EXPECT_EQ(wait("x"), said(-6, "2"));
}

TEST_F(gate_scripts, a_hash_of_another_program_is_left_alone)
{
    ask({"HSET", "a", "name", "x"});
    EXPECT_TRUE(arrive("p").starts_with("-WRONGTYPE"));
    EXPECT_TRUE(wait("x").starts_with("-WRONGTYPE"));
    EXPECT_EQ(ask({"HLEN", "a"}), ":1|");
    EXPECT_EQ(ask({"PTTL", "a"}), ":-1|");
}

TEST_F(gate_scripts, a_gate_is_forgotten_a_day_after_its_last_use)
{
    arrive("p");
    pass(1h);
    look("x");
    EXPECT_EQ(ask({"PTTL", "a"}), ":86400000|");
    pass(24h + 1ms);
    EXPECT_EQ(ask({"EXISTS", "a"}), ":0|");
}

TEST_F(gate_scripts, arrivals_of_the_last_hour_are_remembered_and_older_ones_are_not)
{
    made_ = "barrier 1";
    arrive("p");
    pass(40min);
    arrive("q");
    pass(30min);
    arrive("r");
    EXPECT_EQ(ask({"HEXISTS", "a", "p"}), ":0|");
    EXPECT_EQ(ask({"PTTL", "a"}), ":86400000|");
    EXPECT_EQ(arrive("q"), arrived_in(1)) << "it arrived within the last hour";
    EXPECT_EQ(arrive("r"), arrived_in(2));
    EXPECT_EQ(ask({"HLEN", "a"}), ":3|");
}

}  // namespace
}  // namespace pawl::store::memory
