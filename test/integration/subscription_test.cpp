// One subscription for each client, for all locks that it waits for. It is made when it is needed,
// and again after a break.
#include "integration/contended.h"
#include "support/sanitized.h"
#include "support/self_counts.h"

#include <atomic>
#include <memory>
#include <thread>

namespace pawl::test {
namespace {

class subscription : public contended {
protected:
    [[nodiscard]] std::vector<std::string> channels()
    {
        return probe_.must({"PUBSUB", "CHANNELS", "pawl:*"}).texts();
    }

    // Whether exactly one connection is subscribed, to one channel.
    [[nodiscard]] bool one_listens()
    {
        const auto all = channels();
        return all.size() == 1 && probe_.subscribed_connections().size() == 1 &&
               probe_.must({"PUBSUB", "NUMSUB", all.front()}).items.at(1).integer == 1;
    }

    void cut_the_listening_connection()
    {
        const auto all = probe_.subscribed_connections();
        ASSERT_EQ(all.size(), 1U);
        EXPECT_EQ(probe_.must({"CLIENT", "KILL", "ID", all.front()}).integer, 1);
    }
};

TEST_F(subscription, is_made_by_waiters_only)
{
    mutex lock{first_, "job", quick(long_lease)};
    mutex other{second_, "job", quick(long_lease)};
    {
        const hold held = lock.acquire();
        EXPECT_FALSE(other.try_acquire());
    }
    EXPECT_TRUE(other.try_acquire_for(1s));
    EXPECT_EQ(channels(), std::vector<std::string>{});
    EXPECT_EQ(probe_.subscribed_connections(), std::vector<std::string>{});
}

TEST_F(subscription, is_one_for_fifty_locks_and_needs_no_requests_while_nothing_changes)
{
    constexpr int count = 50;
    std::vector<std::unique_ptr<mutex>> mine;
    std::vector<std::unique_ptr<mutex>> theirs;
    std::vector<hold> held;
    std::vector<std::unique_ptr<asking>> waiting;
    for (int i = 0; i < count; ++i) {
        const std::string name = "job " + std::to_string(i);
        mine.push_back(std::make_unique<mutex>(first_, name));
        theirs.push_back(std::make_unique<mutex>(second_, name));
        held.push_back(mine.back()->acquire());
        waiting.push_back(std::make_unique<asking>(*theirs.back(), 10min));
    }
    for (int i = 0; i < count; ++i) ASSERT_TRUE(until_queued(1, "job " + std::to_string(i)));
    EXPECT_TRUE(one_listens()) << testing::PrintToString(channels());

    // Leases and places are renewed every 10 s, so there is a period of 2 s without requests.
    bool quiet = false;
    for (int window = 0; window < 4 && !quiet; ++window) {
        const auto before = probe_.all_calls();
        quiet = always(2s, [&] { return probe_.all_calls() == before; });
    }
    EXPECT_TRUE(quiet) << testing::PrintToString(probe_.all_calls());

    for (std::size_t i = 0; i < held.size(); ++i) {
        held[i].release();
        ASSERT_TRUE(waiting[i]->ends_within(soon)) << i;
        EXPECT_TRUE(waiting[i]->result());
    }
    EXPECT_LE(channels().size(), 1U);
}

#if !PAWL_SANITIZED  // these are too many threads for a sanitizer
// Ten thousand threads of the user, but no thread and no descriptor of pawl for each. They all ask
// at once, so some wait long for a connection.
TEST_F(subscription, is_one_for_ten_thousand_locks_and_takes_neither_thread_nor_descriptor)
{
    constexpr std::size_t count = 10'000;
    auto patient = options();
    patient.command_limit = 1min;
    client other{patient};
    std::vector<std::unique_ptr<mutex>> mine;
    std::vector<std::unique_ptr<mutex>> theirs;
    std::vector<hold> held;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string name = "job " + std::to_string(i);
        mine.push_back(std::make_unique<mutex>(first_, name, quick(10min)));
        theirs.push_back(std::make_unique<mutex>(other, name, quick(10min)));
        held.push_back(mine.back()->acquire());
    }
    const auto threads = thread_count();
    const auto descriptors = descriptor_count();
    std::vector<std::thread> waiting;
    std::atomic<std::size_t> granted = 0;
    for (std::size_t i = 0; i < count; ++i) {
        waiting.emplace_back([&, i] {
            if (theirs[i]->try_acquire_for(10min)) ++granted;
        });
    }
    const auto queues = [&] { return probe_.must({"KEYS", "pawl:queue:*"}).items.size(); };
    EXPECT_TRUE(eventually(2min, [&] { return queues() == count; })) << queues();
    EXPECT_TRUE(one_listens()) << testing::PrintToString(channels());
    EXPECT_LE(thread_count(), threads + count + 2) << "the threads for stop callbacks and handlers";
    EXPECT_LE(descriptor_count(), descriptors + 20)
        << "the connections of the pool, and the shared one";

