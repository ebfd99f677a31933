// Grants and renewals that count only when replicas have acknowledged them.
#include "integration/contended.h"

#include <pawl/futures.h>

#include <string>
#include <utility>
#include <vector>

namespace pawl::test {
namespace {

class acknowledged : public testing::Test {
protected:
    acknowledged() { EXPECT_TRUE(until_connected(1)); }

    static server_options replica_of(const redis_server& primary)
    {
        return {.config = {"repl-diskless-sync-delay 0",
                           "replicaof 127.0.0.1 " + std::to_string(primary.port())}};
    }

    // Waits until this many replicas answer, and there are no others. After a synchronisation without a disk, a
    // replica is listed up to a second before it answers.
    [[nodiscard]] bool until_connected(int count)
    {
        redis_probe probe = primary_.probe();
        const auto number = std::to_string(count);
        return eventually([&] {
            probe.must({"SET", "probe", "x"});
            return probe.must({"WAIT", number, "100"}).integer == count &&
                   contains(probe.must({"INFO", "replication"}).text,
                            "connected_slaves:" + number + "\r");
        });
    }

    // The link is cut, and the replica keeps its data.
    static void cut_off(const redis_server& replica)
    {
        replica.probe().must({"REPLICAOF", "NO", "ONE"});
    }

    // With a short limit if a call is meant to fail.
    [[nodiscard]] client_options options(acknowledgement by = 1,
                                         std::chrono::milliseconds limit = patience)
    {
        client_options made;
        made.url = primary_.unix_url();
        made.acknowledged = by;
        made.command_limit = limit;
        events_.attach(made);
        return made;
    }

    [[nodiscard]] bool until_free(std::string_view name = "job")
    {
        redis_probe probe = primary_.probe();
        return eventually([&] { return !probe.exists(name); });
    }

