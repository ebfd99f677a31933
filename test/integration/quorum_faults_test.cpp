// Locks on a quorum of real servers, some of which fail.
#include "integration/quorum_fixture.h"
#include "support/fault_proxy.h"

#include <future>
#include <memory>
#include <optional>

namespace pawl::test {
namespace {

using testing::HasSubstr;

using quorum_with_faults = with_quorum;
using quorum_of_five_with_faults = with_quorum_of_five;

TEST_F(quorum_with_faults, works_while_one_node_of_three_is_down)
{
    nodes_.node(1).kill();
    client own{options()};
    mutex lock{own, "lock", quick()};
    std::uint64_t last = 0;
    for (int i = 0; i < 5; ++i) {
        const auto held = lock.acquire();
        EXPECT_GT(held.fence(), last);
        last = held.fence();
    }
}

TEST_F(quorum_with_faults, a_frozen_node_does_not_slow_the_others_down)
{
    client own{options()};
    mutex lock{own, "lock", quick()};
    static_cast<void>(lock.acquire());
    nodes_.node(2).freeze();
    EXPECT_LT(time_of([&] {
                  for (int i = 0; i < 20; ++i) static_cast<void>(lock.acquire());
              }),
              1000ms);
    nodes_.node(2).thaw();
    EXPECT_TRUE(eventually([&] { return holders_of("lock") == 0; }))
        << "what the node executes late is returned";
}

TEST_F(quorum_with_faults, a_slow_node_does_not_slow_the_others_down)
{
    fault_proxy slow{nodes_.node(0).port()};
    client own{options_for("redlock:" + slow.url() + "," + nodes_.node(1).url() + "," +
                           nodes_.node(2).url())};
    mutex lock{own, "lock", quick()};
    static_cast<void>(lock.acquire());
    slow.delay(100ms);
    EXPECT_LT(time_of([&] {
                  for (int i = 0; i < 10; ++i) static_cast<void>(lock.acquire());
              }),
              1000ms);
    slow.pass();
    EXPECT_TRUE(eventually([&] { return holders_of("lock") == 0; }));
}

TEST_F(quorum_with_faults, two_nodes_of_three_down_are_no_quorum_and_the_message_names_them)
{
    nodes_.node(0).kill();
    nodes_.node(2).kill();
    client own{options()};
    try {
        static_cast<void>(mutex{own, "lock", quick()}.try_acquire());
        ADD_FAILURE() << "granted by one node";
    } catch (const error& e) {
        EXPECT_EQ(e.code(), errc::no_quorum);
        EXPECT_THAT(e.what(), HasSubstr("of 3 nodes can vote, 2 are needed"));
        EXPECT_THAT(e.what(), HasSubstr(nodes_.node(0).url() + ": "));
    }
    EXPECT_TRUE(eventually([&] { return nodes_.node(1).probe().get("lock").empty(); }))
        << "the one vote is given back";
    const auto infos = own.nodes();
    EXPECT_EQ(infos[0].state, node_state::unreachable);
    EXPECT_EQ(infos[1].state, node_state::voting);
}

TEST_F(quorum_with_faults, a_bare_majority_is_jeopardy_until_the_third_node_has_the_lock_again)
{
    // On a busy machine, renewals may take more than half a second.
    constexpr auto longer = 4 * lease;
    auto patient = options();
    patient.longest_lease = longer;
    client own{patient};
    const auto held = mutex{own, "lock", {.lease = longer}}.acquire();
    nodes_.node(0).kill();
    const auto danger = events_.first(hold_state::jeopardy);
    EXPECT_EQ(danger.why, cause::bare_majority);
    EXPECT_THAT(danger.detail, HasSubstr(nodes_.node(0).url() + ": ")) << "the node is named";
    EXPECT_TRUE(always(longer, [&] { return held.state() == hold_state::jeopardy; }))
        << "it is renewed all the same";
    nodes_.restart_without_data(0);
    EXPECT_TRUE(eventually([&] { return held.state() == hold_state::held; }));
    EXPECT_EQ(nodes_.node(0).probe().get("lock"), held.id()) << "the lost vote was restored";
    EXPECT_EQ(events_.count(hold_state::lost), 0U);
}

TEST_F(quorum_with_faults, a_lost_majority_is_jeopardy_and_then_a_loss_in_time)
{
    client own{options()};
    const auto held = mutex{own, "lock", quick()}.acquire();
    nodes_.node(0).freeze();
    nodes_.node(1).freeze();
    const auto lost = time_of([&] { static_cast<void>(events_.first(hold_state::lost)); });
    EXPECT_LE(lost, lease + 300ms);
    EXPECT_EQ(held.why(), cause::expired);
    EXPECT_GE(events_.count(hold_state::jeopardy), 1U);
    nodes_.node(0).thaw();
    nodes_.node(1).thaw();
}

TEST_F(quorum_with_faults, a_node_that_was_flushed_or_restarted_does_not_vote_for_a_while)
{
    client own{options()};
    client other{options()};
    const auto held = mutex{own, "lock", {.lease = lease, .renew = false}}.acquire();
    // Both would vote for another holder now, if they did not know that they had forgotten something.
    nodes_.node(0).probe().must({"FLUSHALL"});
    nodes_.restart_without_data(1);
    std::error_code ec;
    EXPECT_FALSE(mutex(other, "lock", quick()).try_acquire(ec));
    EXPECT_EQ(ec, errc::no_quorum);
    EXPECT_EQ(other.nodes()[0].state, node_state::quarantined);
    EXPECT_EQ(other.nodes()[1].state, node_state::quarantined);
    // A waiter gets it when the quarantine is over, and the first hold long lost.
    const auto next = mutex{other, "lock", quick()}.acquire();
    EXPECT_EQ(held.state(), hold_state::lost);
    EXPECT_GT(next.fence(), held.fence());
}

TEST_F(quorum_with_faults, a_node_with_an_old_snapshot_does_not_vote_for_a_while)
{
    const auto old = nodes_.copy_of(0);
    client own{options()};
    client other{options()};
    const auto held = mutex{own, "lock", {.lease = lease, .renew = false}}.acquire();
    nodes_.restart_with(old, 0);
    EXPECT_EQ(other.nodes()[0].state, node_state::quarantined);
    nodes_.node(1).kill();
    const auto next = mutex{other, "lock", quick()}.acquire();
    EXPECT_EQ(held.state(), hold_state::lost);
    EXPECT_GT(next.fence(), held.fence());
}

TEST_F(quorum_with_faults, a_waiter_hears_that_most_nodes_are_in_quarantine)
{
    client own{options()};
    client other{options()};
    mutex lock{own, "lock", quick()};
    mutex same{other, "lock", quick()};
    {
        const auto held = lock.acquire();
        std::error_code ignored;
        // From now on the client listens to the nodes, and waits in their queues.
        EXPECT_FALSE(same.try_acquire_for(100ms, ignored));
    }
    nodes_.restart_without_data(0);
    nodes_.restart_without_data(1);
    try {
        EXPECT_FALSE(same.try_acquire_for(300ms));
        ADD_FAILURE() << "it says that another one has the lock";
    } catch (const error& e) {
        EXPECT_EQ(e.code(), errc::no_quorum) << e.what();
        // The third node can vote, unless the first try of the waiter is still being given back there.
        EXPECT_THAT(e.what(), HasSubstr(" of 3 nodes can vote, 2 are needed"));
        EXPECT_THAT(e.what(), HasSubstr(nodes_.node(0).url() + ": in quarantine for"));
        EXPECT_THAT(e.what(), HasSubstr("wait until the nodes that were restarted vote again"));
    }
    EXPECT_TRUE(same.try_acquire_for(5s)) << "the quarantine lasts for 1.5 s";
}

TEST_F(quorum_with_faults, a_waiter_whose_node_missed_the_message_is_granted_all_the_same)
{
    fault_proxy deaf{nodes_.node(0).port()};
    nodes_.node(2).kill();
    client own{options()};
    client other{options_for("redlock:" + deaf.url() + "," + nodes_.node(1).url() + "," +
                             nodes_.node(2).url())};
    mutex here{own, "lock", quick()};
    mutex there{other, "lock", quick()};
    auto held = std::optional{here.acquire()};
    auto next = std::async(std::launch::async, [&] { return there.acquire().fence(); });
    ASSERT_TRUE(
        eventually([&] { return waiters_at(0, "lock") == 1 && waiters_at(1, "lock") == 1; }));
    deaf.cut(fault_proxy::ending::reset);
    const auto before = held->fence();
    held.reset();
    EXPECT_GT(next.get(), before);
}

TEST_F(quorum_with_faults, an_acquire_that_too_few_answer_leaves_nothing_behind)
{
    fault_proxy one{nodes_.node(0).port()};
    fault_proxy two{nodes_.node(1).port()};
    auto how = options_for("redlock:" + one.url() + "," + two.url() + "," + nodes_.node(2).url());
    how.command_limit = 300ms;
    client own{how};
    mutex lock{own, "lock", quick()};
    static_cast<void>(lock.acquire());
    one.drop_replies();
    two.drop_replies();
    std::error_code ec;
    EXPECT_FALSE(lock.try_acquire_for(200ms, ec));
    EXPECT_EQ(ec, errc::no_quorum);
    one.cut(fault_proxy::ending::reset);
    two.cut(fault_proxy::ending::reset);
    one.pass();
    two.pass();
    EXPECT_TRUE(eventually([&] { return holders_of("lock") == 0; }));
    EXPECT_TRUE(lock.try_acquire_for(5s));
}

TEST_F(quorum_of_five_with_faults, two_nodes_after_another_lose_their_data_while_locks_are_taken)
{
    exclusion_watch watch;
    std::atomic<bool> over{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&] {
            client own{options()};
            mutex lock{own, "lock", quick()};
            while (!over) {
                std::error_code ec;
                const auto held = lock.try_acquire_for(5s, ec);
                if (!held) {
                    EXPECT_TRUE(ec == errc::timed_out || ec == errc::no_quorum) << ec.message();
                    continue;
                }
                watch.enter(*held);
                watch.leave();
            }
        });
    }
    // Two nodes are in quarantine at a time: three are left.
    for (int round = 0; round < 2; ++round) {
        for (const std::size_t node : {0U, 3U}) {
            const auto before = watch.grants();
            nodes_.restart_without_data(node);
            EXPECT_TRUE(eventually([&] { return watch.grants() > before + 20; }));
        }
        client own{options()};
        EXPECT_TRUE(eventually([&] { return own.nodes()[3].state == node_state::voting; }));
    }
    over = true;
    for (auto& each : threads) each.join();
    EXPECT_EQ(watch.violations(), 0U);
    EXPECT_EQ(events_.count(hold_state::lost), 0U);
}

}  // namespace
}  // namespace pawl::test
