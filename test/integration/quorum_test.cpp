// Locks on a quorum of real servers that all work.
#include "integration/quorum_fixture.h"

#include <pawl/futures.h>

#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace pawl::test {
namespace {

using testing::Each;
using testing::HasSubstr;

using quorum = with_quorum;

TEST_F(quorum, a_holder_is_the_same_on_all_nodes_and_its_fences_grow)
{
    client own{options()};
    mutex lock{own, "lock", quick()};
    std::uint64_t last = 0;
    for (int i = 0; i < 20; ++i) {
        const auto held = lock.acquire();
        EXPECT_GT(held.fence(), last);
        last = held.fence();
        const auto id = held.id();
        EXPECT_TRUE(
            eventually([&] { return on_nodes("lock") == std::vector<std::string>(3, id); }));
    }
    EXPECT_TRUE(eventually([&] { return holders_of("lock") == 0; })) << "released at all nodes";
}

TEST_F(quorum, fences_of_two_clients_grow)
{
    client one{options()};
    client other{options()};
    mutex here{one, "lock", quick()};
    mutex there{other, "lock", quick()};
    std::uint64_t last = 0;
    for (int i = 0; i < 10; ++i) {
        for (auto* const each : {&here, &there}) {
            const auto held = each->acquire();
            EXPECT_GT(held.fence(), last);
            last = held.fence();
        }
    }
}

TEST_F(quorum, a_try_while_another_holds_is_busy_and_leaves_nothing)
{
    client one{options()};
    client other{options()};
    mutex mine{one, "lock", quick()};
    const auto held = acquire_everywhere(mine);
    std::error_code ec;
    EXPECT_FALSE(mutex(other, "lock", quick()).try_acquire(ec));
    EXPECT_EQ(ec, errc::busy);
    EXPECT_THAT(on_nodes("lock"), Each(held.id()));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(waiters_at(i, "lock"), 0);
}

TEST_F(quorum, a_lock_is_handed_over_by_messages_without_polling)
{
    client one{options()};
    client other{options()};
    mutex here{one, "lock", quick()};
    mutex there{other, "lock", quick()};
    // The first wait subscribes.
    {
        auto held = acquire_everywhere(here);
        auto next = std::async(std::launch::async, [&] { return there.acquire().fence(); });
        EXPECT_TRUE(eventually([&] { return waiters_at(0, "lock") == 1; }));
        held.release();
        EXPECT_GT(next.get(), 0U);
    }
    auto held = acquire_everywhere(here);
    auto next = std::async(std::launch::async, [&] { return there.acquire(); });
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_TRUE(eventually([&] { return waiters_at(i, "lock") == 1; }));
    }
    const auto votes = nodes_.node(0).probe().calls("evalsha");
    const auto before = held.fence();
    held.release();
    EXPECT_GT(next.get().fence(), before);
    // The return of the first, the return of the second, and seldom a renewal.
    EXPECT_LE(nodes_.node(0).probe().calls("evalsha"), votes + 4);
}

TEST_F(quorum, threads_of_several_clients_exclude_each_other)
{
    exclusion_watch watch;
    constexpr int rounds = 40;
    std::vector<std::thread> threads;
    std::vector<std::unique_ptr<client>> clients;
    std::vector<std::unique_ptr<mutex>> locks;
    for (int i = 0; i < 3; ++i) {
        clients.push_back(std::make_unique<client>(options()));
        locks.push_back(std::make_unique<mutex>(*clients.back(), "lock", quick()));
        for (int j = 0; j < 2; ++j) {
            threads.emplace_back([&, lock = locks.back().get()] {
                for (int k = 0; k < rounds; ++k) {
                    const auto held = lock->acquire();
                    watch.enter(held);
                    watch.leave();
                }
            });
        }
    }
    for (auto& each : threads) each.join();
    EXPECT_EQ(watch.grants(), 6U * rounds);
    EXPECT_EQ(watch.violations(), 0U);
}

TEST_F(quorum, a_fair_mutex_grants_in_the_order_of_arrival)
{
    client first{options()};
    std::vector<std::unique_ptr<client>> clients;
    std::vector<std::unique_ptr<fair_mutex>> locks;
    fair_mutex lock{first, "lock", quick()};
    auto held = std::optional{acquire_everywhere(lock)};
    std::vector<std::thread> threads;
    std::mutex guard;
    std::vector<int> order;
    for (int i = 0; i < 4; ++i) {
        clients.push_back(std::make_unique<client>(options()));
        // So that the client has heard the clocks and listens: its first ticket is a good one.
        static_cast<void>(mutex{*clients.back(), "other", quick()}.acquire());
        locks.push_back(std::make_unique<fair_mutex>(*clients.back(), "lock", quick()));
        threads.emplace_back([&, i, mine = locks.back().get()] {
            const auto got = mine->acquire();
            const std::lock_guard in{guard};
            order.push_back(i);
        });
        ASSERT_TRUE(eventually([&] { return waiters_at(1, "lock") == i + 1; }));
    }
    held.reset();
    for (auto& each : threads) each.join();
    EXPECT_THAT(order, testing::ElementsAre(0, 1, 2, 3));
}

