// What client::metrics() counts with real servers: connections, bytes, requests, and exact sums with many threads.
#include "integration/contended.h"
#include "support/fault_proxy.h"
#include "support/free_port.h"

#include <pawl/futures.h>

#include <atomic>
#include <thread>
#include <vector>

namespace pawl::test {
namespace {

class metrics_of_a_client : public with_server {
protected:
    [[nodiscard]] metrics now() const { return client_.metrics(); }
    [[nodiscard]] lock_metrics all() const { return now().all; }

    fault_proxy proxy_{server_.port()};
    client client_{options(proxy_.url())};
    mutex mutex_{client_, "job"};
};

// ── Connections, bytes and requests ─────────────────────────────────────────────────────────────

TEST_F(metrics_of_a_client, count_no_connection_before_the_first_request)
{
    EXPECT_EQ(now().connections, connection_metrics{});
}

TEST_F(metrics_of_a_client, count_connections_and_bytes)
{
    client_.ping();
    const auto first = now().connections;
    EXPECT_EQ(first.opened, 1U);
    EXPECT_EQ(first.open(), 1U);
    EXPECT_EQ(first.failed, 0U);
    EXPECT_GT(first.bytes_sent, 0U);
    EXPECT_GT(first.bytes_received, 0U);
    client_.ping();
    const auto second = now().connections;
    EXPECT_EQ(second.opened, 1U) << "it is used again";
    EXPECT_EQ(second.bytes_sent - first.bytes_sent,
              std::string_view{"*1\r\n$4\r\nPING\r\n"}.size());
    EXPECT_EQ(second.bytes_received - first.bytes_received, std::string_view{"+PONG\r\n"}.size());
}

TEST_F(metrics_of_a_client, count_a_connection_that_cannot_be_made)
{
    client nowhere{options("redis://127.0.0.1:" + std::to_string(free_port()))};
    std::error_code ec;
    nowhere.ping(ec);
    EXPECT_EQ(ec, errc::unreachable);
    const auto seen = nowhere.metrics().connections;
    EXPECT_GE(seen.failed, 1U);
    EXPECT_EQ(seen.opened, 0U);
    EXPECT_EQ(seen.open(), 0U);
}

TEST_F(metrics_of_a_client, count_a_shared_connection_that_is_made_again)
{
    // It is used for renewals and messages.
    futures::acquire(mutex_).get().release();
    ASSERT_TRUE(eventually([&] { return now().connections.opened >= 1; }));
    EXPECT_EQ(now().connections.reconnects, 0U);
    const auto before = now().connections;
    proxy_.cut(fault_proxy::ending::reset);
    ASSERT_TRUE(eventually([&] { return now().connections.ended > before.ended; }));
    ASSERT_TRUE(eventually([&] { return futures::try_acquire(mutex_).get().has_value(); }));
    EXPECT_EQ(now().connections.reconnects, 1U);
    EXPECT_GT(now().connections.opened, before.opened);
    EXPECT_EQ(now().connections.open(), now().connections.opened - now().connections.ended);
}

TEST_F(metrics_of_a_client, count_as_many_requests_as_the_server_executes)
{
    mutex_.acquire().release();  // from now on, the server knows the scripts
    const auto before = now().requests;
    probe_.reset_stats();
    for (int i = 0; i < 50; ++i) {
        const auto held = mutex_.acquire();
        EXPECT_FALSE(futures::try_acquire(mutex_).get());
    }
    const auto after = now().requests;
    EXPECT_EQ(after.failed, 0U);
    // The release is a script. The acquire is one too, or SET and INCR in one request. A script never calls INCR.
    const auto bare = probe_.calls("incr");
    const auto scripts = probe_.calls("evalsha");
    EXPECT_EQ(after.sent - before.sent, static_cast<std::uint64_t>(bare + scripts));
    EXPECT_EQ(after.round_trip.count - before.round_trip.count, after.sent - before.sent);
    EXPECT_GT(after.round_trip.sum, before.round_trip.sum);
}

TEST_F(metrics_of_a_client, measure_the_round_trip)
{
    mutex_.acquire().release();
    const auto before = now().requests.round_trip;
    proxy_.delay(20ms);
    mutex_.acquire().release();
    proxy_.delay(0ms);
    const auto after = now().requests.round_trip;
    const auto both = after.count - before.count;
    EXPECT_GE(both, 2U);
    EXPECT_GE(after.sum - before.sum, 2 * 20ms);
    EXPECT_GE(all().wait.quantile(1), 20ms);
}

// ── Calls ───────────────────────────────────────────────────────────────────────────────────────

TEST_F(metrics_of_a_client, count_a_key_that_is_not_a_lock)
{
    probe_.must({"RPUSH", "job", "value"});
    std::error_code ec;
    EXPECT_FALSE(mutex_.try_acquire(ec));
    EXPECT_EQ(ec, errc::not_a_lock);
    EXPECT_EQ(all().not_granted[errc::not_a_lock], 1U);
    EXPECT_EQ(all().not_granted.total(), 1U);
}

TEST_F(metrics_of_a_client, count_a_quorum_that_cannot_vote)
{
    client_options three;
    three.command_limit = 200ms;
    for (int i = 0; i < 3; ++i) {
        three.nodes.push_back("redis://127.0.0.1:" + std::to_string(free_port()));
    }
    client quorum{three};
    mutex job{quorum, "job"};
    std::error_code ec;
    EXPECT_FALSE(job.try_acquire(ec));
    EXPECT_EQ(ec, errc::no_quorum);
    const auto seen = quorum.metrics();
    EXPECT_EQ(seen.all.not_granted[errc::no_quorum], 1U);
    EXPECT_EQ(seen.all.not_granted.total(), 1U);
    EXPECT_GE(seen.requests.failed, 3U);
    EXPECT_GE(seen.connections.failed, 3U);
}

TEST_F(metrics_of_a_client, agree_exactly_when_many_threads_use_a_lock)
{
    constexpr int threads = 8;
    constexpr int rounds = 1'000;
    client other{options()};
    mutex theirs{other, "job"};
    std::atomic<std::uint64_t> granted{0};
    std::atomic<std::uint64_t> busy{0};
    const auto use = [&](mutex& lock) {
        for (int i = 0; i < rounds; ++i) {
            if (i % 10 == 0) {
                if (auto held = lock.try_acquire()) {
                    ++granted;
                } else {
                    ++busy;
                }
                continue;
            }
            lock.acquire().release();
            ++granted;
        }
    };
    {
        std::vector<std::jthread> crew;
        for (int i = 0; i < threads; ++i) {
            crew.emplace_back([&, i] { use(i < threads / 2 ? mutex_ : theirs); });
        }
    }
    lock_metrics sum = all();
    const auto more = other.metrics().all;
    EXPECT_EQ(sum.granted.total() + more.granted.total(), granted);
    EXPECT_EQ(sum.not_granted[errc::busy] + more.not_granted[errc::busy], busy);
    EXPECT_EQ(sum.attempts() + more.attempts(), 1U * threads * rounds);
    for (const auto& each : {sum, more}) {
        EXPECT_EQ(each.wait.count, each.granted.total());
        EXPECT_EQ(each.hold.count, each.granted.total());
        EXPECT_EQ(each.not_granted.total(), each.not_granted[errc::busy]);
        EXPECT_GT(each.granted[grant_way::passed_on], 0U);
        EXPECT_EQ(each.losses.total(), 0U);
    }
    EXPECT_GT(sum.granted[grant_way::handed_over] + more.granted[grant_way::handed_over], 0U);
}

TEST_F(metrics_of_a_client, can_be_read_while_others_count)
{
    std::atomic<bool> enough{false};
    std::vector<std::jthread> crew;
    for (int i = 0; i < 3; ++i) {
        crew.emplace_back([&] {
            while (!enough) mutex_.acquire().release();
        });
    }
    std::uint64_t last = 0;
    for (int i = 0; i < 200; ++i) {
        const auto seen = all();
        EXPECT_GE(seen.granted.total(), last) << "a counter never goes back";
        last = seen.granted.total();
    }
    enough = true;
    crew.clear();
    EXPECT_EQ(all().held(), 0U);
    EXPECT_EQ(now().waiters, 0U);
}

}  // namespace
}  // namespace pawl::test
