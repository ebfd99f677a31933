// Locks in a Redis Cluster whose slots stay where they are.
#include "integration/cluster_fixture.h"

#include <pawl/futures.h>

#include <deque>
#include <future>
#include <memory>
#include <vector>

namespace pawl::test {
namespace {

class cluster : public in_small_cluster {
protected:
    // How many times the node has read from its connections.
    [[nodiscard]] std::int64_t reads_at(std::size_t node) const
    {
        const auto info = cluster_.probe(node).must({"INFO", "stats"}).text;
        constexpr std::string_view field = "total_reads_processed:";
        return std::stoll(info.substr(info.find(field) + field.size()));
    }
};

TEST_F(cluster, has_locks_at_every_node)
{
    client mine{options()};
    for (std::size_t node = 0; node < cluster_.size(); ++node) {
        const auto name = name_at(node);
        mutex lock{mine, name};
        auto held = lock.acquire();
        EXPECT_EQ(cluster_.probe(node).get(name), held.id());
        EXPECT_TRUE(held.confirm());
        held.extend(40s);
        EXPECT_GT(cluster_.probe(node).ttl(name), 35s);
        held.release();
        EXPECT_FALSE(cluster_.probe(node).exists(name));
    }
    mine.ping();
}

TEST_F(cluster, hands_over_by_a_message)
{
    client one{options()};
    client other{options()};
    for (std::size_t node = 0; node < cluster_.size(); ++node) {
        const auto name = name_at(node);
        mutex mine{one, name, quick(long_lease)};
        mutex theirs{other, name, quick(long_lease)};
        for (int round = 0; round < 3; ++round) {
            auto held = mine.acquire();
            asking next{theirs};
            ASSERT_TRUE(until_queued(name, 1));
            held.release();
            ASSERT_TRUE(next.ends_within(soon));
            auto got = next.result();
            ASSERT_TRUE(got);
            EXPECT_GT(got->fence(), held.fence());
            EXPECT_EQ(holder(name), got->id());
        }
        EXPECT_EQ(channels_at(node), 1);  // one client waited, for one name
    }
}

TEST_F(cluster, hands_over_to_asynchronous_calls)
{
    client one{options()};
    client other{options()};
    for (std::size_t node = 0; node < cluster_.size(); ++node) {
        const auto name = name_at(node);
        mutex mine{one, name, quick(long_lease)};
        mutex theirs{other, name, quick(long_lease)};
        for (int round = 0; round < 3; ++round) {
            auto held = futures::acquire(mine).get();
            auto next = futures::acquire(theirs);
            ASSERT_TRUE(until_queued(name, 1));
            futures::release(std::move(held)).get();
            ASSERT_EQ(next.wait_for(soon), std::future_status::ready);
            EXPECT_EQ(holder(name), next.get().id());
        }
    }
}

TEST_F(cluster, works_for_names_with_braces)
{
    client one{options()};
    client other{options()};
    for (const std::string name : {"a{b", "c}d", "{tag}e", "{}f", "g{h}i}j"}) {
        mutex mine{one, name, quick(long_lease)};
        mutex theirs{other, name, quick(long_lease)};
        auto held = mine.acquire();
        auto next = futures::acquire(theirs);
        ASSERT_TRUE(until_queued(name, 1)) << name;
        held.release();
        ASSERT_EQ(next.wait_for(soon), std::future_status::ready) << name;
    }
}

TEST_F(cluster, subscribes_only_for_locks_that_are_waited_for)
{
    client mine{options()};
    client other{options()};
    const auto name = name_at(0);
    mutex lock{mine, name, quick(long_lease)};
    mutex theirs{other, name, quick(long_lease)};
    auto held = lock.acquire();
    asking next{theirs};
    ASSERT_TRUE(until_queued(name, 1));
    // Now the other client listens, and takes other locks at once.
    for (int i = 0; i < 30; ++i) mutex{other, "free" + std::to_string(i)}.acquire().release();
    EXPECT_EQ(channels_at(0), 1);
    EXPECT_EQ(channels_at(1) + channels_at(2), 0);
    held.release();
    EXPECT_TRUE(next.result());
}

TEST_F(cluster, gives_back_a_lingering_lock_that_another_client_wants)
{
    client mine{options()};
    client other{options()};
    const auto name = name_at(1);
    auto lingering = quick(long_lease);
    lingering.linger = 20s;
    mutex lock{mine, name, lingering};
    mutex theirs{other, name, quick(long_lease)};
    ASSERT_TRUE(eventually([&] {
        lock.acquire().release();
        return cluster_.probe(1).exists(name);
    }));
    ASSERT_TRUE(eventually([&] { return channels_at(1) == 1; }));
    asking next{theirs};
    EXPECT_TRUE(next.ends_within(soon));
    EXPECT_TRUE(next.result());
}

TEST_F(cluster, renews_a_thousand_locks_in_few_round_trips)
{
    constexpr std::size_t count = 1'000;
    client own{options()};
    std::deque<mutex> locks;
    std::vector<std::future<hold>> asked;
    std::vector<hold> holds;
    for (std::size_t i = 0; i < count; ++i) {
        locks.emplace_back(own, "lock:" + std::to_string(i), quick(2'400ms));
        asked.push_back(futures::acquire(locks.back()));
    }
    for (auto& each : asked) holds.push_back(each.get());
    std::vector<std::int64_t> before;
    for (std::size_t node = 0; node < cluster_.size(); ++node) before.push_back(reads_at(node));
    EXPECT_TRUE(always(2'400ms, [&] { return own.holds().size() == count; }));
    for (std::size_t node = 0; node < cluster_.size(); ++node) {
        // Each period is one write, which the server reads in a few pieces of 16 kB. The nodes also talk to each other.
        EXPECT_LT(reads_at(node) - before[node], 300);
    }
    EXPECT_EQ(events_.count(hold_state::lost), 0);
    EXPECT_EQ(events_.count(hold_state::jeopardy), 0);
}

TEST_F(cluster, takes_a_set_of_locks_with_the_same_hash_tag)
{
    client one{options()};
    client other{options()};
    lock_set mine{one, {"{order}:a", "{order}:b"}, quick(long_lease)};
    mutex theirs{other, "{order}:b", quick(long_lease)};
    auto held = mine.acquire();
    EXPECT_EQ(holder("{order}:a"), held.id());
    asking next{theirs};
    ASSERT_TRUE(until_queued("{order}:b", 1));
    EXPECT_TRUE(held.confirm());
    held.release();
    ASSERT_TRUE(next.ends_within(soon));
    auto single = next.result();
    ASSERT_TRUE(single);
    auto again = futures::acquire(mine);
    ASSERT_TRUE(until_queued("{order}:b", 1));
    single->release();
    EXPECT_EQ(again.wait_for(soon), std::future_status::ready);
}

TEST_F(cluster, refuses_a_set_of_locks_in_different_slots)
{
    client own{options()};
    lock_set set{own, {"a", "b"}};
    const auto got = outcome_of([&] { static_cast<void>(set.acquire()); });
    EXPECT_EQ(got.code, errc::refused);
    EXPECT_TRUE(says(got.message,
                     "in different slots of the Cluster: 'a' in slot 15495, 'b' in "
                     "slot 3300"));
    EXPECT_TRUE(says(got.message, "allowed: names with the same hash tag"));
    const auto later = outcome_of([&] { futures::acquire(set).get(); });
    EXPECT_EQ(later.code, errc::refused);
}

TEST_F(cluster, announces_a_release_in_a_channel_with_the_tag)
{
    const auto name = name_at(2);
    client own{options()};
    auto ear = cluster_.probe(2);
    if (sharded_) {
        ear.must({"SSUBSCRIBE", "lock:release:{" + name + "}"});
    } else {
        ear.must({"SUBSCRIBE", "lock:release:" + name});
    }
    mutex lock{own, name};
    const auto id = lock.acquire().id();
    // The next reply on a connection that has subscribed is the message.
    const auto message = ear.command({"PING"});
    ASSERT_EQ(message.items.size(), 3);
    EXPECT_EQ(message.items[0].text, sharded_ ? "smessage" : "message");
    EXPECT_TRUE(says(message.items[2].text, id));
}

TEST_F(cluster, is_found_by_any_of_its_nodes)
{
    auto made = options();
    const auto live = cluster_.node(1).port();
    made.url = "redis+cluster://127.0.0.1:1,127.0.0.1:" + std::to_string(live);
    client own{made};
    for (std::size_t node = 0; node < cluster_.size(); ++node) {
        EXPECT_TRUE(mutex(own, name_at(node)).try_acquire());
    }
}

TEST(cluster_without_nodes, is_unreachable)
{
    client_options made;
    made.url = "redis+cluster://127.0.0.1:1,127.0.0.1:2";
    made.command_limit = 500ms;
    client own{made};
    const auto got = outcome_of([&] { static_cast<void>(mutex(own, "job").try_acquire()); });
    EXPECT_EQ(got.code, errc::unreachable);
    EXPECT_TRUE(says(got.message, "refused"));
    EXPECT_EQ(outcome_of([&] { own.ping(); }).code, errc::unreachable);
    const auto later = outcome_of([&] {
        mutex lock{own, "job"};
        futures::acquire(lock).get();
    });
    EXPECT_EQ(later.code, errc::unreachable);
}

}  // namespace
}  // namespace pawl::test
