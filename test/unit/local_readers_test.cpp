// core::local_readers: the lease that the readers of one process share.
#include "core/local_readers.h"
#include "unit/at.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>

namespace pawl::core {
namespace {

using namespace std::chrono_literals;
using test::at;
using kind = local_sharing::turn::kind;
using ending = local_sharing::ending::kind;

class readers_of_one_process : public testing::Test {
protected:
    static lease_ptr new_lease(base::boot_time when)
    {
        auto made = std::make_shared<lease>();
        made->what = std::make_shared<const object>(
            object{.name = "a", .kind = object_kind::shared, .mode = entry_mode::reader});
        made->length = 1000ms;
        made->deadline = when + 1000ms;
        return made;
    }

    // The server answers the caller that asks.
    lease_ptr grant(base::boot_time now, bool alone = false)
    {
        static_cast<void>(readers_.begin_to_ask(alone, true));
        auto got = new_lease(now);
        readers_.granted(alone, got, now);
        return got;
    }

    lease_ptr first_reader(base::boot_time now = at(0))
    {
        EXPECT_EQ(readers_.arrive(true, now).what, kind::ask);
        return grant(now);
    }

    local_readers::ticket wait_in_line(base::boot_time now = at(0))
    {
        const auto mine = readers_.arrive(true, now);
        EXPECT_EQ(mine.what, kind::wait);
        return mine.number;
    }

