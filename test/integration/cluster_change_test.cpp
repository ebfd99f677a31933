// A Redis Cluster that changes while locks are held and waited for: failover, moved slots, nodes that come and go.
#include "integration/cluster_fixture.h"
#include "support/slot_migration.h"

#include <pawl/futures.h>

#include <atomic>
#include <csignal>
#include <future>
#include <memory>
#include <thread>
#include <vector>

namespace pawl::test {
namespace {

class in_changing_cluster : public in_cluster {
protected:
    // Waits until the replica of the node has everything that was written so far.
    [[nodiscard]] bool replicates(std::size_t node) const
    {
        auto probe = cluster_.probe(node);
        probe.must({"SET", name_at(node, "mark"), "1"});
        return probe.must({"WAIT", "1", "5000"}).integer == 1;
    }
};

// After the Cluster has a new owner, waiters and holders go on within this time: docs/topologies/cluster.md.
constexpr auto bound = 2s;

// Failed over by a node that was killed: the Cluster agrees on it, and the client follows.
TEST_F(in_changing_cluster, a_waiter_goes_on_after_the_node_was_killed)
{
    client one{options()};
    client other{options()};
    const auto name = name_at(0);
    const auto slot = redis_cluster::slot_of(name);
    // The waiter would look after 10 s only.
    mutex mine{one, name, quick(long_lease)};
    mutex theirs{other, name, quick(long_lease)};
    auto held = mine.acquire();
    asking next{theirs, 30s};
    ASSERT_TRUE(until_queued(name, 1));
    ASSERT_TRUE(replicates(0));

    cluster_.node(0).kill();
    const auto owner = cluster_.wait_for_new_owner(slot, 0);
    EXPECT_EQ(cluster_.probe(owner).get(name), held.id());
    EXPECT_TRUE(eventually(bound, [&] { return channels_at(owner) == 1; }));
    EXPECT_TRUE(held.confirm());
    held.release();
    ASSERT_TRUE(next.ends_within(soon));
    auto got = next.result();
    ASSERT_TRUE(got) << next.told().message();
    EXPECT_GT(got->fence(), held.fence());
    EXPECT_EQ(events_.count(hold_state::lost), 0);
}

// The connections to the old owner stay open.
TEST_F(in_changing_cluster, a_waiter_goes_on_after_a_failover_on_request)
{
    client one{options()};
    client other{options()};
    const auto name = name_at(1);
    mutex mine{one, name, quick(long_lease)};
    mutex theirs{other, name, quick(long_lease)};
    auto held = mine.acquire();
    asking next{theirs};
    ASSERT_TRUE(until_queued(name, 1));
    const auto replica = cluster_.replica_of(1);
    ASSERT_TRUE(replica);
    cluster_.failover(*replica);
    EXPECT_TRUE(eventually(bound, [&] { return channels_at(*replica) == 1; }));
    held.release();
    ASSERT_TRUE(next.ends_within(soon));
    auto got = next.result();
    ASSERT_TRUE(got) << next.told().message();
    EXPECT_GT(got->fence(), held.fence());
    EXPECT_EQ(cluster_.probe(*replica).get(name), got->id());
}

// It answers nothing, and its connections stay open.
TEST_F(in_changing_cluster, a_waiter_goes_on_after_the_node_was_stopped)
{
    client one{options()};
    client other{options()};
    const auto name = name_at(2);
    mutex mine{one, name, quick(long_lease)};
    mutex theirs{other, name, quick(long_lease)};
    auto held = mine.acquire();
    auto next = futures::acquire(theirs);
    ASSERT_TRUE(until_queued(name, 1));
    ASSERT_TRUE(replicates(2));
    cluster_.node(2).freeze();
    const auto owner = cluster_.wait_for_new_owner(redis_cluster::slot_of(name), 2);
    EXPECT_TRUE(eventually(2 * bound, [&] { return channels_at(owner) == 1; }));
    held.release();
    EXPECT_EQ(next.wait_for(soon), std::future_status::ready);
    cluster_.node(2).thaw();
}

// A replica accepts subscribers and passes messages on to them, but the primary does not count them. If the primary
// passed over such a client after telling it, that client and the next one would both hold the lock.
TEST_F(in_changing_cluster, a_waiter_that_listens_at_a_replica_is_not_told_of_a_grant)
{
    // On a busy machine, a failover would end the subscription.
    for (const auto node : cluster_.running()) {
        cluster_.probe(node).must({"CONFIG", "SET", "cluster-node-timeout", "30000"});
    }
    const auto name = name_at(0);
    // Before 7.0 a plain channel, whose messages go to all nodes.
    const auto channel = "pawl:client:" + (sharded_ ? "{" + name + "}:" : "") + "0123456789abcdef";
    auto primary = cluster_.probe(0);
    auto listener = cluster_.probe(cluster_.replica_of(0).value());
    listener.must({sharded_ ? "SSUBSCRIBE" : "SUBSCRIBE", channel});
    client own{options()};
    mutex lock{own, name, quick(long_lease)};
    hold held = lock.acquire();
    const auto now = primary.must({"TIME"}).texts();
    const auto until = std::to_string(std::stoll(now.at(0)) + 30) + "000";
    primary.must({"RPUSH", store::queue_key(name), "p123456789abcdef0123456789abcdef",
                  until + "x0123456789abcdef000030000"});
    held.release();
    EXPECT_FALSE(primary.exists(name));
    primary.must({sharded_ ? "SPUBLISH" : "PUBLISH", channel, "the end"});
    // Returns what arrives first: the message, or the reply.
    redis_value heard;
    ASSERT_TRUE(eventually([&] {
        heard = listener.command({"PING"});
        return heard.texts().at(0) == (sharded_ ? "smessage" : "message");
    }));
    EXPECT_EQ(heard.texts().at(2), "the end");
}

// Its next renewal would be due after 20 s. Another call of the client finds the new primary before.
TEST_F(in_changing_cluster, a_holder_is_told_at_once_that_the_new_primary_does_not_know_its_lock)
{
    client own{options()};
    const auto name = name_at(0);
    mutex lock{own, name, quick(60s)};
    const auto held = lock.acquire();
    // Before the client has heard of the failover, the new primary loses the lock.
    const auto replica = cluster_.replica_of(0);
    ASSERT_TRUE(replica);
    cluster_.failover(*replica);
    cluster_.probe(*replica).must({"DEL", name});
    mutex other{own, name_at(*replica, "other"), quick(60s)};
    static_cast<void>(other.acquire());
    EXPECT_EQ(events_.first(hold_state::lost).why, cause::vanished);
}

TEST_F(in_changing_cluster, holders_keep_their_locks_through_a_failover)
{
    client own{options()};
    std::vector<std::unique_ptr<mutex>> locks;
    std::vector<hold> holds;
    for (int i = 0; i < 30; ++i) {
        locks.push_back(std::make_unique<mutex>(own, "lock" + std::to_string(i), quick(6s)));
        holds.push_back(locks.back()->acquire());
    }
    for (std::size_t node = 0; node < 3; ++node) {
        ASSERT_TRUE(replicates(node));
    }
    cluster_.node(1).kill();
    EXPECT_TRUE(always(5s, [&] { return own.holds().size() == holds.size(); }));
    for (auto& each : holds) EXPECT_TRUE(each.confirm());
    EXPECT_EQ(events_.count(hold_state::lost), 0);
}

// The node has no replica, so it stays away, and a call asks for it all the time.
TEST(cluster_without_a_node, is_asked_for_its_slots_less_and_less_often)
{
    redis_cluster cluster{{.replicas = 0}};
    std::string name = "job";
    while (cluster.owner_of(name) != 0) name += 'x';
    client_options made;
    made.url = cluster.url();
    made.command_limit = 30s;
    client own{made};
    mutex lock{own, name, quick(long_lease)};
    lock.acquire().release();
    cluster.node(0).kill();
    auto one = cluster.probe(1);
    auto other = cluster.probe(2);
    one.reset_stats();
    other.reset_stats();
    const auto call = futures::acquire(lock);
    EXPECT_EQ(call.wait_for(6s), std::future_status::timeout);
    // Every 100 ms would be 60 times.
    // Before 7.0, the server counts all CLUSTER commands as one. There are no others here.
    const auto loads_at = [](redis_probe& node) {
        return node.calls("cluster|slots") + node.calls("cluster");
    };
    const auto loads = loads_at(one) + loads_at(other);
    EXPECT_GT(loads, 5);
    EXPECT_LT(loads, 42);
}

class in_moving_cluster : public in_small_cluster {
protected:
    // At either node.
    [[nodiscard]] bool holder_exists(const std::string& name) const
    {
        for (const std::size_t node : {std::size_t{0}, std::size_t{1}}) {
            auto probe = cluster_.probe(node);
            probe.must({"ASKING"});
            const auto got = probe.command({"EXISTS", name});
            if (!got.is_error() && got.integer == 1) return true;
        }
        return false;
    }