    event_log events_;
    redis_server primary_{{.config = {"repl-diskless-sync-delay 0"}}};
    redis_server replica_{replica_of(primary_)};
    redis_probe copy_ = replica_.probe();
};

TEST_F(acknowledged, grant_is_at_the_replica_when_the_call_returns)
{
    client own{options()};
    mutex lock{own, "job", quick(10s)};
    for (int i = 0; i < 20; ++i) {
        const hold held = i % 2 == 0 ? lock.acquire() : futures::acquire(lock).get();
        EXPECT_EQ(copy_.get("job"), held.id());
        EXPECT_EQ(copy_.get("pawl:fence:{job}"), std::to_string(held.fence()));
    }
}

TEST_F(acknowledged, grant_can_be_asked_for_in_the_url)
{
    client_options made = options(acknowledgement{}, 600ms);
    made.url += "?acknowledged=1";
    client own{made};
    mutex lock{own, "job", quick(10s)};
    cut_off(replica_);
    EXPECT_TRUE(says(outcome_of([&] { (void)lock.acquire(); }).message, "acknowledged by 0"));
}

TEST_F(acknowledged, grant_that_the_replica_does_not_have_is_none_and_is_given_back)
{
    client own{options(1, 600ms)};
    mutex lock{own, "job", quick(10s)};
    cut_off(replica_);
    const auto told = outcome_of([&] { (void)lock.acquire(); });
    EXPECT_EQ(told.code, errc::unreachable);
    EXPECT_TRUE(says(told.message, "acknowledged by 0 of 1 replicas"));
    EXPECT_TRUE(until_free());
    EXPECT_EQ(outcome_of([&] { (void)futures::acquire(lock).get(); }).code, errc::unreachable);
    EXPECT_TRUE(until_free());
    EXPECT_EQ(outcome_of([&] { (void)lock.try_acquire(); }).code, errc::unreachable);
    EXPECT_TRUE(until_free());
    EXPECT_EQ(outcome_of([&] { (void)stateless::try_lock(own, "job", "me", 10s); }).code,
              errc::unreachable);
    EXPECT_FALSE(primary_.probe().exists("job"));
}

TEST_F(acknowledged, grant_waits_for_a_replica_that_comes_back_in_time)
{
    client own{options()};
    mutex lock{own, "job", quick(30s)};
    replica_.freeze();
    asking next{lock};
    ASSERT_TRUE(eventually([&] { return primary_.probe().exists("job"); }));
    EXPECT_FALSE(next.ends_within(100ms));
    replica_.thaw();
    EXPECT_TRUE(next.ends_within(patience));
    EXPECT_TRUE(next.result());
}

TEST_F(acknowledged, hand_over_is_at_the_replica_when_the_call_returns)
{
    client own{options()};
    client other{options()};
    for (const bool fair : {false, true}) {
        any_lock mine{fair ? lock_kind::fair : lock_kind::plain, own, "job", quick(10s)};
        any_lock theirs{fair ? lock_kind::fair : lock_kind::plain, other, "job", quick(10s)};
        hold held = mine->acquire();
        asking next{*theirs};
        ASSERT_TRUE(eventually([&] { return copy_.exists("pawl:queue:{job}"); }));
        held.release();
        ASSERT_TRUE(next.ends_within(patience));
        const auto got = next.result();
        ASSERT_TRUE(got);
        EXPECT_EQ(copy_.get("job"), got->id());
        EXPECT_GT(got->fence(), held.fence());
    }
}

TEST_F(acknowledged, hand_over_that_the_replica_does_not_have_is_no_grant)
{
    client own{options()};
    client other{options(1, 600ms)};
    mutex mine{own, "job", quick(10s)};
    mutex theirs{other, "job", quick(10s)};
    hold held = mine.acquire();
    asking next{theirs};
    ASSERT_TRUE(eventually([&] { return copy_.exists("pawl:queue:{job}"); }));
    cut_off(replica_);
    held.release();
    ASSERT_TRUE(next.ends_within(patience));
    EXPECT_FALSE(next.result());
    EXPECT_EQ(next.told(), errc::unreachable);
    EXPECT_TRUE(until_free());
}

// A waiter that was handed the lock asks for it once more, and that must write something: from 7.2 on, a connection that
// wrote nothing is told that all replicas have everything.
TEST_F(acknowledged, hand_over_of_any_kind_that_a_stopped_replica_does_not_have_is_no_grant)
{
    client own{options()};
    client other{options(1, 600ms)};
    const auto is_no_grant = [&](lockable& mine, lockable& theirs, const std::string& name) {
        hold held = mine.acquire();
        asking next{theirs};
        ASSERT_TRUE(eventually([&] { return copy_.exists("pawl:queue:{" + name + "}"); }));
        replica_.freeze();
        held.release();
        EXPECT_TRUE(next.ends_within(patience));
        EXPECT_FALSE(next.result()) << name;
        EXPECT_EQ(next.told(), errc::unreachable) << name;
        replica_.thaw();
    };
    for (const auto kind : all_lock_kinds) {
        const std::string name{to_string(kind)};
        any_lock mine{kind, own, name, quick(30s)};
        any_lock theirs{kind, other, name, quick(30s)};
        is_no_grant(*mine, *theirs, name);
    }
    shared_mutex shared{own, "shared", quick(30s)};
    shared_mutex shared_too{other, "shared", quick(30s)};
    is_no_grant(shared, shared_too, "shared");
    lock_set set{own, {"one", "two"}, quick(30s)};
    lock_set set_too{other, {"one", "two"}, quick(30s)};
    is_no_grant(set, set_too, "one");
}

TEST_F(acknowledged,
       renewal_that_the_replica_does_not_have_puts_the_hold_in_jeopardy_until_it_is_lost)
{
    client own{options()};
    mutex lock{own, "job", quick(4s)};
    const hold held = lock.acquire();
    cut_off(replica_);
    const event danger = events_.first(hold_state::jeopardy);
    EXPECT_EQ(danger.why, cause::unreachable);
    EXPECT_TRUE(says(danger.detail, "acknowledged by 0 of 1 replicas"));
    EXPECT_EQ(events_.first(hold_state::lost).why, cause::expired) << "by its own deadline";
    EXPECT_EQ(held.valid_for(), 0ms);
}

TEST_F(acknowledged, renewal_keeps_the_hold)
{
    client own{options()};
    mutex lock{own, "job", quick(3s)};
    const hold held = lock.acquire();
    redis_probe primary = primary_.probe();
    primary.reset_stats();
    ASSERT_TRUE(eventually([&] { return primary.calls("wait") >= 4; })) << "one for each renewal";
    EXPECT_TRUE(eventually([&] { return held.state() == hold_state::held; }));
}

// A command that changes nothing is not replicated, and from 7.2 on there would be nothing to wait for.
TEST_F(acknowledged, request_writes_something_even_if_nothing_changes)
{
    client own{options()};
    mutex plain{own, "plain", quick(60s)};
    recursive_mutex hash{own, "hash", quick(60s)};
    counting_semaphore permits{own, "permits", 3, quick(60s)};
    lock_set many{own, {"a", "b"}, quick(60s)};
    leader lead{own, "lead", quick(60s)};
    std::vector<hold> all;
    all.push_back(plain.acquire());
    all.push_back(hash.acquire());
    all.push_back(permits.acquire());
    all.push_back(many.acquire());
    all.push_back(lead.campaign("payload"));
    for (auto& each : all) {
        copy_.reset_stats();
        each.extend(10s);
        EXPECT_GT(copy_.calls("pexpireat") + copy_.calls("pexpire"), 0) << each.name();
    }
}

TEST_F(acknowledged, grant_does_not_delay_what_needs_no_acknowledgement)
{
    client own{options()};
    mutex held_before{own, "before", quick(60s)};
    mutex wanted{own, "wanted", quick(60s)};
    hold held = futures::acquire(held_before).get();
    replica_.freeze();
    auto waiting = futures::acquire(wanted);
    ASSERT_TRUE(eventually([&] { return primary_.probe().exists("wanted"); }));
    futures::release(std::move(held)).get();
    EXPECT_EQ(waiting.wait_for(0s), std::future_status::timeout);
    replica_.thaw();
    (void)waiting.get();
}

TEST_F(acknowledged, majority_of_two_servers_is_both)
{
    client own{options(acknowledgement::majority())};
    mutex lock{own, "job", quick(10s)};
    hold held = lock.acquire();
    EXPECT_EQ(copy_.get("job"), held.id());
    held.release();
    cut_off(replica_);
    ASSERT_TRUE(until_connected(0));
    const auto told = outcome_of([&] { (void)lock.try_acquire(); });
    EXPECT_EQ(told.code, errc::unreachable) << "a primary that lost its replica is no majority";
    EXPECT_TRUE(says(told.message, "acknowledged by 0 of 1 replicas"));
}

TEST_F(acknowledged, majority_of_a_primary_that_never_had_a_replica_is_none)
{
    cut_off(replica_);
    ASSERT_TRUE(until_connected(0));
    client own{options(acknowledgement::majority(), 600ms)};
    mutex lock{own, "job", quick(10s)};
    EXPECT_EQ(outcome_of([&] { (void)lock.acquire(); }).code, errc::unreachable);
}

TEST_F(acknowledged, majority_of_four_servers_is_three)
{
    const redis_server second{replica_of(primary_)};
    const redis_server third{replica_of(primary_)};
    ASSERT_TRUE(until_connected(3));
    client own{options(acknowledgement::majority())};
    mutex lock{own, "job", quick(10s)};
    lock.acquire().release();
    cut_off(third);
    ASSERT_TRUE(until_connected(2));
    lock.acquire().release();
    cut_off(second);
    ASSERT_TRUE(until_connected(1));
    EXPECT_TRUE(says(outcome_of([&] { (void)lock.try_acquire(); }).message,
                     "acknowledged by 1 of 2 replicas"));
}

TEST_F(acknowledged, grant_without_the_right_to_wait_is_refused)
{
    client own{options()};
    mutex lock{own, "job", quick(10s)};
    primary_.probe().must({"ACL", "SETUSER", "default", "-wait"});
    const auto told = outcome_of([&] { (void)lock.acquire(); });
    EXPECT_EQ(told.code, errc::refused);
    EXPECT_TRUE(says(told.message, "wait"));
    EXPECT_TRUE(until_free());
}

}  // namespace
}  // namespace pawl::test
