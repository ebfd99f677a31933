// A server that becomes a replica while clients use it. From then on their address leads to the new
// primary, like a host name or a virtual address. But their existing connections stay with the old
// server.
#include "integration/contended.h"
#include "support/fault_proxy.h"

#include <pawl/futures.h>

#include <chrono>
#include <cstdint>
#include <thread>

namespace pawl::test {
namespace {

class two_servers : public testing::Test {
protected:
    two_servers() { follow(second_, first_); }

    [[nodiscard]] client_options options(std::chrono::milliseconds limit = patience) const
    {
        client_options made;
        made.url = address_.url();
        made.command_limit = limit;
        return made;
    }

    static void follow(redis_server& replica, const redis_server& primary)
    {
        redis_probe probe = replica.probe();
        probe.must({"REPLICAOF", "127.0.0.1", std::to_string(primary.port())});
        ASSERT_TRUE(eventually(
            [&] { return contains(probe.must({"INFO", "replication"}).text, "link_status:up"); }));
    }

    // Swaps the roles, when the replica has all data.
    void swap()
    {
        redis_probe old_one = first_.probe();
        redis_probe new_one = second_.probe();
        old_one.must({"CLIENT", "PAUSE", "60000", "WRITE"});
        const auto offset_of = [](redis_probe& probe, std::string_view name) {
            const auto text = probe.must({"INFO", "replication"}).text;
            const auto from = text.find(name) + name.size() + 1;
            return text.substr(from, text.find('\r', from) - from);
        };
        ASSERT_TRUE(eventually([&] {
            return offset_of(old_one, "master_repl_offset") ==
                   offset_of(new_one, "slave_repl_offset");
        }));
        new_one.must({"REPLICAOF", "NO", "ONE"});
        address_.lead_to(second_.port());
        follow(first_, second_);
        old_one.must({"CLIENT", "UNPAUSE"});
    }

