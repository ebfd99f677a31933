// Connections break, but holds stay.
#include "integration/fixture.h"
#include "support/fault_proxy.h"

#include <mutex>
#include <thread>
#include <vector>

namespace pawl::test {
namespace {

class broken_connection : public with_server {
protected:
    // Waits for two leases, without a loss.
    testing::AssertionResult survives(const hold& held, std::chrono::milliseconds lease)
    {
        if (!always(2 * lease, [&] { return !held.lost().stop_requested(); })) {
            return testing::AssertionFailure() << "lost: " << to_string(held.why());
        }
        if (!eventually([&] { return held.state() == hold_state::held; })) {
            return testing::AssertionFailure() << "still in jeopardy";
        }
        return testing::AssertionSuccess();
    }

    fault_proxy proxy_{server_.port()};
    client client_{options(proxy_.url())};
    mutex mutex_{client_, "job", quick(1200ms)};
};

TEST_F(broken_connection, an_orderly_end_does_not_end_a_hold)
{
    hold held = mutex_.acquire();
    proxy_.cut(fault_proxy::ending::orderly);
    EXPECT_TRUE(survives(held, 1200ms));
    held.release();
    EXPECT_FALSE(probe_.exists("job"));
}

TEST_F(broken_connection, a_reset_does_not_end_a_hold)
{
    hold held = mutex_.acquire();
    proxy_.cut(fault_proxy::ending::reset);
    EXPECT_TRUE(survives(held, 1200ms));
    held.release();
    EXPECT_FALSE(probe_.exists("job"));
}

TEST_F(broken_connection, cut_again_and_again_does_not_end_a_hold)
{
    mutex lock{client_, "other", quick(1200ms)};
    hold held = lock.acquire();
    for (int i = 0; i < 12; ++i) {
        proxy_.cut(fault_proxy::ending::reset);
        ASSERT_TRUE(always(150ms, [&] { return !held.lost().stop_requested(); }));
    }
    EXPECT_TRUE(survives(held, 600ms));
}

TEST_F(broken_connection, connections_refused_for_less_than_a_lease_cause_jeopardy_only)
{
    mutex lock{client_, "other", quick(1500ms)};
    hold held = lock.acquire();
    proxy_.set_door(fault_proxy::door::closed);
    proxy_.cut(fault_proxy::ending::reset);
    EXPECT_EQ(events_.first(hold_state::jeopardy, held.id()).why, cause::unreachable);
    proxy_.set_door(fault_proxy::door::open);
    EXPECT_EQ(events_.first(hold_state::held, held.id()).from, hold_state::jeopardy);
    EXPECT_TRUE(held.confirm());
}

TEST_F(broken_connection, a_half_open_connection_is_replaced_by_a_new_one)
{
    mutex lock{client_, "other", quick(1500ms)};
    hold held = lock.acquire();
    proxy_.half_open();
    (void)events_.first(hold_state::jeopardy, held.id());
    proxy_.pass();
    EXPECT_EQ(events_.first(hold_state::held, held.id()).from, hold_state::jeopardy);
    EXPECT_TRUE(survives(held, 750ms));
}

TEST_F(broken_connection, a_stale_pooled_connection_does_not_make_a_call_fail)
{
    for (const auto how : {fault_proxy::ending::orderly, fault_proxy::ending::reset}) {
        {
            const std::lock_guard guard{mutex_};
        }
        proxy_.cut(how);
        EXPECT_EQ(outcome_of([&] { const std::lock_guard guard{mutex_}; }).code, std::error_code{});
        hold held = mutex_.acquire();
        proxy_.cut(how);
        EXPECT_EQ(outcome_of([&] { held.release(); }).code, std::error_code{});
        EXPECT_FALSE(probe_.exists("job"));
    }
}

TEST_F(broken_connection, a_server_that_closes_every_connection_is_unreachable)
{
    client_options hasty = options(proxy_.url());
    hasty.command_limit = 300ms;
    client own{hasty};
    proxy_.set_door(fault_proxy::door::slammed);
    EXPECT_EQ(outcome_of([&] { own.ping(); }).code, errc::unreachable);
    proxy_.set_door(fault_proxy::door::ignored);
    EXPECT_EQ(outcome_of([&] { own.ping(); }).code, errc::unreachable);
    proxy_.set_door(fault_proxy::door::open);
    EXPECT_EQ(outcome_of([&] { own.ping(); }).code, std::error_code{});
}

TEST_F(broken_connection, a_client_makes_growing_pauses_between_attempts_to_connect)
{
    mutex lock{client_, "other", quick(1s)};
    const hold held = lock.acquire();
    proxy_.set_door(fault_proxy::door::slammed);
    const std::size_t before = proxy_.counts().accepted;
    proxy_.cut(fault_proxy::ending::orderly);
    (void)events_.first(hold_state::lost, held.id());
    EXPECT_LE(proxy_.counts().accepted - before, 60);
}

TEST_F(broken_connection, killed_by_the_server_is_replaced)
{
    hold held = mutex_.acquire();
    EXPECT_GE(probe_.must({"CLIENT", "KILL", "TYPE", "normal"}).integer, 1);
    EXPECT_TRUE(survives(held, 1200ms));
    probe_.must({"CLIENT", "KILL", "TYPE", "normal"});
    EXPECT_EQ(outcome_of([&] { held.release(); }).code, std::error_code{});
    EXPECT_FALSE(probe_.exists("job"));
}

TEST_F(broken_connection, flushed_scripts_are_loaded_again)
{
    recursive_mutex recursive{client_, "recursive", quick(1200ms)};
    hold held = mutex_.acquire();
    recursive.lock();
    probe_.must({"SCRIPT", "FLUSH"});
    EXPECT_TRUE(survives(held, 1200ms));
    const auto flushed = [&](auto&& call) {
        probe_.must({"SCRIPT", "FLUSH"});
        return outcome_of(call).code;
    };
    EXPECT_EQ(flushed([&] { recursive.lock(); }), std::error_code{});
    EXPECT_EQ(flushed([&] { held.extend(2s); }), std::error_code{});
    EXPECT_EQ(flushed([&] { EXPECT_TRUE(held.confirm()); }), std::error_code{});
    EXPECT_EQ(flushed([&] { recursive.unlock(); }), std::error_code{});
    EXPECT_EQ(flushed([&] { recursive.unlock(); }), std::error_code{});
    EXPECT_EQ(flushed([&] { held.release(); }), std::error_code{});
    EXPECT_EQ(flushed([&] { EXPECT_TRUE(mutex_.try_acquire()); }), std::error_code{});
    EXPECT_FALSE(probe_.exists("job"));
    EXPECT_FALSE(probe_.exists("recursive"));
}

TEST_F(broken_connection, scripts_are_sent_once_and_then_named)
{
    for (int i = 0; i < 20; ++i) const std::lock_guard guard{mutex_};
    EXPECT_LE(proxy_.counts().of("EVAL") + proxy_.counts().of("SCRIPT"), 4);
    EXPECT_GE(proxy_.counts().of("EVALSHA"), 20) << "most acquires are bare";
}

TEST_F(broken_connection, connections_are_used_again)
{
    for (int i = 0; i < 50; ++i) const std::lock_guard guard{mutex_};
    EXPECT_LE(proxy_.counts().accepted, 2);
}

TEST_F(broken_connection, more_callers_than_pooled_connections_take_turns)
{
    client_options narrow = options(proxy_.url());
    narrow.pool_size = 2;
    client own{narrow};
    const std::size_t before = proxy_.counts().accepted;
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 8; ++t) {
            threads.emplace_back([&, t] {
                mutex lock{own, "lock:" + std::to_string(t), quick(10s)};
                for (int i = 0; i < 10; ++i) const std::lock_guard guard{lock};
            });
        }
    }
    EXPECT_LE(proxy_.counts().accepted - before, 3);  // those of the pool, and the one for renewals
}

}  // namespace
}  // namespace pawl::test
