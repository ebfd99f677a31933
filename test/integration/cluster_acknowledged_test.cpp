// Grants in a Redis Cluster that count only when replicas have acknowledged them.
#include "integration/cluster_fixture.h"
#include "support/server_info.h"
#include "support/slot_migration.h"

#include <pawl/futures.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace pawl::test {
namespace {

class acknowledged_in_cluster : public in_cluster {
protected:
    acknowledged_in_cluster() { EXPECT_TRUE(replica_); }

    [[nodiscard]] client_options options(acknowledgement by = 1,
                                         std::chrono::milliseconds limit = patience)
    {
        auto made = in_cluster::options();
        made.acknowledged = by;
        made.command_limit = limit;
        made.name = "acknowledged";
        return made;
    }

    // What a replica has.
    [[nodiscard]] std::string copy_of(const std::string& key) const
    {
        auto probe = cluster_.probe(*replica_);
        probe.must({"READONLY"});
        return probe.get(key);
    }

    // The link is cut, and stays cut as long as the replica is stopped.
    void cut_off()
    {
        cluster_.node(*replica_).freeze();
        cluster_.probe(0).must({"CLIENT", "KILL", "TYPE", "replica"});
    }

    // The number of connections of clients at a node.
    [[nodiscard]] std::ptrdiff_t connections(std::size_t node) const
    {
        const auto all = cluster_.probe(node).client_list();
        return std::ranges::count_if(
            all, [](const auto& each) { return contains(each, "name=acknowledged"); });
    }

    const std::string name_ = name_at(0);
    const std::optional<std::size_t> replica_ = cluster_.replica_of(0);
};

TEST_F(acknowledged_in_cluster, grant_is_at_the_replica_when_the_call_returns)
{
    client own{options()};
    mutex lock{own, name_, quick(10s)};
    for (int i = 0; i < 20; ++i) {
        const hold held = i % 2 == 0 ? lock.acquire() : futures::acquire(lock).get();
        EXPECT_EQ(copy_of(name_), held.id());
        EXPECT_EQ(copy_of("pawl:fence:{" + name_ + "}"), std::to_string(held.fence()));
    }
}

TEST_F(acknowledged_in_cluster, hand_over_is_at_the_replica_when_the_call_returns)
{
    client own{options()};
    client other{options()};
    mutex mine{own, name_, quick(long_lease)};
    mutex theirs{other, name_, quick(long_lease)};
    for (const bool blocking : {true, false}) {
        hold held = mine.acquire();
        auto next = blocking ? std::async(std::launch::async, [&] { return theirs.acquire(); })
                             : futures::acquire(theirs);
        ASSERT_TRUE(until_queued(name_, 1));
        held.release();
        ASSERT_EQ(next.wait_for(soon), std::future_status::ready);
        const hold got = next.get();
        EXPECT_EQ(copy_of(name_), got.id());
        EXPECT_GT(got.fence(), held.fence());
    }
}

TEST_F(acknowledged_in_cluster, grant_that_no_replica_has_is_none_and_is_given_back)
{
    client own{options(1, 900ms)};
    mutex lock{own, name_, quick(10s)};
    lock.acquire().release();
    cut_off();
    for (const bool blocking : {true, false}) {
        const auto told = outcome_of(
            [&] { static_cast<void>(blocking ? lock.acquire() : futures::acquire(lock).get()); });
        EXPECT_EQ(told.code, errc::unreachable);
        EXPECT_TRUE(says(told.message, "acknowledged by 0 of 1 replicas"));
        EXPECT_TRUE(eventually([&] { return !cluster_.probe(0).exists(name_); }));
    }
    cluster_.node(*replica_).thaw();
}

// The waiter asks once more, so that there is something to wait for.
TEST_F(acknowledged_in_cluster, hand_over_that_no_replica_has_is_no_grant)
{
    client own{options()};
    client other{options(1, 900ms)};
    mutex mine{own, name_, quick(long_lease)};
    mutex theirs{other, name_, quick(long_lease)};
    hold held = mine.acquire();
    asking next{theirs};
    ASSERT_TRUE(until_queued(name_, 1));
    cluster_.node(*replica_).freeze();
    held.release();
    ASSERT_TRUE(next.ends_within(patience));
    EXPECT_FALSE(next.result());
    EXPECT_EQ(next.told(), errc::unreachable);
    cluster_.node(*replica_).thaw();
}

TEST_F(acknowledged_in_cluster, renewal_that_no_replica_has_is_none)
{
    client own{options()};
    mutex lock{own, name_, quick(4s)};
    const hold held = lock.acquire();
    cut_off();
    const event danger = events_.first(hold_state::jeopardy);
    EXPECT_TRUE(says(danger.detail, "acknowledged by 0 of 1 replicas"));
    EXPECT_EQ(events_.first(hold_state::lost).why, cause::expired);
    cluster_.node(*replica_).thaw();
}

// The keys move one by one, and the lock is renewed at either node, with ASKING.
TEST_F(acknowledged_in_cluster, renewal_goes_on_while_the_slot_is_moved)
{
    client own{options(acknowledgement::majority())};
    mutex lock{own, name_, quick(1'500ms)};
    hold held = lock.acquire();
    slot_migration moving{cluster_, redis_cluster::slot_of(name_), 0, 1};
    moving.begin();
    while (moving.move_keys(1) > 0) {
        EXPECT_TRUE(always(1s, [&] { return held.state() == hold_state::held; }));
    }
    moving.finish();
    EXPECT_TRUE(held.confirm());
    held.release();
}

TEST_F(acknowledged_in_cluster, grant_survives_the_death_of_the_primary)
{
    client own{options()};
    client other{options()};
    mutex mine{own, name_, quick(long_lease)};
    mutex theirs{other, name_, quick(long_lease)};
    const hold held = mine.acquire();
    cluster_.node(0).kill();
    const auto owner = cluster_.wait_for_new_owner(redis_cluster::slot_of(name_), 0);
    EXPECT_EQ(owner, *replica_);
    EXPECT_EQ(cluster_.probe(owner).get(name_), held.id());
    EXPECT_FALSE(theirs.try_acquire());
}

// Also that of the requests which wait for replicas.
TEST_F(acknowledged_in_cluster, connections_to_a_node_without_slots_are_closed)
{
    client own{options()};
    mutex lock{own, name_, quick(long_lease)};
    futures::release(futures::acquire(lock).get()).get();
    ASSERT_GT(connections(0), 0);
    cluster_.failover(*replica_);
    ASSERT_TRUE(eventually([&] {
        return cluster_.probe(*replica_).must({"WAIT", "0", "1"}).integer == 1;
    })) << "the old primary follows the new one";
    futures::release(futures::acquire(lock).get()).get();
    EXPECT_TRUE(eventually([&] { return connections(0) == 0; }));
}

TEST_F(acknowledged_in_cluster, connections_of_a_client_that_ends_before_an_answer_are_closed)
{
    auto how = options();
    how.shutdown_limit = 50ms;
    {
        client own{how};
        mutex lock{own, name_, quick(long_lease)};
        futures::release(futures::acquire(lock).get()).get();
        cut_off();
        auto unanswered = futures::acquire(lock);
        ASSERT_TRUE(eventually([&] {
            return info_of(cluster_.probe(0), "clients", "blocked_clients") == "1";
        })) << "the server waits for the replica";
        ASSERT_GT(connections(0), 0);
    }
    EXPECT_TRUE(eventually([&] { return connections(0) == 0; }));
    cluster_.node(*replica_).thaw();
}

}  // namespace
}  // namespace pawl::test
