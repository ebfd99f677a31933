// Users with few permissions in a Redis Cluster.
#include "integration/access_fixture.h"
#include "integration/cluster_fixture.h"
#include "support/acl_rule.h"
#include "support/slot_migration.h"

#include <pawl/futures.h>

#include <cstddef>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <system_error>
#include <vector>

namespace pawl::test {
namespace {

class rights_in_cluster : public in_cluster {
protected:
    // No node is to be taken for dead because the machine is busy: all would refuse requests then.
    rights_in_cluster() : in_cluster{{.replicas = 0, .node_timeout = 10s}} {}

    [[nodiscard]] client_options as_clerk(const std::vector<std::string>& rule)
    {
        auto made = options();
        for (std::size_t node = 0; node < cluster_.size(); ++node) {
            auto probe = cluster_.probe(node);
            made = test::as_clerk(probe, made, rule);
        }
        return made;
    }

    // The rule for these servers, as the document says.
    [[nodiscard]] std::vector<std::string> rule() const
    {
        return sharded_ ? smallest_cluster_rule() : old_cluster_rule();
    }

    // A waiter looks after a third of it. From 7.0 on, a message tells it before. Before 7.0, only its look tells a
    // waiter that its slot has moved.
    [[nodiscard]] lock_options waiting() const { return quick(sharded_ ? long_lease : 3s); }

    // What the server has refused, at all nodes.
    [[nodiscard]] std::vector<std::string> denials()
    {
        std::vector<std::string> all;
        for (std::size_t node = 0; node < cluster_.size(); ++node) {
            for (const auto& each : cluster_.probe(node).must({"ACL", "LOG"}).items) {
                all.push_back(each.items.at(7).text);  // the command, key or channel
            }
        }
        return all;
    }

    // Waits until it is true, or a node has refused something.
    template <class Predicate>
    void until_refused_or(Predicate happened)
    {
        EXPECT_TRUE(eventually([&] { return !denials().empty() || happened(); }));
    }

    [[nodiscard]] bool is_queued(const std::string& name) const
    {
        const auto found = owner_of(name).command({"EXISTS", store::queue_key(name)});
        return !found.is_error() && found.integer == 1;
    }

    // One client waits and gives up. Then it waits again while the other one moves the slot, and releases the lock.
    // After that it waits at the node from which the slot was moved: that node has ended a subscription, and so is
    // asked whether it is still a primary.
    void hand_over_in_a_slot_that_moves(const client_options& made)
    {
        client one{made};
        client other{made};
        const auto from = cluster_.owner_of("stock:1");
        mutex mine{one, "stock:1", quick(long_lease)};
        fair_mutex theirs{other, "stock:1", waiting()};
        std::error_code ignored;
        hold held = mine.try_acquire(ignored).value_or(hold{});
        {
            asking leaving{theirs};
            until_refused_or([&] { return is_queued("stock:1"); });
        }
        until_refused_or([&] { return !is_queued("stock:1"); });
        asking next{theirs};
        until_refused_or([&] { return is_queued("stock:1"); });
        slot_migration moving{cluster_, redis_cluster::slot_of("stock:1"), from, (from + 1) % 3};
        moving.begin();
        while (moving.move_keys(1) > 0) (void)held.confirm(ignored);
        moving.finish();
        until_refused_or([&] { return is_queued("stock:1"); });
        held.release(ignored);
        until_refused_or([&] { return next.ends_within(0ms); });

        const auto name = name_at(from, "stock:last");
        mutex still_mine{one, name, quick(long_lease)};
        fair_mutex still_theirs{other, name, quick(long_lease)};
        held = still_mine.try_acquire(ignored).value_or(hold{});
        asking last{still_theirs};
        until_refused_or([&] { return is_queued(name); });
    }

    void try_layout(client& own, layout where)
    {
        std::error_code ignored;
        recursive_mutex lock{own, "stock:42", quick(1s, where)};
        hold held = lock.try_acquire(ignored).value_or(hold{});
        held.extend(2s, ignored);
        (void)lock.try_acquire(ignored);
        held.release(ignored);
        hold again = lock.try_acquire(ignored).value_or(hold{});
        owner_of("stock:42").must({"DEL", "stock:42"});
        (void)again.confirm(ignored);
    }

    // A waiter behind a foreign holder looks again from its place.
    void wait_behind_a_foreign_holder(client& own)
    {
        std::error_code ignored;
        owner_of("stock:44").must({"SET", "stock:44", "0123456789abcdef0123456789abcdef"});
        fair_mutex lock{own, "stock:44", quick(1s)};
        for (int i = 0; i < 2; ++i) (void)lock.try_acquire_for(200ms, ignored);
    }