TEST_F(quorum, a_recursive_mutex_is_held_until_the_last_release)
{
    client own{options()};
    client other{options()};
    recursive_mutex lock{own, "lock", quick()};
    lock.lock();
    lock.lock();
    lock.unlock();
    std::error_code ec;
    EXPECT_FALSE(recursive_mutex(other, "lock", quick()).try_acquire(ec));
    EXPECT_EQ(ec, errc::busy);
    lock.unlock(ec);  // unlike the other form, it waits for a majority
    EXPECT_TRUE(recursive_mutex(other, "lock", quick()).try_acquire(ec));
}

TEST_F(quorum, a_hold_is_renewed_and_can_be_extended_and_checked)
{
    client own{options()};
    auto held = mutex{own, "lock", quick()}.acquire();
    const auto fence = held.fence();
    // On a busy machine a node may be slow, which is jeopardy for a while.
    EXPECT_TRUE(always(3 * lease, [&] { return held.state() != hold_state::lost; }));
    held.extend(lease);
    EXPECT_GT(held.valid_for(), lease / 2);
    EXPECT_EQ(held.fence(), fence);
}

TEST_F(quorum, asynchronous_calls_work)
{
    client own{options()};
    client other{options()};
    mutex lock{own, "lock", quick()};
    mutex same{other, "lock", quick()};
    auto first = futures::acquire(lock).get();
    auto second = futures::acquire(same);
    EXPECT_EQ(second.wait_for(50ms), std::future_status::timeout);
    futures::release(std::move(first)).get();
    EXPECT_GT(second.get().fence(), 0U);
}

TEST_F(quorum, its_nodes_are_shown)
{
    client own{options()};
    const auto nodes = own.nodes();
    ASSERT_EQ(nodes.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(nodes[i].server, nodes_.node(i).url());
        EXPECT_EQ(nodes[i].state, node_state::voting);
        EXPECT_EQ(nodes[i].run_id.size(), 40U);
        EXPECT_GT(nodes[i].latency, 0us);
        EXPECT_LT(std::chrono::abs(nodes[i].clock_difference), 1s);
    }
}

TEST_F(quorum, even_numbers_and_duplicates_are_refused)
{
    const auto code_of = [](const std::string& url) {
        try {
            client{url};
        } catch (const error& e) {
            return e.code();
        }
        return std::error_code{};
    };
    const auto a = nodes_.node(0).url();
    const auto b = nodes_.node(1).url();
    const auto c = nodes_.node(2).url();
    EXPECT_EQ(code_of("redlock:" + a + "," + b), errc::bad_argument);
    EXPECT_EQ(code_of("redlock:" + a + "," + b + "," + c + ",redis://127.0.0.1:1"),
              errc::bad_argument);
    EXPECT_EQ(code_of("redlock:" + a + "," + b + "," + a), errc::bad_argument);
}

TEST_F(quorum, a_server_with_two_addresses_has_one_vote)
{
    // The same server by its socket: no text of the URL shows that.
    client own{options_for("redlock:" + nodes_.node(0).url() + "," + nodes_.node(0).unix_url() +
                           "," + nodes_.node(1).url())};
    mutex lock{own, "lock", quick()};
    EXPECT_TRUE(lock.try_acquire()) << "two servers of three addresses";
    EXPECT_EQ(own.nodes()[1].state, node_state::duplicate);
    nodes_.node(1).kill();
    std::error_code ec;
    EXPECT_FALSE(lock.try_acquire(ec));
    EXPECT_EQ(ec, errc::no_quorum);
    EXPECT_TRUE(eventually(
        [&] { return events_.text().find("are the same server") != std::string::npos; }));
}

TEST_F(quorum, a_new_installation_is_in_quarantine_until_it_is_marked)
{
    const quorum_nodes fresh;
    client own{options_for(fresh.url())};
    EXPECT_EQ(own.nodes()[0].state, node_state::quarantined);
    try {
        static_cast<void>(mutex{own, "lock", quick()}.try_acquire());
        ADD_FAILURE() << "it votes";
    } catch (const error& e) {
        EXPECT_EQ(e.code(), errc::no_quorum);
        EXPECT_THAT(e.what(), HasSubstr("in quarantine for"));
        EXPECT_THAT(e.what(), HasSubstr("pawl quorum init"));
    }
    own.init_nodes();
    EXPECT_TRUE(mutex(own, "lock", quick()).try_acquire());
}

TEST_F(quorum, nodes_with_locks_are_not_marked_as_new)
{
    client own{options()};
    const auto held = mutex{own, "lock", quick()}.acquire();
    try {
        own.init_nodes();
        ADD_FAILURE() << "marked";
    } catch (const error& e) {
        EXPECT_EQ(e.code(), errc::refused);
        EXPECT_THAT(e.what(), HasSubstr("has or had locks"));
    }
}

}  // namespace
}  // namespace pawl::test
