// A server that does not answer or does not run: holders notice it by their own clock.
#include "integration/fixture.h"

#include <atomic>
#include <deque>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace pawl::test {
namespace {

using steady = std::chrono::steady_clock;

class frozen_server : public with_server {
protected:
    // Waits until the connection for renewals exists. From then on only answers are missing.
    void until_renewed()
    {
        ASSERT_TRUE(eventually([this] { return probe_.calls("pexpire") > 0; }));
    }
};

TEST_F(frozen_server, every_holder_is_told_by_its_own_deadline)
{
    constexpr int count = 20;
    constexpr auto lease = 600ms;
    client own{options()};
    std::deque<mutex> locks;
    std::vector<hold> holds;
    for (int i = 0; i < count; ++i) {
        const layout where = i % 2 == 0 ? layout::plain : layout::hash;
        locks.emplace_back(own, "lock:" + std::to_string(i), quick(lease, where));
        holds.push_back(locks.back().acquire());
    }
    server_.freeze();
    const auto frozen_at = steady::now();

    std::atomic<int> told = 0;
    std::atomic<steady::duration> latest{};
    using callback = std::stop_callback<std::function<void()>>;
    std::deque<std::optional<callback>> callbacks(count);
    for (std::size_t i = 0; i < count; ++i) {
        callbacks[i].emplace(holds[i].lost(), [&] {
            latest = steady::now() - frozen_at;
            ++told;
        });
    }

    EXPECT_TRUE(eventually([&] { return told == count; }));
    EXPECT_LE(latest.load(), lease + slack);
    for (const hold& held : holds) {
        EXPECT_EQ(held.state(), hold_state::lost);
        EXPECT_EQ(held.why(), cause::expired);
        EXPECT_EQ(held.valid_for(), 0ns);
    }
    EXPECT_TRUE(own.holds().empty());
}

TEST_F(frozen_server, a_hold_goes_from_jeopardy_to_lost_with_its_causes)
{
    client own{options()};
    mutex lock{own, "job", quick(900ms)};
    const hold held = lock.acquire();
    until_renewed();
    server_.freeze();
    EXPECT_EQ(events_.first(hold_state::jeopardy).why, cause::no_reply);
    const event lost = events_.first(hold_state::lost);
    EXPECT_EQ(lost.why, cause::expired);
    EXPECT_TRUE(held.lost().stop_requested());

    const auto all = events_.of(held.id());
    ASSERT_EQ(all.size(), 2);
    EXPECT_EQ(all[0].from, hold_state::held);
    EXPECT_GT(all[0].valid_for, 0ns);
    EXPECT_EQ(all[1].from, hold_state::jeopardy);
    EXPECT_LE(all[1].valid_for, 0ns);
    for (const event& one : all) {
        EXPECT_EQ(one.lock, "job");
        EXPECT_EQ(one.fence, held.fence());
    }
    EXPECT_TRUE(says(events_.text(), "job"));
}

TEST_F(frozen_server, a_hold_outlives_a_freeze_that_is_shorter_than_its_lease)
{
    client own{options()};
    mutex lock{own, "job", quick(2s)};
    hold held = lock.acquire();
    until_renewed();
    server_.freeze();
    (void)events_.first(hold_state::jeopardy);
    EXPECT_EQ(held.state(), hold_state::jeopardy);
    EXPECT_EQ(held.why(), cause::no_reply);
    EXPECT_FALSE(held.lost().stop_requested());
    EXPECT_GT(held.valid_for(), 0ns);
    server_.thaw();
    EXPECT_EQ(events_.first(hold_state::held).from, hold_state::jeopardy);
    EXPECT_EQ(held.state(), hold_state::held);
    EXPECT_EQ(held.why(), cause::none);
    EXPECT_TRUE(held.confirm());
    held.release();
    EXPECT_EQ(events_.count(hold_state::lost), 0);
}

TEST_F(frozen_server, a_hold_in_jeopardy_can_be_released)
{
    client own{options()};
    mutex lock{own, "job", quick(2s)};
    hold held = lock.acquire();
    server_.freeze();
    (void)events_.first(hold_state::jeopardy);
    server_.thaw();
    held.release();
    EXPECT_FALSE(probe_.exists("job"));
}

TEST_F(frozen_server, makes_a_call_fail_as_unreachable_within_the_command_limit)
{
    client_options hasty = options();
    hasty.command_limit = 1s;
    client own{hasty};
    mutex lock{own, "job", quick(10s)};
    own.ping();
    server_.freeze();
    std::error_code told;
    EXPECT_LT(time_of([&] { (void)lock.try_acquire(told); }), 1s + slack);
    EXPECT_EQ(told, errc::unreachable);
    EXPECT_LT(time_of([&] { own.ping(told); }), 1s + slack);
    EXPECT_EQ(told, errc::unreachable);
    EXPECT_LT(time_of([&] { (void)lock.try_acquire_for(100ms, told); }), 1s + slack);
    EXPECT_EQ(told, errc::unreachable);
}

TEST_F(frozen_server, is_reported_to_all_threads_that_wait_for_one_lock_at_the_same_time)
{
    constexpr int count = 8;
    client_options hasty = options();
    hasty.command_limit = 1500ms;
    client own{hasty};
    mutex lock{own, "job", quick(10s)};
    own.ping();
    server_.freeze();
    const auto begin = steady::now();
    std::atomic<int> unreachable = 0;
    {
        std::vector<std::jthread> waiting;
        for (int i = 0; i < count; ++i) {
            waiting.emplace_back([&] {
                std::error_code told;
                (void)lock.acquire(told);
                if (told == errc::unreachable) ++unreachable;
            });
        }
    }
    EXPECT_EQ(unreachable, count);
    EXPECT_LT(steady::now() - begin, hasty.command_limit * count / 2);
}

TEST_F(frozen_server, makes_connecting_fail_within_its_limit)
{
    client_options hasty = options(server_.url());
    hasty.connect_limit = 200ms;
    hasty.command_limit = 300ms;
    client own{hasty};
    server_.freeze();
    outcome told;
    EXPECT_LT(time_of([&] { told = outcome_of([&] { own.ping(); }); }), 300ms + slack);
    EXPECT_EQ(told.code, errc::unreachable);
    EXPECT_TRUE(says(told.message, server_.url()));
}

TEST_F(frozen_server, a_late_release_after_the_loss_reports_lost)
{
    client own{options()};
    mutex lock{own, "job", quick(300ms)};
    hold held = lock.acquire();
    server_.freeze();
    (void)events_.first(hold_state::lost);
    std::error_code told;
    EXPECT_LT(time_of([&] { held.extend(1s, told); }), slack);  // no round trip
    EXPECT_EQ(told, errc::lost);
    EXPECT_LT(time_of([&] { held.ensure(1s, told); }), slack);
    EXPECT_EQ(told, errc::lost);
    EXPECT_LT(time_of([&] { EXPECT_FALSE(held.confirm(told)); }), slack);
    EXPECT_FALSE(told);
    EXPECT_LT(time_of([&] { held.release(told); }), slack);
    EXPECT_EQ(told, errc::lost);
}

class dead_server : public with_server {};

TEST_F(dead_server, makes_holders_go_through_jeopardy_to_lost)
{
    client own{options()};
    mutex lock{own, "job", quick(800ms)};
    const hold held = lock.acquire();
    server_.kill();
    EXPECT_EQ(events_.first(hold_state::jeopardy).why, cause::unreachable);
    EXPECT_EQ(events_.first(hold_state::lost, 800ms + slack).why, cause::expired);
}

TEST_F(dead_server, is_unreachable_and_named_in_the_message)
{
    client_options hasty = options(server_.url());
    hasty.command_limit = 300ms;
    client own{hasty};
    mutex lock{own, "job", quick(10s)};
    server_.kill();
    const outcome told = outcome_of([&] { (void)lock.acquire(); });
    EXPECT_EQ(told.code, errc::unreachable);
    EXPECT_TRUE(says(told.message, "job"));
    EXPECT_TRUE(says(told.message, server_.url()));
}

TEST_F(dead_server, that_returns_within_the_limit_is_not_noticed_by_the_caller)
{
    client own{options()};
    mutex lock{own, "job", quick(10s)};
    {
        const hold held = lock.acquire();
    }
    server_.restart();
    const hold held = lock.acquire();
    EXPECT_EQ(server_.probe().get("job"), held.id());
}

}  // namespace
}  // namespace pawl::test
