// Waiters and holders that are killed or stopped at critical points, with real processes.
#include "integration/contended.h"
#include "integration/lock_child.h"

#include <csignal>

namespace pawl::test {
namespace {

// How much later a thread may run on a busy machine.
constexpr std::chrono::milliseconds late = slack;

// How long after the end of the lease a lock is granted at the latest, according to the
// documentation.
constexpr std::chrono::milliseconds after_the_lease{50};

class dead_waiter : public contended_of_kind {
protected:
    [[nodiscard]] process start_child(std::chrono::milliseconds lease)
    {
        return start_lock_child(server_.unix_url(), GetParam(), "job", lease);
    }

    // Kills it, and returns when the server has noticed.
    void kill(process& child)
    {
        const auto before = probe_.client_list().size();
        child.signal(SIGKILL);
        ASSERT_EQ(child.wait(patience), killed_by(SIGKILL));
        ASSERT_TRUE(eventually([&] { return probe_.client_list().size() < before; }));
        // It may have had more connections than the one that has ended.
        ASSERT_TRUE(eventually([&] {
            return probe_.must({"PUBSUB", "CHANNELS", "pawl:client:*"}).items.size() <=
                   listeners_here_;
        }));
    }

    // How long the next waiter waits if the waiter before it, with this lease, was killed between
    // the grant and its message.
    [[nodiscard]] std::chrono::milliseconds time_after_unnoticed_grant(
        std::chrono::milliseconds lease, std::chrono::milliseconds lease_of_the_next)
    {
        any_lock mine = make(first_);
        any_lock theirs = make(second_, lease_of_the_next);
        hold held = mine->acquire();
        process victim = start_child(lease);
        EXPECT_TRUE(until_queued(1));
        asking next{*theirs};
        EXPECT_TRUE(until_queued(2));
        victim.signal(SIGSTOP);
        return time_of([&] {
            held.release();
            EXPECT_NE(holder(), held.id());
            EXPECT_EQ(queued(), 1);  // so the victim is the holder
            victim.signal(SIGKILL);
            EXPECT_TRUE(next.ends_within(patience));
        });
    }

