// What operators see of a quorum of real servers: each node's vote for a lock, and errors that name each node.
#include "integration/quorum_fixture.h"
#include "support/async_calls.h"

#include <pawl/async.h>

#include <future>
#include <optional>
#include <utility>

namespace pawl::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

// As the last part of a text about a node: latency, and clock difference.
constexpr auto figures = R"( \([0-9]+\.[0-9] ms, [+-][0-9]+\.[0-9] (ms|s)\))";

class quorum_votes : public with_quorum {
protected:
    // What an asynchronous call of this client says when it does not get the lock.
    std::pair<std::error_code, std::string> refusal(mutex& lock, time_limit limit)
    {
        std::promise<std::pair<std::error_code, std::string>> told;
        async::acquire(lock, limit,
                       when_acquired([&](hold got, std::error_code ec, std::string_view message) {
                           EXPECT_FALSE(got);
                           told.set_value({ec, std::string{message}});
                       }));
        return told.get_future().get();
    }

    // As an operator reads it: "redis://…: ", a reason, and the figures.
    [[nodiscard]] auto names(std::size_t node, const std::string& why)
    {
        return ContainsRegex(nodes_.node(node).url() + ": " + why + figures);
    }
};

TEST_F(quorum_votes, are_shown_with_fence_lease_and_waiters)
{
    client own{options()};
    client other{options()};
    mutex lock{own, "lock", quick()};
    mutex same{other, "lock", quick()};
    auto held = acquire_everywhere(lock);
    auto next = std::async(std::launch::async, [&] { return same.acquire(); });
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_TRUE(eventually([&] { return waiters_at(i, "lock") == 1; }));
    }
    for (const auto& each : client{options()}.nodes("lock")) {
        ASSERT_TRUE(each.lock) << each.detail;
        EXPECT_EQ(each.lock->holder, held.id());
        EXPECT_GE(each.lock->fence, held.fence());
        EXPECT_GT(each.lock->lease_left, 0ms);
        EXPECT_LE(each.lock->lease_left, lease);
        EXPECT_EQ(each.lock->waiters, 1U);
        EXPECT_TRUE(each.lock->is_lock);
    }
    held.release();
    next.get().release();
    EXPECT_TRUE(eventually([&] { return holders_of("lock") == 0; }));
    for (const auto& each : own.nodes("lock")) {
        ASSERT_TRUE(each.lock) << each.detail;
        EXPECT_EQ(each.lock->holder, "");
        EXPECT_EQ(each.lock->lease_left, std::nullopt);
        EXPECT_GE(each.lock->fence, held.fence()) << "the last number stays";
        EXPECT_EQ(each.lock->waiters, 0U);
    }
}

TEST_F(quorum_votes, of_a_recursive_mutex_are_shown_too)
{
    client own{options()};
    recursive_mutex lock{own, "lock", quick()};
    const auto outer = acquire_everywhere(lock);
    const auto inner = lock.acquire();
    for (const auto& each : own.nodes("lock")) {
        ASSERT_TRUE(each.lock) << each.detail;
        EXPECT_EQ(each.lock->holder, outer.id());
    }
}

TEST_F(quorum_votes, of_a_frozen_node_and_one_in_quarantine_are_told_apart)
{
    client own{options()};
    mutex lock{own, "lock", {.lease = lease, .renew = false}};
    const auto held = acquire_everywhere(lock);
    nodes_.restart_without_data(1);
    nodes_.node(0).freeze();
    const auto seen = own.nodes("lock");
    EXPECT_EQ(seen[0].state, node_state::unreachable);
    EXPECT_FALSE(seen[0].lock) << "it did not answer";
    EXPECT_EQ(seen[1].state, node_state::quarantined);
    ASSERT_TRUE(seen[1].lock) << "in quarantine it answers";
    EXPECT_EQ(seen[1].lock->holder, "") << "it has forgotten its vote";
    EXPECT_EQ(seen[2].state, node_state::voting);
    nodes_.node(0).thaw();
}

