// Every kind of lock in a Redis Cluster, with two clients that wait for each other.
#include "integration/cluster_fixture.h"

#include <pawl/futures.h>
#include <pawl/stateless.h>

#include <future>
#include <mutex>
#include <optional>

namespace pawl::test {
namespace {

// No waiter looks for 10 s, so a call that ends sooner has got a message.
class cluster_family : public in_small_cluster {
protected:
    template <class Future>
    [[nodiscard]] static bool ends_soon(Future& call)
    {
        return call.wait_for(soon) == std::future_status::ready;
    }

    void use_a_shared_mutex();
    void use_a_semaphore();
    void use_a_latch_and_a_barrier();
    void use_a_condition();
    void use_a_leader();
    void use_once_per_period();
    void use_recursive_and_fair_mutexes();
    void use_stateless_functions();

    client one_{options()};
    client other_{options()};
    lock_options long_{quick(long_lease)};
};

void cluster_family::use_a_shared_mutex()
{
    shared_mutex mine{one_, "prices", long_};
    shared_mutex theirs{other_, "prices", long_};
    auto writer = mine.acquire();
    auto reader = futures::acquire(theirs.shared());
    ASSERT_TRUE(until_queued("prices", 1));
    writer.release();
    ASSERT_TRUE(ends_soon(reader));
    auto reading = reader.get();
    EXPECT_EQ(reading.fence(), writer.fence());
    auto again = futures::acquire(mine);
    ASSERT_TRUE(until_queued("prices", 1));
    reading.release();
    ASSERT_TRUE(ends_soon(again));
    EXPECT_GT(again.get().fence(), writer.fence());
}

void cluster_family::use_a_semaphore()
{
    counting_semaphore mine{one_, "seats", 2, long_};
    counting_semaphore theirs{other_, "seats", 2, long_};
    auto first = mine.acquire();
    auto second = theirs.acquire();
    auto third = futures::acquire(theirs);
    ASSERT_TRUE(until_queued("seats", 1));
    first.release();
    ASSERT_TRUE(ends_soon(third));
    auto fourth = futures::acquire(mine);
    ASSERT_TRUE(until_queued("seats", 1));
    mine.resize(3);
    EXPECT_TRUE(ends_soon(fourth));
}

void cluster_family::use_a_latch_and_a_barrier()
{
    latch mine{one_, "start", 2};
    latch theirs{other_, "start", 2};
    mine.count_down();
    auto opened = futures::wait(mine);
    ASSERT_TRUE(until_queued("start", 1));
    theirs.count_down();
    EXPECT_TRUE(ends_soon(opened));

    barrier step{one_, "step", 2};
    barrier same{other_, "step", 2};
    for (int phase = 0; phase < 2; ++phase) {
        auto met = futures::arrive_and_wait(step);
        ASSERT_TRUE(until_queued("step", 1));
        same.arrive_and_wait();
        EXPECT_TRUE(ends_soon(met));
    }
}

void cluster_family::use_a_condition()
{
    mutex mine{one_, "job", long_};
    mutex theirs{other_, "job", long_};
    condition_variable more{mine, "more"};
    condition_variable same{theirs, "more"};
    auto waiter = std::async(std::launch::async, [&] {
        std::unique_lock held{mine};
        return more.wait_for(held, 2 * patience);
    });
    ASSERT_TRUE(eventually([&] { return owner_of("job").exists("pawl:cond:4:{job}:more"); }));
    {
        const std::scoped_lock held{theirs};
        same.notify_one();
    }
    ASSERT_TRUE(ends_soon(waiter));
    EXPECT_EQ(waiter.get(), std::cv_status::no_timeout);
}

void cluster_family::use_a_leader()
{
    leader mine{one_, "primary", long_};
    leader theirs{other_, "primary", long_};
    std::optional<leader::term> term = mine.campaign("first");
    auto change = theirs.changed_since(term->fence());
    auto changed = futures::wait(change);
    ASSERT_TRUE(eventually([&] { return owner_of("primary").exists("pawl:watch:{primary}"); }));
    auto next = std::async(std::launch::async, [&] { return theirs.campaign("second"); });
    ASSERT_TRUE(until_queued("primary", 1));
    EXPECT_FALSE(term->yield_to("nobody"));
    EXPECT_TRUE(term->yield_to("second"));
    ASSERT_TRUE(ends_soon(next));
    EXPECT_TRUE(ends_soon(changed));
    EXPECT_EQ(mine.current()->payload, "second");
    next.get().resign();
    EXPECT_FALSE(mine.current());
}

void cluster_family::use_once_per_period()
{
    once_per mine{one_, "report", 1h};
    once_per theirs{other_, "report", 1h};
    auto turn = mine.try_begin();
    ASSERT_TRUE(turn);
    EXPECT_FALSE(theirs.try_begin());
    turn->done();
    EXPECT_FALSE(theirs.try_begin());
    EXPECT_GT(theirs.due_in(), 59min);
}

void cluster_family::use_recursive_and_fair_mutexes()
{
    recursive_mutex mine{one_, "again", long_};
    recursive_mutex theirs{other_, "again", long_};
    auto outer = mine.acquire();
    auto inner = mine.acquire();
    auto next = futures::acquire(theirs);
    ASSERT_TRUE(until_queued("again", 1));
    inner.release();
    outer.release();
    EXPECT_TRUE(ends_soon(next));

    fair_mutex first{one_, "turn", long_};
    fair_mutex second{other_, "turn", long_};
    auto held = first.acquire();
    auto waits = futures::acquire(second);
    ASSERT_TRUE(until_queued("turn", 1));
    held.release();
    EXPECT_TRUE(ends_soon(waits));
}

void cluster_family::use_stateless_functions()
{
    EXPECT_TRUE(stateless::try_lock(one_, "plain", "me", 30s));
    EXPECT_FALSE(stateless::try_lock(other_, "plain", "you", 30s));
    mutex lock{other_, "plain", long_};
    auto next = futures::acquire(lock);
    ASSERT_TRUE(until_queued("plain", 1));
    EXPECT_TRUE(stateless::unlock(one_, "plain", "me"));
    EXPECT_TRUE(ends_soon(next));
}

// A Cluster takes 2 s to start, so the kinds share one.
TEST_F(cluster_family, has_every_kind_of_lock)
{
    use_a_shared_mutex();
    use_a_semaphore();
    use_recursive_and_fair_mutexes();
    use_stateless_functions();
}

TEST_F(cluster_family, has_gates_conditions_leaders_and_periods)
{
    use_a_latch_and_a_barrier();
    use_a_condition();
    use_a_leader();
    use_once_per_period();
}

}  // namespace
}  // namespace pawl::test