    redis_server first_{{.config = {"repl-diskless-sync-delay 0"}}};
    redis_server second_{{.config = {"repl-diskless-sync-delay 0"}}};
    fault_proxy address_{first_.port()};
};

using demoted_server = two_servers;

TEST_F(demoted_server, is_left_by_a_blocking_acquire)
{
    client own{options()};
    mutex lock{own, "job", quick(10s)};
    lock.acquire().release();
    swap();
    const hold held = lock.acquire();
    EXPECT_EQ(second_.probe().get("job"), held.id());
}

TEST_F(demoted_server, is_left_by_an_asynchronous_acquire)
{
    client own{options()};
    mutex lock{own, "job", quick(10s)};
    futures::acquire(lock).get().release();
    swap();
    const hold held = futures::acquire(lock).get();
    EXPECT_EQ(second_.probe().get("job"), held.id());
}

TEST_F(demoted_server, is_left_by_a_try)
{
    client own{options()};
    mutex lock{own, "job", quick(10s)};
    lock.acquire().release();
    swap();
    EXPECT_TRUE(lock.try_acquire());
}

TEST_F(demoted_server, is_left_by_renewals_and_nothing_is_lost)
{
    client own{options(1s)};
    mutex lock{own, "job", quick(12s)};
    hold held = lock.acquire();
    swap();
    redis_probe probe = second_.probe();
    probe.reset_stats();
    // At the new one: PEXPIRE came through a script, not through replication.
    ASSERT_TRUE(eventually([&] { return probe.calls("evalsha") + probe.calls("eval") > 0; }));
    EXPECT_TRUE(eventually([&] { return held.state() == hold_state::held; }));
    EXPECT_TRUE(held.confirm());
    EXPECT_EQ(outcome_of([&] { held.release(); }).message, "");
    EXPECT_FALSE(probe.exists("job"));
}

TEST_F(demoted_server, is_left_by_waiters_and_they_get_the_lock_at_the_new_server)
{
    client own{options()};
    client other{options()};
    mutex mine{own, "job", quick(1500ms)};  // those who wait look every 500 ms
    mutex theirs{other, "job", quick(1500ms)};
    hold held = mine.acquire();
    asking next{theirs};
    redis_probe probe = second_.probe();
    ASSERT_TRUE(eventually([&] { return probe.exists("pawl:queue:{job}"); }));
    swap();
    ASSERT_TRUE(eventually([&] {
        return probe.must({"PUBSUB", "CHANNELS", "pawl:client:*"}).items.size() == 1;
    })) << "it listens at the new server";
    held.release();
    EXPECT_TRUE(next.ends_within(patience));
    EXPECT_TRUE(next.result());
}

TEST_F(demoted_server, is_reported_at_once_as_a_replica)
{
    swap();
    address_.lead_to(first_.port());  // the address was not moved
    client_options made = options(60s);
    made.shutdown_limit = 60s;
    outcome told;
    const auto took = time_of([&] {
        client own{made};
        mutex lock{own, "job", quick(10s)};
        told = outcome_of([&] { (void)lock.try_acquire(); });
    });
    EXPECT_EQ(told.code, errc::unreachable);
    EXPECT_TRUE(says(told.message, "replica"));
    EXPECT_TRUE(hides(told.message, "ACL"));
    EXPECT_LT(took, 10s);
}

TEST_F(demoted_server, does_not_count_as_a_server_that_answers)
{
    swap();
    address_.lead_to(first_.port());
    client own{options(500ms)};
    const auto told = outcome_of([&] { own.ping(); });
    EXPECT_EQ(told.code, errc::unreachable);
    EXPECT_TRUE(says(told.message, "replica"));
}

TEST_F(demoted_server, is_waited_for_within_the_command_limit)
{
    swap();
    address_.lead_to(first_.port());
    client own{options()};
    mutex lock{own, "job", quick(10s)};
    asking next{lock};
    ASSERT_TRUE(address_.wait_for([](const auto& seen) { return seen.accepted > 2; }, patience));
    address_.lead_to(second_.port());
    EXPECT_TRUE(next.ends_within(patience));
    EXPECT_TRUE(next.result());
}

TEST_F(demoted_server, is_reported_at_once_to_an_asynchronous_try)
{
    swap();
    address_.lead_to(first_.port());
    client_options made = options(60s);
    made.shutdown_limit = 60s;
    const auto took = time_of([&] {
        client own{made};
        mutex lock{own, "job", quick(10s)};
        EXPECT_EQ(outcome_of([&] { (void)futures::try_acquire(lock).get(); }).code,
                  errc::unreachable);
    });
    EXPECT_LT(took, 10s);
}

TEST_F(demoted_server, refused_connections_are_reported_at_once_to_a_try)
{
    address_.set_door(fault_proxy::door::closed);
    client_options made = options(60s);
    made.shutdown_limit = 60s;
    const auto took = time_of([&] {
        client own{made};
        mutex lock{own, "job", quick(10s)};
        EXPECT_EQ(outcome_of([&] { (void)lock.try_acquire(); }).code, errc::unreachable);
        EXPECT_EQ(outcome_of([&] { (void)futures::try_acquire(lock).get(); }).code,
                  errc::unreachable);
    });
    EXPECT_LT(took, 10s);
}

// Messages reach the subscribers of a replica too, but the primary does not count them. If the
// primary passed over such a client after telling it, that client and the next one would both hold
// the lock.
TEST_F(two_servers, a_waiter_that_listens_at_a_replica_is_not_told_of_a_grant)
{
    constexpr std::string_view channel = "pawl:client:0123456789abcdef";
    redis_probe primary = first_.probe();
    redis_probe listener = second_.probe();
    listener.must({"SUBSCRIBE", channel});
    client own{options()};
    mutex lock{own, "job", quick(10s)};
    hold held = lock.acquire();
    const auto now = primary.must({"TIME"}).texts();
    const auto until = std::to_string(std::stoll(now.at(0)) + 30) + "000";
    primary.must({"RPUSH", "pawl:queue:{job}", "p123456789abcdef0123456789abcdef",
                  until + "x0123456789abcdef000030000"});
    held.release();
    EXPECT_FALSE(primary.exists("job"));
    primary.must({"PUBLISH", channel, "the end"});
    std::vector<std::string> heard;
    ASSERT_TRUE(eventually([&] {
        // Returns what arrives first: the message, or the reply.
        const redis_value next = listener.command({"PING"});
        if (next.texts().at(0) == "message") heard.push_back(next.texts().at(2));
        return !heard.empty();
    }));
    EXPECT_EQ(heard, std::vector<std::string>{"the end"});
}

// A server that was a replica for a while has the data of the other one, with older fences. Its
// connections stay open.
class promoted_again : public two_servers {
protected:
    static void promote(const redis_server& which)
    {
        which.probe().must({"REPLICAOF", "NO", "ONE"});
    }

    std::uint64_t next() { return lock_.acquire().fence(); }

    // The last fence after some grants, as many as a client needs to take the lock without a script.
    std::uint64_t grants()
    {
        for (int i = 0; i < 50; ++i) (void)next();
        return next();
    }

    // The second server has all that the first one has, and then gets no more.
    void copy_to_second()
    {
        constexpr std::string_view fence = "pawl:fence:{job}";
        redis_probe from = first_.probe();
        redis_probe to = second_.probe();
        ASSERT_TRUE(eventually([&] { return to.get(fence) == from.get(fence); }));
        promote(second_);
        ASSERT_TRUE(eventually([&] {
            return contains(from.must({"INFO", "replication"}).text, "connected_slaves:0");
        }));
    }

    // The first server gets the data of the second one. That takes longer than a client relies on what it
    // knows of a server.
    void demote_and_promote_first()
    {
        const auto begin = std::chrono::steady_clock::now();
        follow(first_, second_);
        std::this_thread::sleep_until(begin + 1100ms);
        promote(first_);
    }

    client_options direct()
    {
        client_options made;
        made.url = first_.unix_url();
        return made;
    }

    client client_{direct()};
    mutex lock_{client_, "job", quick(10s)};
};

TEST_F(promoted_again, a_server_gives_no_fence_twice)
{
    (void)grants();
    copy_to_second();
    const auto last = grants();
    demote_and_promote_first();
    EXPECT_GT(next(), last);
}

TEST_F(promoted_again, a_server_gives_no_fence_twice_even_if_the_client_saw_no_replica)
{
    promote(second_);
    (void)grants();
    follow(second_, first_);
    copy_to_second();
    const auto last = grants();
    demote_and_promote_first();
    EXPECT_GT(next(), last);
}

}  // namespace
}  // namespace pawl::test