TEST_F(quorum_votes, for_a_key_that_is_not_a_lock_are_none)
{
    nodes_.node(0).probe().must({"RPUSH", "lock", "a"});
    nodes_.node(1).probe().must({"SET", "lock", "hello"});
    nodes_.node(2).probe().must({"SET", "lock", "token", "PX", "60000"});
    const auto seen = client{options()}.nodes("lock");
    ASSERT_TRUE(seen[0].lock && seen[1].lock && seen[2].lock);
    EXPECT_EQ(seen[0].lock->problem, "not a lock: the key has another type");
    EXPECT_FALSE(seen[0].lock->is_lock);
    EXPECT_THAT(seen[1].lock->problem, HasSubstr("not a lock: its value has no expiry"));
    EXPECT_FALSE(seen[1].lock->is_lock);
    EXPECT_EQ(seen[2].lock->holder, "token") << "of another library, because it has an expiry";
}

// ── Errors ──────────────────────────────────────────────────────────────────────────────────────

TEST_F(quorum_votes, that_are_missing_are_explained_with_latency_and_clock)
{
    auto made = options();
    made.command_limit = 500ms;  // the quarantine lasts for 1.5 s
    client own{made};
    mutex lock{own, "lock", quick()};
    static_cast<void>(acquire_everywhere(lock));  // the client has heard of all nodes
    nodes_.restart_without_data(1);
    nodes_.node(0).freeze();
    try {
        static_cast<void>(lock.try_acquire());
        ADD_FAILURE() << "granted by one node";
    } catch (const error& e) {
        EXPECT_EQ(e.code(), errc::no_quorum);
        EXPECT_THAT(e.what(), names(0, "[^;]*no answer[^;]*"));
        EXPECT_THAT(e.what(), names(1, "in quarantine for [12] s: it is new or was restarted"));
        EXPECT_THAT(e.what(), Not(HasSubstr("; " + nodes_.node(2).url()))) << "it voted";
    }
    nodes_.node(0).thaw();
}

TEST_F(quorum_votes, that_are_missing_while_another_holds_are_explained_to_a_try)
{
    client own{options()};
    client other{options()};
    mutex lock{own, "lock", quick()};
    mutex same{other, "lock", quick()};
    static_cast<void>(same.acquire());
    const auto held = acquire_everywhere(lock);
    EXPECT_EQ(refusal(same, time_limit::now()).second,
              "acquire 'lock' on " + other.server() + ": busy: another holder has the lock");
    nodes_.node(0).freeze();
    const auto [ec, message] = refusal(same, time_limit::now());
    EXPECT_EQ(ec, errc::busy);
    EXPECT_THAT(
        message,
        AllOf(HasSubstr("busy: another holder has the lock ("), names(0, "[^;]*no answer[^;]*"),
              names(1, "another holder has its vote"), names(2, "another holder has its vote")));
    nodes_.node(0).thaw();
}

TEST_F(quorum_votes, that_are_missing_while_another_holds_are_explained_to_a_waiter)
{
    client own{options()};
    client other{options()};
    mutex lock{own, "lock", quick()};
    mutex same{other, "lock", quick()};
    const auto held = acquire_everywhere(lock);
    // From now on the client listens to the nodes, and waits in their queues.
    EXPECT_EQ(refusal(same, time_limit::after(100ms)).first, errc::timed_out);
    nodes_.node(0).freeze();
    // It looks twice a second.
    const auto [ec, message] = refusal(same, time_limit::after(1500ms));
    EXPECT_EQ(ec, errc::timed_out);
    EXPECT_THAT(message,
                AllOf(HasSubstr("timed out: another holder had the lock all the time ("),
                      names(0, "[^;]*no answer[^;]*"), names(1, "another holder has its vote")));
    nodes_.node(0).thaw();
}

TEST_F(quorum_votes, of_a_bare_majority_are_explained_in_the_event_and_in_the_log)
{
    client own{options()};
    mutex lock{own, "lock", quick()};
    const auto held = acquire_everywhere(lock);
    nodes_.node(0).kill();
    const auto danger = events_.first(hold_state::jeopardy);
    EXPECT_EQ(danger.why, cause::bare_majority);
    EXPECT_THAT(danger.detail, names(0, "[^;]*"));
    EXPECT_THAT(danger.detail, Not(HasSubstr(nodes_.node(1).url())));
    EXPECT_TRUE(eventually([&] { return events_.text().find(danger.detail) != std::string::npos; }))
        << events_.text();
}

}  // namespace
}  // namespace pawl::test
