// core::condition_machine, event by event.
#include "core/condition_wait.h"

#include "unit/at.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <variant>

namespace pawl::core {
namespace {

using namespace std::chrono_literals;
using test::always;
using test::at;
using kind = step::kind;

const failure refused{.what = failure_kind::refused, .detail = "no"};
const failure broken{.what = failure_kind::unreachable, .detail = "reset", .maybe_executed = true};

class waiting_for_a_condition : public testing::Test {
protected:
    waiting_for_a_condition()
    {
        lock_.condition = &name_;
        random_ = always(1);
    }

    condition_machine machine(time_limit limit = time_limit::never(), bool joins = true)
    {
        condition_plan plan;
        plan.release = {.mine = {&lock_, "old"}, .used = 7, .has_reserve = true, .announce = true};
        plan.limit = limit;
        plan.waiter.mine = {&lock_, "me"};
        plan.waiter.lease = 9s;
        plan.waiter.poll_interval = 100ms;
        plan.waiter.command_limit = 300ms;
        plan.waiter.drift = 0.01;
        plan.waiter.joins = joins;
        plan.waiter.client = "client";
        return condition_machine{plan, random_};
    }

    // In the condition since 1 ms after the start.
    condition_machine waiting(time_limit limit = time_limit::never())
    {
        auto m = machine(limit);
        static_cast<void>(m.start(at(0)));
        EXPECT_EQ(m.on_reply(status(hold_status::done), at(1)).what, kind::wait);
        return m;
    }

    static reply status(hold_status what) { return hold_reply{what}; }
    static reply trouble_with(const failure& what) { return hold_reply{what}; }

    template <class Request>
    static const Request& asked(const step& what)
    {
        EXPECT_EQ(what.what, kind::send);
        return std::get<Request>(std::get<exchange_request>(what.request));
    }

    static bool acquires(const step& what)
    {
        return what.what == kind::send && std::holds_alternative<acquire_request>(what.request);
    }

    [[nodiscard]] static grant_notice notice(base::boot_time when)
    {
        return {.holder = "me", .fence = 17, .at = when};
    }

