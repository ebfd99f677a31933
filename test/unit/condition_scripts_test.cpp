// pawl's scripts for conditions in the in-process Redis: a lock "a" and a condition "c" of it.
#include "unit/queue_scripts_fixture.h"

#include <chrono>
#include <string>
#include <string_view>

namespace pawl::store::memory {
namespace {

// The arguments of a wait besides its holders.
struct waiter {
    std::string_view used = "0";
    bool reserve = false;
    std::chrono::milliseconds lease = 3s;
    std::chrono::milliseconds stay = 9s;
    std::string_view client = listening_client;
};

class condition_scripts : public queue_scripts {
protected:
    static std::string place_of(const waiter& how)
    {
        return place_text_after_time({}, {how.client, how.lease, 0});
    }

    std::string wait(std::string_view holder, std::string_view who, const waiter& how = {})
    {
        const auto& script = is_hash() ? ours::hash_cond_wait : ours::plain_cond_wait;
        return ask({"EVAL", script.text, "4", "a", "f", "q", "c", holder, how.used, "",
                    how.reserve ? "1" : "", who, place_of(how), std::to_string(how.stay.count())});
    }

    // Takes the lock, and gives it back to wait.
    void begin_to_wait(std::string_view who, const waiter& how = {})
    {
        acquire("h");
        EXPECT_EQ(wait("h", who, how), ":1|");
    }

    std::string look(std::string_view who, const waiter& how = {}) { return look(who, how, ""); }
    std::string stop_waiting(std::string_view who) { return look(who, {}, "1"); }
    std::string look(std::string_view who, const waiter& how, std::string_view leaves)
    {
        return ask({"EVAL", ours::cond_look.text, "4", "a", "f", "q", "c", who, place_of(how),
                    std::to_string(how.stay.count()), leaves});
    }

    std::string notify(std::string_view most = "1")
    {
        const auto& script = is_hash() ? ours::hash_cond_notify : ours::plain_cond_notify;
        return ask({"EVAL", script.text, "4", "a", "f", "q", "c", most});
    }

    std::string leave(std::string_view who)
    {
        const auto& script = is_hash() ? ours::hash_cond_leave : ours::plain_cond_leave;
        return ask({"EVAL", script.text, "4", "a", "f", "q", "c", who, "0", ""});
    }

    // The ids in the condition.
    std::string in_condition()
    {
        return eval(
            "local ids, all = {}, redis.call('LRANGE', 'c', 0, -1) "
            "for i = 1, #all, 2 do ids[#ids + 1] = all[i] end return ids");
    }