    local_readers readers_{{.lease = 1000ms}};
};

// ── An open lease ───────────────────────────────────────────────────────────────────────────────

TEST_F(readers_of_one_process, join_a_lease_that_was_just_granted)
{
    const auto lease = first_reader();
    for (const bool may_wait : {true, false}) {
        const auto second = readers_.arrive(may_wait, at(9));
        EXPECT_EQ(second.what, kind::join);
        EXPECT_EQ(second.lease, lease);
    }
    EXPECT_EQ(lease->readers, 3U);
}

TEST_F(readers_of_one_process, ask_again_ten_milliseconds_after_the_grant)
{
    const auto old = first_reader();
    ASSERT_EQ(readers_.arrive(true, at(10)).what, kind::ask) << "a writer may wait at the server";
    const auto fresh = grant(at(11));
    EXPECT_EQ(readers_.arrive(true, at(20)).lease, fresh);
    EXPECT_EQ(old->readers, 1U);
    EXPECT_EQ(fresh->readers, 2U);
}

TEST_F(readers_of_one_process, give_a_lease_back_when_its_last_reader_leaves)
{
    const auto lease = first_reader();
    ASSERT_EQ(readers_.arrive(true, at(1)).what, kind::join);
    EXPECT_EQ(readers_.release(lease, at(2)).what, ending::done);
    EXPECT_EQ(readers_.release(lease, at(3)).what, ending::give_back);
    EXPECT_EQ(readers_.arrive(true, at(4)).what, kind::ask) << "it is not open any more";
}

TEST_F(readers_of_one_process, of_an_older_lease_end_it_without_closing_the_new_one)
{
    const auto old = first_reader();
    ASSERT_EQ(readers_.arrive(true, at(10)).what, kind::ask);
    const auto fresh = grant(at(10));
    EXPECT_EQ(readers_.release(old, at(11)).what, ending::give_back);
    EXPECT_EQ(readers_.arrive(true, at(12)).lease, fresh);
}

TEST_F(readers_of_one_process, do_not_join_a_lease_in_jeopardy)
{
    const auto lease = first_reader();
    lease->state = hold_state::jeopardy;
    EXPECT_EQ(readers_.arrive(true, at(1)).what, kind::ask);
}

TEST_F(readers_of_one_process, do_not_join_a_lease_with_less_than_half_of_its_time_left)
{
    ASSERT_EQ(readers_.arrive(true, at(0)).what, kind::ask);
    const auto lease = new_lease(at(-501));  // its message came late
    readers_.granted(false, lease, at(0));
    EXPECT_EQ(lease->readers, 1U) << "the one that asked has it nevertheless";
    EXPECT_EQ(readers_.arrive(true, at(0)).what, kind::ask);
}

TEST_F(readers_of_one_process, whose_leases_are_not_renewed_share_nothing)
{
    local_readers alone{{.lease = 1000ms, .shares = false}};
    ASSERT_EQ(alone.arrive(true, at(0)).what, kind::ask_alone);
    const auto lease = new_lease(at(0));
    alone.granted(true, lease, at(0));
    EXPECT_EQ(alone.arrive(true, at(1)).what, kind::ask_alone);
    EXPECT_EQ(alone.release(lease, at(2)).what, ending::give_back);
}

// ── A reader that becomes the writer ────────────────────────────────────────────────────────────

TEST_F(readers_of_one_process, do_not_join_a_lease_whose_reader_becomes_the_writer)
{
    const auto lease = first_reader();
    EXPECT_TRUE(readers_.begin_change(lease));
    EXPECT_EQ(readers_.arrive(true, at(1)).what, kind::ask);
    EXPECT_EQ(readers_.release(lease, at(2)).what, ending::give_back);
}

TEST_F(readers_of_one_process, keep_a_reader_of_their_lease_from_becoming_the_writer)
{
    const auto lease = first_reader();
    ASSERT_EQ(readers_.arrive(true, at(1)).what, kind::join);
    EXPECT_FALSE(readers_.begin_change(lease));
    EXPECT_EQ(readers_.arrive(true, at(2)).what, kind::join) << "nothing has changed";
}

// ── In line ─────────────────────────────────────────────────────────────────────────────────────

TEST_F(readers_of_one_process, in_line_are_all_let_in_by_one_grant)
{
    ASSERT_EQ(readers_.arrive(true, at(0)).what, kind::ask);
    const auto first = wait_in_line();
    const auto second = wait_in_line();
    const auto lease = grant(at(5));
    EXPECT_TRUE(readers_.take_effects().wake_all);
    EXPECT_EQ(lease->readers, 3U);
    EXPECT_EQ(readers_.look(second, at(6)).lease, lease);
    EXPECT_EQ(readers_.look(first, at(500)).lease, lease) << "it was let in, however late it looks";
    EXPECT_EQ(lease->readers, 3U);
}

TEST_F(readers_of_one_process, that_were_let_in_keep_the_lease_until_they_look)
{
    ASSERT_EQ(readers_.arrive(true, at(0)).what, kind::ask);
    const auto slow = wait_in_line();
    const auto lease = grant(at(1));
    EXPECT_EQ(readers_.release(lease, at(2)).what, ending::done);
    const auto mine = readers_.look(slow, at(50));
    EXPECT_EQ(mine.what, kind::join);
    EXPECT_EQ(mine.lease, lease);
    EXPECT_EQ(readers_.release(lease, at(51)).what, ending::give_back);
}

TEST_F(readers_of_one_process, that_were_let_in_and_wait_no_more_end_the_lease)
{
    ASSERT_EQ(readers_.arrive(true, at(0)).what, kind::ask);
    const auto other = wait_in_line();
    const auto lease = grant(at(1));
    static_cast<void>(readers_.take_effects());
    ASSERT_EQ(readers_.release(lease, at(2)).what, ending::done);
    readers_.leave(other, at(3));
    const auto effects = readers_.take_effects();
    ASSERT_EQ(effects.ended.size(), 1U);
    EXPECT_EQ(effects.ended[0].lease, lease);
    EXPECT_EQ(effects.ended[0].to_server, giving::first_time);
    EXPECT_EQ(readers_.arrive(true, at(4)).what, kind::ask) << "it is not open any more";
}

TEST_F(readers_of_one_process, in_line_ask_one_after_another_if_the_server_says_no)
{
    ASSERT_EQ(readers_.arrive(true, at(0)).what, kind::ask);
    const auto first = wait_in_line();
    const auto second = wait_in_line();
    EXPECT_FALSE(readers_.to_wake(at(1))) << "the server is being asked";
    readers_.not_granted(false, {errc::timed_out, {}}, {}, at(2));
    EXPECT_EQ(readers_.to_wake(at(2)), first);
    EXPECT_FALSE(readers_.to_wake(at(2))) << "it has not looked yet";
    EXPECT_EQ(readers_.look(second, at(3)).what, kind::wait);
    EXPECT_EQ(readers_.look(first, at(3)).what, kind::ask);
    EXPECT_EQ(readers_.look(second, at(3)).what, kind::wait);
}

TEST_F(readers_of_one_process, that_leave_the_line_let_the_next_one_ask)
{
    ASSERT_EQ(readers_.arrive(true, at(0)).what, kind::ask);
    const auto first = wait_in_line();
    const auto second = wait_in_line();
    readers_.not_granted(false, {errc::timed_out, {}}, {}, at(1));
    ASSERT_EQ(readers_.to_wake(at(1)), first);
    readers_.leave(first, at(2));
    EXPECT_EQ(readers_.to_wake(at(2)), second);
}

TEST_F(readers_of_one_process, that_do_not_wait_ask_alone_while_another_asks)
{
    ASSERT_EQ(readers_.arrive(true, at(0)).what, kind::ask);
    const auto waiter = wait_in_line();
    ASSERT_EQ(readers_.arrive(false, at(1)).what, kind::ask_alone);
    const auto lease = grant(at(2), true);
    EXPECT_EQ(readers_.look(waiter, at(3)).what, kind::wait) << "a writer may be before it";
    EXPECT_EQ(readers_.arrive(true, at(4)).what, kind::wait);
    EXPECT_EQ(readers_.release(lease, at(5)).what, ending::give_back);
    const auto for_all = grant(at(6));
    EXPECT_EQ(readers_.look(waiter, at(7)).lease, for_all);
}

TEST_F(readers_of_one_process, join_the_lease_of_one_that_asked_alone_if_no_other_asks)
{
    const auto lease = grant(at(0), true);
    EXPECT_EQ(readers_.arrive(true, at(1)).lease, lease);
}

// ── A silent server ─────────────────────────────────────────────────────────────────────────────

TEST_F(readers_of_one_process, in_line_give_up_together_when_patience_is_over)
{
    ASSERT_EQ(readers_.arrive(true, at(0)).what, kind::ask);
    const auto first = wait_in_line();
    const auto second = wait_in_line();
    readers_.not_granted(false, {errc::unreachable, "gone"},
                         silence{.since = at(0), .out_of_patience = true}, at(3000));
    EXPECT_TRUE(readers_.take_effects().wake_all);
    for (const auto each : {first, second}) {
        const auto mine = readers_.look(each, at(3001));
        EXPECT_EQ(mine.what, kind::give_up);
        EXPECT_EQ(mine.why.code, errc::unreachable);
    }
    EXPECT_EQ(readers_.arrive(true, at(3002)).what, kind::ask) << "a new start";
}

TEST_F(readers_of_one_process, ask_for_the_rest_of_the_time_after_one_that_gave_up_early)
{
    ASSERT_EQ(readers_.arrive(true, at(0)).what, kind::ask);
    const auto next = wait_in_line();
    readers_.not_granted(false, {errc::unreachable, {}}, silence{.since = at(0)}, at(400));
    ASSERT_EQ(readers_.look(next, at(400)).what, kind::ask);
    EXPECT_EQ(readers_.begin_to_ask(false, true).silent_before, 400ms);
    EXPECT_EQ(readers_.begin_to_ask(true, true).silent_before, 0ms);
}

// ── Loss ────────────────────────────────────────────────────────────────────────────────────────

TEST_F(readers_of_one_process, of_a_lost_lease_are_all_told_when_they_leave)
{
    const auto lease = first_reader();
    ASSERT_EQ(readers_.arrive(true, at(1)).what, kind::join);
    lease->state = hold_state::lost;
    readers_.look_at_lease(at(2));
    EXPECT_EQ(readers_.release(lease, at(3)).what, ending::lost);
    EXPECT_EQ(readers_.release(lease, at(4)).what, ending::give_back) << "which finds it lost";
}

TEST_F(readers_of_one_process, do_not_join_a_lost_lease)
{
    const auto lease = first_reader();
    lease->state = hold_state::lost;
    EXPECT_EQ(readers_.arrive(true, at(1)).what, kind::ask);
}

TEST_F(readers_of_one_process, start_again_if_the_lease_is_lost_before_they_look)
{
    ASSERT_EQ(readers_.arrive(true, at(0)).what, kind::ask);
    const auto first = wait_in_line();
    const auto second = wait_in_line();
    const auto lease = grant(at(0));
    ASSERT_EQ(readers_.release(lease, at(1)).what, ending::done);
    lease->state = hold_state::lost;
    EXPECT_EQ(readers_.look(first, at(2)).what, kind::ask);
    EXPECT_TRUE(readers_.take_effects().ended.empty()) << "the second one has not looked yet";
    const auto again = readers_.look(second, at(2));
    EXPECT_EQ(again.what, kind::wait);
    EXPECT_NE(again.number, second) << "with a new ticket";
    ASSERT_EQ(readers_.take_effects().ended.size(), 1U);
    EXPECT_EQ(readers_.look(again.number, at(3)).what, kind::wait);
}

}  // namespace
}  // namespace pawl::core