    // Every operation that sends a request, with any outcome, until a node refuses one.
    void try_everything(client_options made)
    {
        made.shutdown_limit = 50ms;
        made.command_limit = 1s;
        client own{made};
        std::error_code ignored;
        const std::vector<std::function<void()>> steps{
            [&] { (void)outcome_of([&] { own.ping(); }); },
            [&] { try_layout(own, layout::plain); },
            [&] { try_layout(own, layout::hash); },
            [&] { try_permits(own); },
            [&] { try_once(own); },
            [&] { (void)leader{own, "stock:49"}.try_campaign("payload", ignored); },
            [&] {
                mutex jobs{own, "stock:52", quick(1s)};
                condition_variable{jobs, "more"}.notify_one(ignored);
            },
            [&] { wait_behind_a_foreign_holder(own); },
            [&] { hand_over_in_a_slot_that_moves(made); },
        };
        for (const auto& step : steps) {
            if (denials().empty()) step();
        }
    }
};

TEST_F(rights_in_cluster, of_the_smallest_rule_are_enough)
{
    const auto made = as_clerk(rule());
    client one{made};
    client other{made};
    const auto soon_ready = [](auto& call) {
        return call.wait_for(soon) == std::future_status::ready;
    };
    mutex mine{one, "stock:1", quick(long_lease)};
    mutex theirs{other, "stock:1", waiting()};
    auto held = mine.acquire();
    auto next = futures::acquire(theirs);
    ASSERT_TRUE(until_queued("stock:1", 1));
    slot_migration moving{cluster_, redis_cluster::slot_of("stock:1"), cluster_.owner_of("stock:1"),
                          (cluster_.owner_of("stock:1") + 1) % 3};
    moving.begin();
    while (moving.move_keys(1) > 0) EXPECT_TRUE(held.confirm());
    moving.finish();
    held.extend(40s);
    held.release();
    ASSERT_TRUE(soon_ready(next));
    next.get().release();

    recursive_mutex again{one, "stock:2"};
    const std::scoped_lock both{again};
    counting_semaphore seats{one, "stock:3", 2};
    auto seat = seats.acquire();
    seats.resize(3);
    shared_mutex prices{one, "stock:4"};
    EXPECT_TRUE(prices.shared().acquire().confirm());
    latch start{one, "stock:5", 1};
    start.arrive_and_wait();
    once_per job{one, "stock:6", 1h};
    job.try_begin()->done();
    leader primary{one, "stock:7"};
    EXPECT_FALSE(primary.campaign("payload").yield_to("nobody"));
    mutex jobs{one, "stock:8"};
    condition_variable more{jobs, "more"};
    std::unique_lock lock{jobs};
    EXPECT_EQ(more.wait_for(lock, 100ms), std::cv_status::timeout);
    one.ping();
    try_everything(made);
    EXPECT_EQ(denials(), std::vector<std::string>{});
}

TEST_F(rights_in_cluster, of_the_smallest_rule_are_all_needed)
{
    const auto all = rule();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!contains("+~&", all[i].substr(0, 1))) continue;
        // Only of more than 1000 channels: hearing_of_a_node.ends_subscriptions_that_nobody_needs…
        if (all[i] == "+sunsubscribe") continue;
        auto less = all;
        less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
        for (std::size_t node = 0; node < cluster_.size(); ++node) {
            auto probe = cluster_.probe(node);
            probe.must({"FLUSHALL"});
            probe.must({"SCRIPT", "FLUSH"});
            probe.must({"ACL", "LOG", "RESET"});
        }
        try_everything(as_clerk(less));
        EXPECT_FALSE(denials().empty()) << all[i] << " is not needed";
    }
}

TEST_F(rights_in_cluster, without_that_to_subscribe_waiters_poll)
{
    auto less = rule();
    std::erase_if(less, [](const auto& each) {
        return each.ends_with("subscribe") || each.ends_with("publish") ||
               each.starts_with("+pubsub");
    });
    const auto made = as_clerk(less);
    client one{made};
    client other{made};
    mutex mine{one, "stock:1", quick(long_lease)};
    mutex theirs{other, "stock:1", quick(long_lease)};
    auto held = mine.acquire();
    asking blocking{theirs};
    // It has tried to subscribe, and does not join the queue.
    ASSERT_TRUE(eventually([&] { return !denials().empty(); }));
    EXPECT_TRUE(always(300ms, [&] { return !owner_of("stock:1").exists("pawl:queue:{stock:1}"); }));
    held.release();
    EXPECT_TRUE(blocking.ends_within(soon));
}

}  // namespace
}  // namespace pawl::test
