// Slots that are moved at once, by servers that can do it. The tests fail with others, so they run only where
// test/servers/run says so.
#include "integration/cluster_fixture.h"
#include "support/slot_migration.h"

#include <pawl/futures.h>

#include <atomic>
#include <future>
#include <thread>

namespace pawl::test {
namespace {

class slot_moved_at_once : public in_small_cluster {
protected:
    void move(const std::string& name, std::size_t to)
    {
        move_slot_at_once(cluster_, redis_cluster::slot_of(name), cluster_.owner_of(name), to);
    }

    client one_{options()};
    client other_{options()};
};

TEST_F(slot_moved_at_once, keeps_the_lock_and_its_waiters)
{
    const auto name = name_at(0);
    mutex mine{one_, name, quick(long_lease)};
    mutex theirs{other_, name, quick(long_lease)};
    auto held = mine.acquire();
    asking next{theirs};
    ASSERT_TRUE(until_queued(name, 1));
    move(name, 1);
    EXPECT_EQ(cluster_.probe(1).get(name), held.id());
    EXPECT_TRUE(eventually(2s, [&] { return channels_at(1) == 1; })) << "the waiter listens there";
    EXPECT_TRUE(held.confirm());
    held.release();
    ASSERT_TRUE(next.ends_within(soon));
    auto got = next.result();
    ASSERT_TRUE(got);
    EXPECT_GT(got->fence(), held.fence());
    EXPECT_EQ(cluster_.probe(1).get(name), got->id());
    EXPECT_EQ(events_.count(hold_state::lost), 0);
}

// Two clients pass the lock to each other all the time, and each counts under it.
TEST_F(slot_moved_at_once, loses_no_update_under_load)
{
    const auto name = name_at(0);
    std::atomic<bool> ended{false};
    std::atomic<int> inside{0};
    std::atomic<int> rounds{0};
    std::uint64_t last = 0;  // only under the lock
    const auto work = [&](client& by) {
        mutex lock{by, name, quick(long_lease)};
        while (!ended) {
            auto held = lock.acquire();
            EXPECT_EQ(++inside, 1);
            EXPECT_GT(held.fence(), std::exchange(last, held.fence()));
            --inside;
            ++rounds;
            held.release();
        }
    };
    std::thread first{work, std::ref(one_)};
    std::thread second{work, std::ref(other_)};
    for (const std::size_t to : {1U, 2U, 0U, 1U, 2U, 0U}) {
        const auto before = rounds.load();
        EXPECT_TRUE(eventually([&] { return rounds > before + 100; }));
        move(name, to);
    }
    const auto before = rounds.load();
    EXPECT_TRUE(eventually([&] { return rounds > before + 100; })) << "it goes on";
    ended = true;
    first.join();
    second.join();
    EXPECT_EQ(events_.count(hold_state::lost), 0);
}

TEST_F(slot_moved_at_once, does_not_delay_an_acquire_or_a_release)
{
    const auto name = name_at(0);
    mutex lock{one_, name, quick(long_lease)};
    std::atomic<bool> ended{false};
    std::chrono::milliseconds slowest{0};
    std::thread user{[&] {
        while (!ended) {
            slowest = std::max(slowest, time_of([&] { lock.acquire().release(); }));
        }
    }};
    move(name, 2);
    ended = true;
    user.join();
    // There is no ASK and no TRYAGAIN, which would have to be repeated until the end.
    EXPECT_LT(slowest, 1s);
    EXPECT_TRUE(lock.try_acquire());
}

}  // namespace
}  // namespace pawl::test