    // Each looks again only after minutes. If they polled, each would ask every 100 ms.
    const auto before = probe_.calls("evalsha");
    EXPECT_TRUE(always(300ms, [&] { return probe_.calls("evalsha") <= before + 100; }))
        << "no waiter polls";

    held.clear();
    for (auto& each : waiting) each.join();
    EXPECT_EQ(granted, count);
}
#endif

TEST_F(subscription, uses_a_separate_channel_for_each_client)
{
    mutex lock{first_, "job", quick(long_lease)};
    mutex other{second_, "job", quick(long_lease)};
    mutex third{third_, "job", quick(long_lease)};
    const hold held = lock.acquire();
    asking one{other};
    asking two{third};
    ASSERT_TRUE(until_queued(2));
    EXPECT_EQ(channels().size(), 2U);
    EXPECT_EQ(probe_.subscribed_connections().size(), 2U);
}

TEST_F(subscription, begins_again_on_another_connection_when_it_was_cut)
{
    mutex lock{first_, "job", quick(long_lease)};
    mutex other{second_, "job", quick(long_lease)};
    hold held = lock.acquire();
    asking next{other};
    ASSERT_TRUE(until_queued(1));
    ASSERT_TRUE(eventually([&] { return one_listens(); }));
    const auto before = probe_.subscribed_connections();
    cut_the_listening_connection();
    ASSERT_TRUE(
        eventually([&] { return one_listens() && probe_.subscribed_connections() != before; }));
    held.release();
    EXPECT_TRUE(next.ends_within(soon));
}

class broken_subscription : public subscription, public testing::WithParamInterface<lock_kind> {};

INSTANTIATE_TEST_SUITE_P(every, broken_subscription, testing::ValuesIn(all_lock_kinds), kind_name);

TEST_P(broken_subscription, delays_a_grant_by_at_most_one_look_interval)
{
    constexpr auto lease = 1500ms;
    any_lock lock{GetParam(), first_, "job", quick(lease)};
    any_lock other{GetParam(), second_, "job", quick(lease)};
    std::optional<hold> held = lock->acquire();
    for (int round = 0; round < 5; ++round) {
        asking next{round % 2 == 0 ? *other : *lock};
        ASSERT_TRUE(until_queued(1));
        // No subscriber gets the message. Either the waiter is passed over, or it finds the grant
        // later.
        for (const std::string& id : probe_.subscribed_connections()) {
            (void)probe_.command({"CLIENT", "KILL", "ID", id});
        }
        held->release();
        EXPECT_TRUE(next.ends_within(look_interval(lease) + slack)) << round;
        held = next.result();
        ASSERT_TRUE(held);
    }
}

TEST_P(broken_subscription, again_and_again_leaves_no_waiter_behind)
{
    constexpr int rounds = 20;
    constexpr auto lease = 1500ms;
    std::atomic<bool> over = false;
    std::jthread cutting{[&] {
        redis_probe probe = server_.probe();
        while (!over) {
            (void)probe.command({"CLIENT", "KILL", "TYPE", "pubsub"});
            std::this_thread::sleep_for(7ms);
        }
    }};
    std::uint64_t last = 0;  // guarded by the lock only
    int grants = 0;
    {
        std::vector<std::jthread> all;
        for (client* own : {&first_, &second_, &third_}) {
            all.emplace_back([&, own] {
                any_lock lock{GetParam(), *own, "job", quick(lease)};
                for (int i = 0; i < rounds; ++i) {
                    const auto held = lock->try_acquire_for(patience);
                    ASSERT_TRUE(held);
                    EXPECT_GT(held->fence(), last);
                    last = held->fence();
                    ++grants;
                }
            });
        }
    }
    over = true;
    EXPECT_EQ(grants, 3 * rounds);
    EXPECT_TRUE(until_nothing_is_left());
}

}  // namespace
}  // namespace pawl::test
