// A primary that is replaced, by sentinels, while clients use it.
#include "integration/contended.h"
#include "support/sentinel_group.h"
#include "support/server_info.h"

#include <pawl/futures.h>

namespace pawl::test {
namespace {

// The longest time from the end of a failover until clients use the new primary.
constexpr std::chrono::milliseconds recovery{1'000};

class failover : public testing::Test {
protected:
    [[nodiscard]] client_options options()
    {
        client_options made;
        made.url = group_.url();
        made.command_limit = patience;
        events_.attach(made);
        return made;
    }

    // Whether all servers have the grant.
    [[nodiscard]] bool is_replicated(const hold& held)
    {
        return eventually([&] {
            bool everywhere = true;
            for (std::size_t i = 0; i < group_.size(); ++i) {
                everywhere &= group_.probe(i).get("job") == held.id();
            }
            return everywhere;
        });
    }

    event_log events_;
    // One sentinel cannot disagree with others about who leads the failover, which would take a second longer.
    sentinel_group group_{{.sentinels = 1, .quorum = 1}};
};

TEST_F(failover, keeps_a_replicated_lock_and_its_waiters)
{
    client own{options()};
    client other{options()};
    mutex mine{own, "job", quick(30s)};
    mutex theirs{other, "job", quick(30s)};
    hold held = mine.acquire();
    asking next{theirs};
    ASSERT_TRUE(is_replicated(held));
    ASSERT_TRUE(eventually([&] { return group_.probe(1).exists("pawl:queue:{job}"); }));
    const auto old = group_.kill_primary();
    const auto now = group_.wait_for_new_primary(old);
    EXPECT_TRUE(held.confirm()) << "it is renewed at the new primary";
    EXPECT_EQ(held.state(), hold_state::held);
    EXPECT_EQ(group_.probe(now).get("job"), held.id());
    ASSERT_TRUE(eventually([&] {
        return group_.probe(now).must({"PUBSUB", "CHANNELS", "pawl:client:*"}).items.size() == 1;
    })) << "the waiter listens there";
    const auto fence = held.fence();
    held.release();
    ASSERT_TRUE(next.ends_within(soon)) << "it does not look before: it was told";
    const auto got = next.result();
    ASSERT_TRUE(got);
    EXPECT_GT(got->fence(), fence);
    EXPECT_EQ(events_.count(hold_state::lost), 0U);
}

// The grant was not replicated: here it is removed from the replicas.
TEST_F(failover, loses_a_lock_that_the_new_primary_does_not_know_at_once)
{
    client own{options()};
    mutex lock{own, "job", quick(60s)};
    const hold held = lock.acquire();
    ASSERT_TRUE(is_replicated(held));
    for (std::size_t i = 1; i < group_.size(); ++i) {
        redis_probe replica = group_.probe(i);
        replica.must({"CONFIG", "SET", "replica-read-only", "no"});
        replica.must({"DEL", "job"});
    }
    const auto old = group_.kill_primary();
    static_cast<void>(group_.wait_for_new_primary(old));
    const event told = events_.first(hold_state::lost, recovery + slack);
    EXPECT_EQ(told.why, cause::vanished);
    EXPECT_EQ(told.holder, held.id());
}

// The grant to the second writer was not replicated: here the replicas get the fence of the first one back.
TEST_F(failover, gives_a_reader_the_fence_of_the_last_writer_that_was_replicated)
{
    client own{options()};
    shared_mutex lock{own, "job", quick(30s)};
    const auto write = [&] { return lock.acquire().fence(); };
    const std::uint64_t replicated = write();
    const std::uint64_t forgotten = write();
    const std::string fence_key = "pawl:fence:{job}";
    for (std::size_t i = 1; i < group_.size(); ++i) {
        redis_probe replica = group_.probe(i);
        ASSERT_TRUE(
            eventually([&] { return replica.get(fence_key) == std::to_string(forgotten); }));
        ASSERT_TRUE(eventually([&] { return !replica.exists("job"); }));
        replica.must({"CONFIG", "SET", "replica-read-only", "no"});
        replica.must({"SET", fence_key, std::to_string(replicated)});
    }
    static_cast<void>(group_.wait_for_new_primary(group_.kill_primary()));
    EXPECT_EQ(lock.shared().acquire().fence(), replicated) << "although a later one was given out";
    const std::uint64_t next = write();
    EXPECT_GT(next, forgotten) << "a writer's fence grows all the same";
    EXPECT_EQ(lock.shared().acquire().fence(), next);
}

TEST_F(failover, is_waited_for_by_calls_of_every_form)
{
    client own{options()};
    mutex lock{own, "job", quick(10s)};
    mutex async_lock{own, "other", quick(10s)};
    lock.acquire().release();
    const auto old = group_.kill_primary();
    asking blocking{lock};
    auto asynchronous = futures::acquire(async_lock);
    const auto now = group_.wait_for_new_primary(old);
    ASSERT_TRUE(blocking.ends_within(recovery + slack));
    ASSERT_EQ(asynchronous.wait_for(recovery + slack), std::future_status::ready);
    EXPECT_EQ(group_.probe(now).get("job"), blocking.result()->id());
    EXPECT_EQ(group_.probe(now).get("other"), asynchronous.get().id());
}

TEST_F(failover, ends_calls_that_wait_for_the_old_primary)
{
    client_options made = options();
    made.command_limit = 120s;  // so that a request does not end by itself
    client own{made};
    mutex lock{own, "job", quick(10s)};
    mutex async_lock{own, "other", quick(10s)};
    lock.acquire().release();
    futures::acquire(async_lock).get().release();
    const auto old = group_.freeze_primary();
    asking blocking{lock};
    auto asynchronous = futures::acquire(async_lock);
    const auto now = group_.wait_for_new_primary(old);
    ASSERT_TRUE(blocking.ends_within(recovery + slack));
    ASSERT_EQ(asynchronous.wait_for(recovery + slack), std::future_status::ready);
    EXPECT_EQ(group_.probe(now).get("job"), blocking.result()->id());
    EXPECT_EQ(group_.probe(now).get("other"), asynchronous.get().id());
}

// Such requests have a connection of their own.
TEST_F(failover, is_followed_by_requests_that_wait_for_replicas)
{
    client_options made = options();
    made.acknowledged = 1;
    client own{made};
    mutex lock{own, "job", quick(30s)};
    mutex other{own, "other", quick(10s)};
    hold held = futures::acquire(lock).get();
    const auto old = group_.freeze_primary();
    auto next = futures::acquire(other);
    const auto now = group_.wait_for_new_primary(old);
    ASSERT_EQ(next.wait_for(patience), std::future_status::ready);
    EXPECT_EQ(group_.probe(now).get("other"), next.get().id());
    EXPECT_TRUE(held.confirm());
    EXPECT_EQ(outcome_of([&] { held.release(); }).message, "");
}

TEST_F(failover, that_does_not_come_is_reported)
{
    client_options made = options();
    made.command_limit = 300ms;
    client own{made};
    mutex lock{own, "job", quick(10s)};
    lock.acquire().release();
    group_.sentinel(0).kill();
    group_.server(0).kill();
    for (const auto& told : {outcome_of([&] { (void)lock.try_acquire(); }),
                             outcome_of([&] { (void)futures::try_acquire(lock).get(); })}) {
        EXPECT_EQ(told.code, errc::unreachable);
        EXPECT_TRUE(says(told.message, "no primary answers"));
        EXPECT_TRUE(says(told.message, "primary 127.0.0.1:"));
    }
}

// Three sentinels, with the periods of a real installation: the old primary is made a replica only 10 s later.
TEST(forced_failover, leaves_the_old_primary_although_it_accepts_writes)
{
    sentinel_group group{{.quick_news = false}};
    client_options made;
    made.url = group.url();
    made.command_limit = patience;
    client own{made};
    client other{made};
    mutex lock{own, "job", quick(30s)};
    mutex theirs{other, "job", quick(30s)};
    hold held = lock.acquire();
    asking next{theirs};
    ASSERT_TRUE(eventually([&] { return group.probe(1).exists("pawl:queue:{job}"); }));
    const auto old = group.failover();
    const auto now = group.wait_for_new_primary(old);
    ASSERT_TRUE(eventually(recovery + slack, [&] {
        return group.probe(now).must({"PUBSUB", "CHANNELS", "pawl:client:*"}).items.size() == 1;
    })) << "the waiter has left the old primary";
    EXPECT_EQ(info_of(group.probe(old), "replication", "role"), "master") << "it still is one";
    EXPECT_TRUE(group.probe(old).must({"PUBSUB", "CHANNELS", "pawl:client:*"}).items.empty());
    held.release();
    ASSERT_TRUE(next.ends_within(soon));
    EXPECT_EQ(group.probe(now).get("job"), next.result()->id());
    EXPECT_EQ(info_of(group.probe(old), "replication", "role"), "master");
}

// Only the sentinel of this number hears of the failover: the others stand still before it begins. The old primary goes
// on, so that nothing else makes clients look for another one soon.
class only_sentinel : public testing::TestWithParam<std::size_t> {
protected:
    [[nodiscard]] std::size_t fail_over()
    {
        for (std::size_t i = 0; i < group_.sentinels(); ++i) {
            if (i != GetParam()) group_.sentinel(i).freeze();
        }
        const auto old = group_.failover();
        const auto now = group_.wait_for_new_primary(old);
        EXPECT_NE(now, old);
        return now;
    }

    sentinel_group group_{{.quick_news = false}};
};

TEST_P(only_sentinel, that_knows_of_a_failover_is_believed)
{
    client_options made;
    made.url = group_.url();
    client own{made};
    mutex lock{own, "job", quick(long_lease)};
    lock.acquire().release();
    ASSERT_TRUE(eventually([&] {
        return group_.sentinel_probe(GetParam()).subscribed_connections().size() == 1;
    })) << "the client listens";
    const auto old = group_.primary();
    const auto now = fail_over();
    ASSERT_TRUE(eventually(recovery + slack, [&] {
        const auto held = lock.acquire();
        return group_.probe(now).get("job") == held.id();
    }));
    EXPECT_EQ(info_of(group_.probe(old), "replication", "role"), "master") << "it still is one";
}

INSTANTIATE_TEST_SUITE_P(of, only_sentinel, testing::Range(std::size_t{0}, std::size_t{3}));

}  // namespace
}  // namespace pawl::test