    std::string name_ = "more";
    object lock_{.name = "jobs"};
    base::random_unit random_;
};

TEST_F(waiting_for_a_condition, gives_the_lock_back_and_joins_in_one_request)
{
    auto m = machine();
    const auto first = m.start(at(0));
    const auto& join = asked<wait_request>(first);
    EXPECT_EQ(join.release.mine.holder, "old");
    EXPECT_EQ(join.release.used, 7);
    EXPECT_EQ(join.waiter.holder, "me");
    EXPECT_EQ(join.place.client, "client");
    EXPECT_EQ(join.place.lease, 9s);
    EXPECT_EQ(join.stay, 9s);
    const auto next = m.on_reply(status(hold_status::done), at(1));
    EXPECT_EQ(next.what, kind::wait);
    EXPECT_EQ(next.until, at(3'001)) << "it looks three times in the lifetime of its place";
}

TEST_F(waiting_for_a_condition, has_the_lock_when_it_is_handed_over)
{
    auto m = waiting();
    EXPECT_EQ(m.on_granted(notice(at(500)), at(501)).what, kind::finish);
    EXPECT_FALSE(m.result().failure);
    EXPECT_TRUE(m.result().notified);
    EXPECT_TRUE(m.result().gave_back);
    EXPECT_EQ(m.result().fence, 17);
    EXPECT_EQ(m.result().sent, at(500)) << "the lease began with the hand-over";
}

TEST_F(waiting_for_a_condition, has_the_lock_if_the_grant_comes_before_the_reply)
{
    auto m = machine();
    static_cast<void>(m.start(at(0)));
    EXPECT_EQ(m.on_granted(notice(at(2)), at(3)).what, kind::finish);
    EXPECT_FALSE(m.result().failure);
    EXPECT_TRUE(m.result().gave_back);
}

TEST_F(waiting_for_a_condition, asks_again_if_the_message_about_the_grant_is_old)
{
    auto m = waiting();
    EXPECT_TRUE(acquires(m.on_granted(notice(at(500)), at(5'000))));
    EXPECT_EQ(m.on_reply(acquire_reply{granted{.fence = 18, .found = true}}, at(5'001)).what,
              kind::finish);
    EXPECT_EQ(m.result().fence, 18);
    EXPECT_EQ(m.result().sent, at(5'000));
}

TEST_F(waiting_for_a_condition, repeats_an_unanswered_request_without_its_numbers)
{
    auto m = machine();
    static_cast<void>(m.start(at(0)));
    const auto pause = m.on_time(at(100));
    EXPECT_EQ(pause.what, kind::pause);
    const auto again = m.on_time(pause.until);
    EXPECT_EQ(asked<wait_request>(again).release.used, 0);
    EXPECT_FALSE(asked<wait_request>(again).release.has_reserve);
    EXPECT_EQ(m.on_reply(status(hold_status::done), at(120)).what, kind::wait);
}

TEST_F(waiting_for_a_condition, fails_if_the_lock_was_lost_before)
{
    auto m = machine();
    static_cast<void>(m.start(at(0)));
    EXPECT_EQ(m.on_reply(status(hold_status::taken), at(1)).what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::lost);
    EXPECT_EQ(m.result().why, cause::taken);
    EXPECT_FALSE(m.result().uncertain) << "it has not joined";
    EXPECT_TRUE(m.result().gave_back) << "there is nothing to give back";
}

TEST_F(waiting_for_a_condition, wakes_if_a_repeated_request_finds_its_waiter_nowhere)
{
    // The first try may have been executed. A notification then removed the waiter from the condition, because its
    // client had lost its connection.
    for (const auto found : {hold_status::vanished, hold_status::taken}) {
        auto m = machine();
        static_cast<void>(m.start(at(0)));
        const auto pause = m.on_reply(trouble_with(broken), at(1));
        ASSERT_EQ(pause.what, kind::pause);
        static_cast<void>(m.on_time(pause.until));
        ASSERT_TRUE(acquires(m.on_reply(status(found), at(120))));
        EXPECT_EQ(m.on_reply(acquire_reply{granted{.fence = 18}}, at(121)).what, kind::finish);
        EXPECT_FALSE(m.result().failure);
        EXPECT_TRUE(m.result().notified);
        EXPECT_TRUE(m.result().gave_back);
        EXPECT_EQ(m.result().fence, 18);
    }
}

TEST_F(waiting_for_a_condition, fails_if_the_lock_was_lost_and_no_earlier_try_was_sent)
{
    auto m = machine();
    static_cast<void>(m.start(at(0)));
    const auto pause =
        m.on_reply(trouble_with({.what = failure_kind::unreachable, .detail = "down"}), at(1));
    static_cast<void>(m.on_time(pause.until));
    EXPECT_EQ(m.on_reply(status(hold_status::vanished), at(120)).what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::lost);
}

TEST_F(waiting_for_a_condition, may_be_in_the_condition_if_there_was_no_answer)
{
    auto m = machine();
    auto next = m.start(at(0));
    auto now = at(0);
    while (next.what != kind::finish) {
        now = next.until;
        next = m.on_time(now);
    }
    EXPECT_EQ(m.result().failure, errc::unreachable);
    EXPECT_TRUE(m.result().uncertain);
    EXPECT_FALSE(m.result().gave_back);
    EXPECT_EQ(m.result().wanted_until, now + latest_execution) << "a request may be on its way";
}

TEST_F(waiting_for_a_condition, fails_if_the_server_refuses)
{
    auto m = machine();
    static_cast<void>(m.start(at(0)));
    EXPECT_EQ(m.on_reply(trouble_with(refused), at(1)).what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::refused);
    EXPECT_EQ(m.result().detail, "no");
    EXPECT_FALSE(m.result().gave_back);
    EXPECT_EQ(m.result().wanted_until, at(1)) << "no request is on its way";
}

TEST_F(waiting_for_a_condition, may_still_join_if_the_server_refuses_after_a_try_without_an_answer)
{
    auto m = machine();
    static_cast<void>(m.start(at(0)));
    const auto pause = m.on_reply(trouble_with(broken), at(1));
    static_cast<void>(m.on_time(pause.until));
    EXPECT_EQ(m.on_reply(trouble_with(refused), at(120)).what, kind::finish);
    EXPECT_EQ(m.result().wanted_until, at(120) + latest_execution) << "the first try may be late";
}

TEST_F(waiting_for_a_condition, gives_the_lock_back_if_a_key_has_another_type)
{
    auto m = machine();
    static_cast<void>(m.start(at(0)));
    EXPECT_EQ(m.on_reply(status(hold_status::not_a_lock), at(1)).what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::not_a_lock);
    EXPECT_FALSE(m.result().gave_back);
}

TEST_F(waiting_for_a_condition, looks_and_waits_on)
{
    auto m = waiting();
    const auto look = m.on_time(at(3'001));
    EXPECT_EQ(asked<look_request>(look).waiter.holder, "me");
    EXPECT_FALSE(asked<look_request>(look).leaves);
    EXPECT_EQ(asked<look_request>(look).stay, 9s);
    const auto next = m.on_reply(status(hold_status::done), at(3'002));
    EXPECT_EQ(next.what, kind::wait);
    EXPECT_EQ(next.until, at(6'002));
}

TEST_F(waiting_for_a_condition, acquires_the_lock_if_it_is_not_in_the_condition_any_more)
{
    auto m = waiting();
    static_cast<void>(m.on_time(at(3'001)));
    const auto next = m.on_reply(status(hold_status::vanished), at(3'002));
    ASSERT_TRUE(acquires(next));
    const auto& acquire = std::get<acquire_request>(next.request);
    EXPECT_EQ(acquire.mine.holder, "me");
    EXPECT_TRUE(acquire.repeated) << "it may have a place or a grant";
    EXPECT_FALSE(acquire.first);
    EXPECT_EQ(acquire.wait, 9s);
    EXPECT_EQ(m.on_reply(acquire_reply{busy{.queued = true}}, at(3'003)).what, kind::wait);
    EXPECT_EQ(m.on_granted(notice(at(3'500)), at(3'501)).what, kind::finish);
    EXPECT_TRUE(m.result().notified);
    EXPECT_EQ(m.result().fence, 17);
}

TEST_F(waiting_for_a_condition, a_grant_that_comes_during_a_look_counts)
{
    auto m = waiting();
    static_cast<void>(m.on_time(at(3'001)));
    EXPECT_EQ(m.on_granted(notice(at(3'002)), at(3'003)).what, kind::finish);
    EXPECT_TRUE(m.result().notified);
}

TEST_F(waiting_for_a_condition, fails_if_the_server_is_silent_while_it_looks)
{
    auto m = waiting();
    auto next = m.on_time(at(3'001));
    while (next.what != kind::finish) next = m.on_time(next.until);
    EXPECT_EQ(m.result().failure, errc::unreachable);
    EXPECT_TRUE(m.result().uncertain);
    EXPECT_TRUE(m.result().gave_back);
    EXPECT_LE(m.result().wanted_until, at(3'302)) << "a late look does not join";
}

TEST_F(waiting_for_a_condition, leaves_at_its_limit_and_acquires_without_a_limit)
{
    auto m = machine(time_limit::after(2s));
    static_cast<void>(m.start(at(0)));
    const auto wait = m.on_reply(status(hold_status::done), at(1));
    EXPECT_EQ(wait.until, at(2'000));
    const auto leave = m.on_time(at(2'000));
    EXPECT_TRUE(asked<look_request>(leave).leaves);
    EXPECT_TRUE(acquires(m.on_reply(status(hold_status::done), at(2'001))));
    const auto queued = m.on_reply(acquire_reply{busy{.queued = true}}, at(2'002));
    EXPECT_EQ(queued.what, kind::wait);
    EXPECT_EQ(queued.until, at(5'002)) << "the limit is over, and does not count any more";
    EXPECT_EQ(m.on_granted(notice(at(9'000)), at(9'001)).what, kind::finish);
    EXPECT_FALSE(m.result().failure);
    EXPECT_FALSE(m.result().notified);
}

TEST_F(waiting_for_a_condition, was_notified_if_it_is_not_there_at_its_limit)
{
    auto m = waiting(time_limit::after(2s));
    static_cast<void>(m.on_time(at(2'000)));
    EXPECT_TRUE(acquires(m.on_reply(status(hold_status::vanished), at(2'001))));
    static_cast<void>(m.on_reply(acquire_reply{granted{.fence = 18, .found = true}}, at(2'002)));
    EXPECT_TRUE(m.result().notified);
}

TEST_F(waiting_for_a_condition, joins_before_it_leaves_even_if_it_does_not_wait)
{
    auto m = machine(time_limit::now());
    EXPECT_EQ(asked<wait_request>(m.start(at(0))).waiter.holder, "me");
    EXPECT_TRUE(asked<look_request>(m.on_reply(status(hold_status::done), at(1))).leaves);
}

TEST_F(waiting_for_a_condition, leaves_when_it_is_stopped)
{
    auto m = waiting();
    m.stop();
    EXPECT_TRUE(asked<look_request>(m.on_time(at(50))).leaves);
    EXPECT_TRUE(acquires(m.on_reply(status(hold_status::done), at(51))));
    static_cast<void>(m.on_reply(acquire_reply{granted{.fence = 18}}, at(52)));
    EXPECT_FALSE(m.result().failure);
    EXPECT_FALSE(m.result().notified);
}

TEST_F(waiting_for_a_condition, leaves_after_the_reply_if_it_is_stopped_during_a_request)
{
    auto m = machine();
    static_cast<void>(m.start(at(0)));
    m.stop();
    EXPECT_TRUE(asked<look_request>(m.on_reply(status(hold_status::done), at(1))).leaves);
}

TEST_F(waiting_for_a_condition, ends_at_once_if_its_client_is_destroyed)
{
    auto joining = machine();
    static_cast<void>(joining.start(at(0)));
    EXPECT_EQ(joining.on_cancel(at(1), client_destroyed).what, kind::finish);
    EXPECT_EQ(joining.result().failure, errc::cancelled);
    EXPECT_FALSE(joining.result().gave_back);

    auto m = waiting();
    EXPECT_EQ(m.on_cancel(at(50), client_destroyed).what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::cancelled);
    EXPECT_EQ(m.result().detail, client_destroyed);
    EXPECT_TRUE(m.result().uncertain);
    EXPECT_TRUE(m.result().gave_back);
}

TEST_F(waiting_for_a_condition, has_not_joined_if_its_client_is_destroyed_before_it_starts)
{
    auto m = machine();
    EXPECT_EQ(m.on_cancel(at(1), client_destroyed).what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::cancelled);
    EXPECT_FALSE(m.result().uncertain) << "nothing was sent";
    EXPECT_FALSE(m.result().gave_back);
}

TEST_F(waiting_for_a_condition, doubts_its_messages_if_it_finds_a_grant_without_one)
{
    for (const bool joins : {true, false}) {
        auto m = machine(time_limit::never(), joins);
        static_cast<void>(m.start(at(0)));
        static_cast<void>(m.on_reply(status(hold_status::done), at(1)));
        static_cast<void>(m.on_time(at(3'001)));
        static_cast<void>(m.on_reply(status(hold_status::vanished), at(3'002)));
        static_cast<void>(
            m.on_reply(acquire_reply{granted{.fence = 18, .found = true}}, at(3'003)));
        EXPECT_EQ(m.result().unheard, joins) << "one that polls gets no messages";
    }
}

TEST_F(waiting_for_a_condition, looks_often_as_long_as_its_client_does_not_hear)
{
    auto m = machine();
    m.hears(false);
    static_cast<void>(m.start(at(0)));
    EXPECT_EQ(m.on_reply(status(hold_status::done), at(1)).until, at(3)) << "2 ms";
    static_cast<void>(m.on_time(at(3)));
    EXPECT_EQ(m.on_reply(status(hold_status::done), at(4)).until, at(8)) << "4 ms";
    m.hears(true);
    static_cast<void>(m.on_time(at(5)));
    EXPECT_EQ(m.on_reply(status(hold_status::done), at(6)).until, at(3'006));
}

TEST_F(waiting_for_a_condition, polls_if_that_is_how_the_lock_is_waited_for)
{
    auto m = machine(time_limit::never(), false);
    static_cast<void>(m.start(at(0)));
    EXPECT_EQ(m.on_reply(status(hold_status::done), at(1)).until, at(101));
}

TEST_F(waiting_for_a_condition, fails_if_the_lock_cannot_be_acquired_again)
{
    auto m = waiting();
    static_cast<void>(m.on_time(at(3'001)));
    static_cast<void>(m.on_reply(status(hold_status::vanished), at(3'002)));
    static_cast<void>(m.on_reply(
        acquire_reply{failure{.what = failure_kind::refused, .detail = "no"}}, at(3'003)));
    EXPECT_EQ(m.result().failure, errc::refused);
    EXPECT_TRUE(m.result().uncertain);
}

}  // namespace
}  // namespace pawl::core