    std::size_t listeners_here_ = 0;  // clients of this process that wait
};

INSTANTIATE_TEST_SUITE_P(every, dead_waiter, testing::ValuesIn(all_lock_kinds), kind_name);

TEST_P(dead_waiter, at_the_head_of_the_queue_is_passed_over_at_once)
{
    any_lock mine = make(first_);
    any_lock theirs = make(second_);
    hold held = mine->acquire();
    process victim = start_child(long_lease);
    ASSERT_TRUE(until_queued(1));
    asking next{*theirs};
    ASSERT_TRUE(until_queued(2));
    listeners_here_ = 1;
    kill(victim);

    held.release();
    EXPECT_TRUE(next.ends_within(soon));
    EXPECT_EQ(queued(), 0);
}

TEST_P(dead_waiter, is_passed_over_even_if_an_observer_subscribes_to_every_channel)
{
    redis_probe onlooker = server_.probe();
    onlooker.must({"PSUBSCRIBE", "*"});
    any_lock mine = make(first_);
    any_lock theirs = make(second_);
    hold held = mine->acquire();
    process victim = start_child(long_lease);
    ASSERT_TRUE(until_queued(1));
    asking next{*theirs};
    ASSERT_TRUE(until_queued(2));
    listeners_here_ = 1;
    kill(victim);

    held.release();
    EXPECT_TRUE(next.ends_within(soon));
    EXPECT_EQ(queued(), 0);
}

TEST_P(dead_waiter, that_was_the_only_one_leaves_nothing_behind)
{
    any_lock mine = make(first_);
    hold held = mine->acquire();
    process victim = start_child(long_lease);
    ASSERT_TRUE(until_queued(1));
    kill(victim);
    held.release();
    EXPECT_EQ(leftovers(), std::vector<std::string>{});
    EXPECT_TRUE(mine->try_acquire());
}

TEST_P(dead_waiter, that_never_gets_its_turn_is_forgotten_with_the_queue)
{
    // The holder never releases it, so the dead waiter is never passed over.
    any_lock mine = make(first_);
    const hold held = mine->acquire();
    process victim = start_child(300ms);
    ASSERT_TRUE(until_queued(1));
    kill(victim);
    const auto place = 3 * look_interval(300ms);
    EXPECT_TRUE(
        eventually(place + late, [&] { return leftovers() == std::vector<std::string>{"job"}; }));
}

TEST_P(dead_waiter, that_was_granted_the_lock_blocks_it_for_its_lease_only)
{
    constexpr auto lease = 900ms;
    const auto took = time_after_unnoticed_grant(lease, lease);
    EXPECT_GE(took, lease - 50ms);
    EXPECT_LT(took, lease + after_the_lease + late);
}

TEST_P(dead_waiter, with_a_short_lease_blocks_the_lock_until_the_next_waiter_looks)
{
    // A waiter learns the lease of a new holder when it looks, not when that holder gets the lock.
    constexpr auto lease = 300ms;
    const auto took = time_after_unnoticed_grant(lease, 2400ms);
    EXPECT_GE(took, lease - 50ms);
    EXPECT_LT(took, look_interval(2400ms) + after_the_lease + late);
}

TEST_P(dead_waiter, that_was_only_stopped_does_not_take_an_old_grant_for_a_valid_one)
{
    any_lock mine = make(first_);
    any_lock theirs = make(second_, 700ms);
    hold held = mine->acquire();
    process sleeper = start_child(700ms);
    ASSERT_TRUE(until_queued(1));
    asking next{*theirs};
    ASSERT_TRUE(until_queued(2));
    sleeper.signal(SIGSTOP);
    held.release();
    ASSERT_TRUE(next.ends_within(patience));
    auto got = next.result();
    ASSERT_TRUE(got);

    // When it wakes, the first thing that it finds is the message about its grant.
    sleeper.signal(SIGCONT);
    EXPECT_TRUE(always(600ms, [&] { return sleeper.out() == "asking\n"; })) << sleeper.out();
    EXPECT_TRUE(got->confirm());

    const auto last = got->fence();
    got->release();
    EXPECT_GT(std::stoull(sleeper.line_after("fence ")), last);
    sleeper.write("go\n");
    EXPECT_EQ(sleeper.wait(patience), exited(0));
    EXPECT_TRUE(until_nothing_is_left());
}

using dead_holder = dead_waiter;
INSTANTIATE_TEST_SUITE_P(every, dead_holder, testing::ValuesIn(all_lock_kinds), kind_name);

TEST_P(dead_holder, is_followed_by_the_first_waiter_as_soon_as_its_lease_ends)
{
    constexpr auto lease = 900ms;
    process victim = start_child(lease);
    const auto old_fence = std::stoull(victim.line_after("fence "));
    any_lock lock = make(first_);
    any_lock other = make(second_);
    asking next{*lock};
    ASSERT_TRUE(until_queued(1));
    asking last{*other};
    ASSERT_TRUE(until_queued(2));

    const auto took = time_of([&] {
        victim.signal(SIGKILL);
        EXPECT_TRUE(eventually([&] { return next.ends_within(0ms) || last.ends_within(0ms); }));
    });
    EXPECT_LT(took, lease + after_the_lease + late);
    EXPECT_TRUE(next.ends_within(late) || !is_fair(GetParam()));
    std::optional<hold> got = next.ends_within(0ms) ? next.result() : last.result();
    ASSERT_TRUE(got);
    EXPECT_GT(got->fence(), old_fence);
    EXPECT_EQ(holder(), got->id());
}

TEST_P(dead_holder, is_followed_by_the_first_living_waiter_if_others_are_dead_too)
{
    constexpr auto lease = 900ms;
    process victim = start_child(lease);
    (void)victim.line_after("fence ");
    process heir = start_child(lease);
    ASSERT_TRUE(until_queued(1));
    any_lock lock = make(first_);
    asking next{*lock};
    ASSERT_TRUE(until_queued(2));
    listeners_here_ = 1;
    kill(heir);
    const auto took = time_of([&] {
        victim.signal(SIGKILL);
        EXPECT_TRUE(next.ends_within(patience));
    });
    EXPECT_LT(took, lease + after_the_lease + late);
    EXPECT_TRUE(next.result());
    EXPECT_EQ(leftovers(), std::vector<std::string>{});
}

}  // namespace
}  // namespace pawl::test