    std::string granted(const std::string& who)
    {
        const auto fence = ask({"GET", "f"});
        return grant(who, fence.substr(fence.find('|') + 1, 16), std::to_string(now_.count()));
    }
};

INSTANTIATE_TEST_SUITE_P(both_layouts, condition_scripts, testing::Bool());

TEST_P(condition_scripts, a_waiter_gives_the_lock_back_and_is_in_the_condition)
{
    acquire("h");
    acquire("x");
    EXPECT_EQ(wait("h", "w"), ":1|");
    EXPECT_EQ(holder(), "x|") << "handed over, as by a release";
    EXPECT_EQ(heard(), granted("x"));
    EXPECT_EQ(in_condition(), list({"w"}));
    EXPECT_EQ(ask({"PTTL", "c"}), ":9000|");
}

TEST_P(condition_scripts, a_waiter_gives_the_reserved_numbers_back)
{
    acquire("h", {.reserve = 1000});
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000001000|");
    EXPECT_EQ(wait("h", "w", {.used = "1700000000000003", .reserve = true}), ":1|");
    EXPECT_EQ(ask({"GET", "f"}), "$16|1700000000000003|");
    EXPECT_EQ(holder(), "");
}

TEST_P(condition_scripts, a_repeated_wait_finds_its_waiter)
{
    begin_to_wait("w");
    EXPECT_EQ(wait("h", "w"), ":1|");
    EXPECT_EQ(in_condition(), list({"w"})) << "once";
    acquire("x");
    notify();
    EXPECT_EQ(waiting(), list({"w"}));
    EXPECT_EQ(wait("h", "w"), ":1|") << "in the queue";
    release("x");
    EXPECT_EQ(wait("h", "w"), ":1|") << "the holder";
    EXPECT_EQ(holder(), "w|");
    EXPECT_EQ(in_condition(), "*0|");
}

TEST_P(condition_scripts, a_late_wait_does_not_join_after_the_waiter_is_done)
{
    begin_to_wait("w");
    notify();
    release("w");
    EXPECT_EQ(wait("h", "w"), ":0|");
    acquire("x");
    EXPECT_EQ(wait("h", "w"), ":-1|");
    EXPECT_EQ(in_condition(), "*0|");
    EXPECT_EQ(waiting(), "*0|");
}

TEST_P(condition_scripts, a_holder_that_has_lost_the_lock_does_not_wait)
{
    acquire("h");
    pass(4s);
    EXPECT_EQ(wait("h", "w"), ":0|");
    acquire("x");
    EXPECT_EQ(wait("h", "w"), ":-1|");
    EXPECT_EQ(in_condition(), "*0|");
    EXPECT_EQ(holder(), "x|");
}

TEST_P(condition_scripts, a_notification_hands_a_free_lock_to_the_first_waiter)
{
    begin_to_wait("v");
    begin_to_wait("w");
    EXPECT_EQ(notify(), ":1|");
    EXPECT_EQ(holder(), "v|");
    EXPECT_EQ(heard(), granted("v"));
    EXPECT_EQ(ask({"PTTL", "a"}), ":3000|") << "the lease of the waiter";
    EXPECT_EQ(in_condition(), list({"w"}));
}

TEST_P(condition_scripts, a_notification_finds_a_waiter_in_the_last_millisecond_of_its_place)
{
    begin_to_wait("w", {.stay = 2s});
    begin_to_wait("later", {.stay = 9s});
    acquire("x");
    pass(2s + 500us);
    EXPECT_EQ(notify(), ":1|");
    EXPECT_EQ(waiting(), list({"w"}));
    EXPECT_EQ(ask({"PTTL", "q"}), ":1|");
}

TEST_P(condition_scripts, a_notification_moves_the_waiter_into_the_queue_of_a_held_lock)
{
    begin_to_wait("w", {.stay = 20s});
    acquire("x");
    acquire("y");
    heard();
    EXPECT_EQ(notify(), ":1|");
    EXPECT_EQ(heard(), "") << "nobody is told before the lock is handed over";
    EXPECT_EQ(waiting(), list({"y", "w"})) << "behind those that wait for the lock";
    EXPECT_EQ(ask({"PTTL", "q"}), ":20000|") << "as long as the place is kept";
    release("x");
    release("y");
    EXPECT_EQ(holder(), "w|");
}

TEST_P(condition_scripts, a_notification_of_all_moves_all_in_order)
{
    for (const auto* each : {"u", "v", "w"}) begin_to_wait(each);
    EXPECT_EQ(notify("1000000000"), ":1|");
    EXPECT_EQ(holder(), "u|");
    EXPECT_EQ(waiting(), list({"v", "w"}));
    EXPECT_EQ(heard(), granted("u")) << "one has the lock, and only that one is told";
    EXPECT_EQ(ask({"EXISTS", "c"}), ":0|");
}

TEST_P(condition_scripts, a_notification_without_waiters_changes_nothing)
{
    EXPECT_EQ(notify(), ":1|");
    acquire("x");
    EXPECT_EQ(notify("1000000000"), ":1|");
    EXPECT_EQ(holder(), "x|");
    EXPECT_EQ(ask({"DBSIZE"}), ":2|") << "the lock and the fence";
}

TEST_P(condition_scripts,
       a_notification_passes_over_places_that_are_not_kept_and_clients_that_do_not_listen)
{
    begin_to_wait("old", {.stay = 1s});
    pass(2s);
    begin_to_wait("deaf", {.client = deaf_client});
    begin_to_wait("w");
    EXPECT_EQ(notify(), ":1|");
    EXPECT_EQ(holder(), "w|");
    EXPECT_EQ(in_condition(), "*0|");
    EXPECT_EQ(look("deaf"), ":0|") << "it takes that for a notification";
}

TEST_P(condition_scripts, a_notification_tells_a_client_that_lets_the_lock_linger)
{
    begin_to_wait("w");
    const auto lingers = "p" + std::string(31, 'a') + std::string{listening_client};
    acquire(lingers);
    heard();
    notify();
    EXPECT_EQ(heard(), message(channel_of(listening_client), "wanted a"));
}

TEST_P(condition_scripts, a_look_keeps_the_place_for_longer)
{
    begin_to_wait("w");
    pass(8s);
    EXPECT_EQ(look("w"), ":1|");
    EXPECT_EQ(ask({"PTTL", "c"}), ":9000|");
    pass(8s);
    notify();
    EXPECT_EQ(holder(), "w|");
    EXPECT_EQ(look("w"), ":0|");
}

TEST_P(condition_scripts, a_look_of_one_that_is_not_there_does_not_join)
{
    EXPECT_EQ(look("w"), ":0|");
    EXPECT_EQ(ask({"EXISTS", "c"}), ":0|");
}

TEST_P(condition_scripts, a_waiter_that_stops_waiting_leaves_the_condition)
{
    for (const auto* each : {"u", "v", "w"}) begin_to_wait(each);
    EXPECT_EQ(stop_waiting("v"), ":1|");
    EXPECT_EQ(in_condition(), list({"u", "w"}));
    EXPECT_EQ(stop_waiting("v"), ":0|");
    notify();
    EXPECT_EQ(stop_waiting("u"), ":0|") << "it was notified before";
    EXPECT_EQ(holder(), "u|");
}

TEST_P(condition_scripts, a_waiter_that_gives_up_leaves_the_condition)
{
    begin_to_wait("v");
    begin_to_wait("w");
    EXPECT_EQ(leave("v"), ":0|");
    EXPECT_EQ(in_condition(), list({"w"}));
    EXPECT_EQ(holder(), "");
}

TEST_P(condition_scripts, a_repeated_request_to_give_up_wakes_another_waiter_at_most)
{
    begin_to_wait("v");
    begin_to_wait("w");
    leave("v");
    EXPECT_EQ(leave("v"), ":0|");
    EXPECT_EQ(holder(), "w|") << "it may have been notified: nobody knows any more";
    EXPECT_EQ(leave("v"), ":-1|");
    EXPECT_EQ(holder(), "w|");
}

TEST_P(condition_scripts,
       a_notified_waiter_that_was_passed_over_and_gives_up_passes_its_notification_on)
{
    begin_to_wait("v", {.client = "c2c2c2c2c2c2c2c2"});
    listen(channel_of("c2c2c2c2c2c2c2c2"));
    acquire("x");
    notify();
    ask({"UNSUBSCRIBE", channel_of("c2c2c2c2c2c2c2c2")}, listener);
    EXPECT_EQ(wait("x", "w"), ":1|");
    EXPECT_EQ(holder(), "") << "v does not listen any more";
    EXPECT_EQ(leave("v"), ":0|");
    EXPECT_EQ(holder(), "w|");
}

TEST_P(condition_scripts, a_waiter_that_gives_up_in_the_queue_passes_its_notification_on)
{
    begin_to_wait("v");
    begin_to_wait("w");
    acquire("x");
    notify();
    EXPECT_EQ(leave("v"), ":-1|");
    EXPECT_EQ(waiting(), list({"w"}));
    release("x");
    EXPECT_EQ(holder(), "w|");
}

TEST_P(condition_scripts, a_waiter_that_gives_up_with_the_lock_passes_its_notification_on)
{
    begin_to_wait("v");
    begin_to_wait("w");
    notify();
    EXPECT_EQ(holder(), "v|");
    EXPECT_EQ(leave("v"), ":1|");
    EXPECT_EQ(holder(), "w|");
    EXPECT_EQ(leave("v"), ":-1|");
    EXPECT_EQ(holder(), "w|");
}

TEST_P(condition_scripts, a_waiter_that_gives_up_when_the_lock_has_expired_hands_it_on)
{
    begin_to_wait("v");
    begin_to_wait("w");
    acquire("x");
    notify();
    pass(4s);
    EXPECT_EQ(holder(), "") << "the lease of x has ended";
    EXPECT_EQ(leave("v"), ":0|");
    EXPECT_EQ(holder(), "w|");
}

TEST_P(condition_scripts, a_waiter_finds_its_place_and_its_grant_with_an_acquire)
{
    begin_to_wait("w");
    acquire("x");
    notify();
    EXPECT_EQ(acquire("w", {.repeated = true}), answer("-2 3000 1700000000000000"));
    EXPECT_EQ(waiting(), list({"w"})) << "once";
    release("x");
    EXPECT_EQ(acquire("w", {.repeated = true}), answer("2 1700000000000003 1700000000000000"));
}

TEST_P(condition_scripts, nothing_is_left_when_the_places_are_over)
{
    begin_to_wait("v");
    begin_to_wait("w");
    acquire("x");
    notify();
    release("x");
    pass(10s);
    EXPECT_EQ(ask({"EXISTS", "a", "q", "c"}), ":0|");
}

}  // namespace
}  // namespace pawl::store::memory
