// Ending a hold by force: inspector::break_hold(), with a memory server.
#include "sync/client_access.h"
#include "unit/memory_waiters_fixture.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace pawl::test {
namespace {

class broken_hold : public with_waiters {
protected:
    [[nodiscard]] break_outcome end(std::string_view lock, const std::string& holder)
    {
        const inspector eye{other_};
        return eye.break_hold(lock, {.holder = holder, .reason = "it hangs", .by = "me"}).outcome;
    }

    // A client listens once it has had to wait.
    void make_listen()
    {
        mutex elsewhere{other_, "first"};
        mutex mine{client_, "first"};
        auto held = elsewhere.acquire();
        auto waiting = wait_for(mine);
        held.release();
        get(waiting).release();
    }

    // As a server may deliver it at any later time.
    void publish(const std::string& message)
    {
        const auto channel = "pawl:client:" + client_.id().substr(0, 16);
        const auto got = client_access::state(other_).ask_servers(
            {{other_.server(), {{"PUBLISH", channel, message}}}});
        EXPECT_FALSE(got.at(0).any_problem());
    }
};

TEST_F(broken_hold, frees_the_lock)
{
    const auto held = mutex_.acquire();
    EXPECT_EQ(end("job", held.id()), break_outcome::broken);
    EXPECT_EQ(inspector{other_}.look("job").holder_count, 0U);
    EXPECT_EQ(end("job", held.id()), break_outcome::free);
}

TEST_F(broken_hold, is_that_of_the_named_holder_only)
{
    auto held = mutex_.acquire();
    EXPECT_EQ(end("job", "p0123456789abcde0123456789abcdef"), break_outcome::other);
    EXPECT_TRUE(held.confirm());
}

TEST_F(broken_hold, is_lost_at_once_with_the_reason_if_its_client_listens)
{
    make_listen();
    const auto held = mutex_.acquire();
    ASSERT_EQ(end("job", held.id()), break_outcome::broken);
    EXPECT_TRUE(eventually([&] { return held.state() == hold_state::lost; }));
    EXPECT_EQ(held.why(), cause::broken);
    EXPECT_TRUE(eventually([&] {
        const auto all = events_.all();
        return std::ranges::any_of(all, [&](const auto& each) {
            return each.holder == held.id() && each.to == hold_state::lost &&
                   each.why == cause::broken && each.detail == "it hangs";
        });
    }));
}

TEST_F(broken_hold, goes_to_the_first_waiter)
{
    mutex elsewhere{other_, "job"};
    const auto held = mutex_.acquire();
    auto waiting = wait_for(elsewhere);
    ASSERT_EQ(end("job", held.id()), break_outcome::broken);
    const auto next = get(waiting);
    EXPECT_GT(next.fence(), held.fence());
    EXPECT_EQ(inspector{other_}.look("job").holders.at(0).id, next.id());
}

TEST_F(broken_hold, a_late_message_does_not_end_a_later_hold)
{
    make_listen();
    auto first = mutex_.acquire();
    const auto id = first.id();
    first.release();
    const auto second = mutex_.acquire();
    ASSERT_NE(second.id(), id);
    publish("broken " + id + " job" + std::string(1, '\0') + "late");
    // This one counts, so the message before it was read by then.
    mutex other_lock{client_, "other"};
    const auto last = other_lock.acquire();
    publish("broken " + last.id() + " other" + std::string(1, '\0') + "now");
    ASSERT_TRUE(eventually([&] { return last.state() == hold_state::lost; }));
    EXPECT_EQ(second.state(), hold_state::held);
}

TEST_F(broken_hold, of_one_member_leaves_the_others_in)
{
    counting_semaphore seats{client_, "seats", 3};
    const auto one = seats.acquire(2);
    const auto two = seats.acquire(1);
    ASSERT_EQ(end("seats", one.id()), break_outcome::broken);
    const auto seen = inspector{other_}.look("seats");
    ASSERT_EQ(seen.holder_count, 1U);
    EXPECT_EQ(seen.holders[0].id, two.id());
    EXPECT_EQ(seen.counts->used, 1U);
    counting_semaphore there{other_, "seats", 3};
    EXPECT_TRUE(there.try_acquire(2));
}

TEST_F(broken_hold, may_be_of_a_recursive_mutex_a_reader_a_leader_or_another_library)
{
    recursive_mutex again{client_, "again"};
    const auto twice = again.acquire();
    const auto more = again.acquire();
    EXPECT_EQ(end("again", twice.id()), break_outcome::broken);
    shared_mutex both{client_, "both"};
    const auto reader = both.shared().acquire();
    EXPECT_EQ(end("both", reader.id()), break_outcome::broken);
    const auto writer = both.acquire();
    EXPECT_EQ(end("both", writer.id()), break_outcome::broken);
    leader election{client_, "primary"};
    const auto term = election.campaign("here");
    EXPECT_EQ(end("primary", term.id()), break_outcome::broken);
    EXPECT_TRUE(stateless::try_lock(client_, "theirs", "0123456789abcdef0123", 10s));
    EXPECT_EQ(end("theirs", "0123456789abcdef0123"), break_outcome::broken);
    for (const char* name : {"again", "both", "primary", "theirs"}) {
        EXPECT_EQ(inspector{other_}.look(name).holder_count, 0U) << name;
    }
}

TEST_F(broken_hold, refuses_bad_arguments_and_what_is_no_lock)
{
    const inspector eye{client_};
    EXPECT_EQ(code_of([&] { (void)eye.break_hold("job", {}); }), errc::bad_argument);
    const break_order order{.holder = "x", .reason = std::string(1'001, 'x'), .by = {}};
    EXPECT_EQ(code_of([&] { (void)eye.break_hold("job", order); }), errc::bad_argument);
}

}  // namespace
}  // namespace pawl::test