    client one_{options()};
    client other_{options()};
};

TEST_F(in_moving_cluster, a_lock_moves_with_its_slot)
{
    const auto name = name_at(0);
    mutex mine{one_, name, quick(1'500ms)};
    mutex theirs{other_, name, quick(long_lease)};
    auto held = mine.acquire();
    asking next{theirs};
    ASSERT_TRUE(until_queued(name, 1));

    slot_migration moving{cluster_, redis_cluster::slot_of(name), 0, 1};
    moving.begin();
    ASSERT_EQ(moving.move_keys(1), 1);
    // It is renewed and checked, at whichever node its key is, for longer than its lease.
    EXPECT_TRUE(always(2s, [&] { return held.state() == hold_state::held; }));
    EXPECT_TRUE(held.confirm());
    while (moving.move_keys(1) > 0) EXPECT_TRUE(held.confirm());
    moving.finish();
    EXPECT_TRUE(eventually(bound, [&] { return channels_at(1) == 1; }));
    // Before 7.0 there is one channel for all locks of the node, which stays.
    EXPECT_EQ(channels_at(0), sharded_ ? 0 : 1);
    held.release();
    ASSERT_TRUE(next.ends_within(soon));
    auto got = next.result();
    ASSERT_TRUE(got);
    EXPECT_GT(got->fence(), held.fence());
    EXPECT_EQ(cluster_.probe(1).get(name), got->id());
    EXPECT_EQ(events_.count(hold_state::lost), 0);
}

TEST_F(in_moving_cluster, a_set_of_locks_is_in_jeopardy_until_the_end_of_the_move)
{
    const auto name = name_at(0);
    lock_set set{one_, {"{" + name + "}a", "{" + name + "}b"}, quick(6s)};
    auto held = set.acquire();
    slot_migration moving{cluster_, redis_cluster::slot_of(name), 0, 1};
    moving.begin();
    while (moving.move_keys(1) > 0) {
    }
    EXPECT_EQ(events_.first(hold_state::jeopardy).holder, held.id());
    moving.finish();
    EXPECT_TRUE(eventually([&] { return held.state() == hold_state::held; }));
    EXPECT_TRUE(held.confirm());
    EXPECT_EQ(events_.count(hold_state::lost), 0);
}

TEST_F(in_moving_cluster, an_acquire_waits_for_the_end_of_the_move)
{
    const auto name = name_at(0);
    mutex mine{one_, name};
    const auto before = mine.acquire().fence();
    slot_migration moving{cluster_, redis_cluster::slot_of(name), 0, 2};
    moving.begin();
    auto call = std::async(std::launch::async, [&] { return mine.try_acquire(); });
    // The fence key is at the source, and the lock is nowhere: neither node can execute it.
    EXPECT_EQ(call.wait_for(200ms), std::future_status::timeout);
    moving.run();
    const auto held = call.get();
    ASSERT_TRUE(held);
    EXPECT_GT(held->fence(), before);
}

// The queue does not exist, so neither node can execute the release before the end.
TEST_F(in_moving_cluster, a_release_waits_for_the_end_of_the_move)
{
    const auto name = name_at(0);
    mutex mine{one_, name, quick(long_lease)};
    mutex theirs{other_, name, quick(long_lease)};
    for (const bool blocking : {true, false}) {
        const std::size_t from = cluster_.owner_of(name);
        const std::size_t to = 2 - from;
        auto held = mine.acquire();
        slot_migration moving{cluster_, redis_cluster::slot_of(name), from, to};
        moving.begin();
        ASSERT_EQ(moving.move_keys(1), 1);
        auto call = blocking ? std::async(std::launch::async, [&] { held.release(); })
                             : futures::release(std::move(held));
        EXPECT_EQ(call.wait_for(200ms), std::future_status::timeout);
        moving.run();
        ASSERT_EQ(call.wait_for(soon), std::future_status::ready);
        EXPECT_NO_THROW(call.get());
        EXPECT_FALSE(cluster_.probe(to).exists(name));
        EXPECT_TRUE(theirs.try_acquire());
    }
}

// Nobody ends the move. Others cannot take the lock either, so only the lease ends it.
TEST_F(in_moving_cluster, a_release_fails_within_its_limit_if_the_move_does_not_end)
{
    auto made = options();
    made.command_limit = 1s;
    client own{made};
    const auto name = name_at(0);
    mutex mine{own, name, quick(3s)};
    auto held = mine.acquire();
    slot_migration moving{cluster_, redis_cluster::slot_of(name), 0, 1};
    moving.begin();
    ASSERT_EQ(moving.move_keys(1), 1);
    outcome told;
    EXPECT_LT(time_of([&] { told = outcome_of([&] { held.release(); }); }), 2s);
    EXPECT_EQ(told.code, errc::unreachable);
    // Before 7.0, only the target says TRYAGAIN.
    EXPECT_TRUE(says(told.message, sharded_ ? "TRYAGAIN" : "ASK "));
    ASSERT_TRUE(eventually([&] { return !holder_exists(name); })) << "its lease has ended";
    moving.run();
    EXPECT_TRUE(mutex(other_, name).try_acquire());
}

TEST_F(in_moving_cluster, a_node_comes_and_goes)
{
    const auto name = name_at(0);
    const auto slot = redis_cluster::slot_of(name);
    mutex mine{one_, name, quick(long_lease)};
    mutex theirs{other_, name, quick(long_lease)};
    mine.acquire().release();
    const auto added = cluster_.add_node();
    cluster_.wait_until_whole();
    slot_migration{cluster_, slot, 0, added}.run();
    auto held = mine.acquire();
    EXPECT_EQ(cluster_.probe(added).get(name), held.id());
    asking next{theirs};
    ASSERT_TRUE(until_queued(name, 1));
    slot_migration{cluster_, slot, added, 1}.run();
    cluster_.remove_node(added);
    EXPECT_TRUE(eventually(bound, [&] { return channels_at(1) == 1; }));
    held.release();
    ASSERT_TRUE(next.ends_within(soon));
    EXPECT_TRUE(next.result());
}

}  // namespace
}  // namespace pawl::test
