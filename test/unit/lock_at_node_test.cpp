// What client::nodes(lock) says of a lock at the nodes of a quorum.
#include "store/quorum/lock_at_node.h"
#include "store/redis/tokens.h"
#include "unit/engine_quorum.h"
#include "unit/vote_scripts_fixture.h"

#include <pawl/error.h>
#include <pawl/mutex.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pawl::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

class lock_at_nodes : public engine_quorum {
protected:
    // As after a vote for `holder`.
    void give(std::size_t node, std::string_view holder, std::string_view number)
    {
        nodes_[node].execute({"SET", "lock", holder, "PX", "20000"});
        nodes_[node].execute({"SET", "pawl:fence:{lock}", number});
    }
    void queue(std::size_t node, std::string_view waiter)
    {
        nodes_[node].execute({"ZADD", "pawl:tickets:{lock}", "1700000000000000", waiter});
    }
};

TEST_F(lock_at_nodes, may_differ_from_node_to_node)
{
    give(0, "p0", "1700000000000005");
    queue(0, "p1");
    queue(0, "p2");
    nodes_[1].execute({"SET", "pawl:fence:{lock}", "1700000000000003"});
    const auto seen = make_client().nodes("lock");
    ASSERT_TRUE(seen.at(0).lock && seen.at(1).lock && seen.at(2).lock);
    EXPECT_EQ(seen[0].lock->holder, "p0");
    EXPECT_EQ(seen[0].lock->fence, 1'700'000'000'000'005U);
    EXPECT_LE(seen[0].lock->lease_left, 20s);
    EXPECT_GT(seen[0].lock->lease_left, 10s);
    EXPECT_EQ(seen[0].lock->waiters, 2U);
    EXPECT_EQ(seen[1].lock->holder, "");
    EXPECT_EQ(seen[1].lock->lease_left, std::nullopt);
    EXPECT_EQ(seen[1].lock->fence, 1'700'000'000'000'003U);
    EXPECT_EQ(seen[1].lock->waiters, 0U);
    EXPECT_EQ(seen[2].lock->fence, 0U) << "it has never given a number";
    for (const auto& each : seen) {
        EXPECT_TRUE(each.lock->is_lock);
        EXPECT_EQ(each.lock->problem, "");
    }
}

TEST_F(lock_at_nodes, is_asked_for_with_the_other_figures_in_one_round_trip)
{
    auto& own = make_client();
    const auto seen = own.nodes("lock");
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(nodes_[i].writes, 1U);
        EXPECT_EQ(seen[i].state, node_state::voting);
        EXPECT_EQ(seen[i].run_id, nodes_[i].run_id);
    }
    EXPECT_FALSE(own.nodes()[0].lock) << "nobody asked";
}

TEST_F(lock_at_nodes, is_not_changed)
{
    give(0, "p0", "1700000000000005");
    queue(0, "p1");
    const auto names = [&] {
        std::vector<std::string> all;
        for (auto& each : nodes_) {
            for (const auto& key : each.engine.keys()) all.push_back(key.name);
        }
        return all;
    };
    const auto before = names();
    static_cast<void>(make_client().nodes("lock"));
    EXPECT_EQ(names(), before);
}

TEST_F(lock_at_nodes, has_the_token_of_another_library_as_its_holder)
{
    nodes_[0].execute({"SET", "lock", "no token", "PX", "20000"});
    nodes_[1].execute({"SET", "lock", "6ba7b810-9dad-11d1"});
    const auto seen = make_client().nodes("lock");
    EXPECT_EQ(seen[0].lock->holder, "no token") << "with an expiry any value is a holder";
    EXPECT_EQ(seen[1].lock->holder, "6ba7b810-9dad-11d1");
    EXPECT_EQ(seen[1].lock->lease_left, std::nullopt) << "it has no end";
    EXPECT_TRUE(seen[1].lock->is_lock);
}

TEST_F(lock_at_nodes, is_none_if_the_key_is_something_else)
{
    nodes_[0].execute({"RPUSH", "lock", "a"});
    nodes_[1].execute({"HSET", "lock", "p0", "1"});
    nodes_[2].execute({"SET", "lock", "hello"});
    const auto seen = make_client().nodes("lock");
    for (const auto& each : seen) {
        EXPECT_FALSE(each.lock->is_lock);
        EXPECT_EQ(each.lock->holder, "");
        EXPECT_EQ(each.state, node_state::voting) << "the node itself is well";
    }
    EXPECT_EQ(seen[0].lock->problem, "not a lock: the key has another type");
    EXPECT_EQ(seen[1].lock->problem, "not a lock: the key has another type");
    EXPECT_THAT(seen[2].lock->problem, HasSubstr("not a lock: its value has no expiry"));
}

TEST_F(lock_at_nodes, is_shown_although_its_queue_is_something_else)
{
    give(0, "p0", "1700000000000005");
    nodes_[0].execute({"SET", "pawl:tickets:{lock}", "no queue"});
    const auto seen = make_client().nodes("lock");
    EXPECT_TRUE(seen[0].lock->is_lock);
    EXPECT_EQ(seen[0].lock->holder, "p0");
    EXPECT_THAT(seen[0].lock->problem, HasSubstr("WRONGTYPE"));
}

TEST_F(lock_at_nodes, is_not_known_of_a_node_that_does_not_answer)
{
    give(0, "p0", "1700000000000005");
    nodes_[0].frozen = true;
    const auto seen = make_client().nodes("lock");
    EXPECT_EQ(seen[0].state, node_state::unreachable);
    EXPECT_FALSE(seen[0].lock);
    EXPECT_TRUE(seen[1].lock);
}

TEST_F(lock_at_nodes, must_have_a_name_that_a_lock_can_have)
{
    auto& own = make_client();
    for (const auto& name : {std::string{}, std::string(513, 'a'), std::string("a\0b", 3)}) {
        try {
            static_cast<void>(own.nodes(name));
            ADD_FAILURE() << "accepted";
        } catch (const error& e) {
            EXPECT_EQ(e.code(), errc::bad_argument);
            EXPECT_THAT(e.what(), HasSubstr("allowed: 1 to 512 bytes, any but NUL"));
        }
    }
    EXPECT_EQ(nodes_[0].writes, 0U);
}

// ── Nodes with other clocks ─────────────────────────────────────────────────────────────────────

TEST_F(lock_at_nodes, is_shown_with_clocks_that_differ)
{
    nodes_[1].ahead = 5s;
    nodes_[2].ahead = -5s;
    const auto seen = make_client().nodes("lock");
    EXPECT_LT(std::chrono::abs(seen[0].clock_difference), 1s);
    EXPECT_LT(std::chrono::abs(seen[1].clock_difference - 5s), 1s);
    EXPECT_LT(std::chrono::abs(seen[2].clock_difference + 5s), 1s);
}

TEST_F(lock_at_nodes, is_refused_with_the_latency_and_clock_of_each_node_that_did_not_vote)
{
    nodes_[0].frozen = true;
    nodes_[1].ahead = 5s;
    nodes_[1].execute({"DEL", "pawl:node"});
    mutex lock{make_client(), "lock"};
    try {
        static_cast<void>(lock.try_acquire());
        ADD_FAILURE() << "granted by one node";
    } catch (const error& e) {
        EXPECT_EQ(e.code(), errc::no_quorum);
        EXPECT_THAT(
            e.what(),
            AllOf(HasSubstr("1 of 3 nodes can vote, 2 are needed; redis://a: no answer"),
                  ContainsRegex("redis://b: in quarantine for 6[12] s: it is new or was restarted "
                                "\\([0-9]+\\.[0-9] ms, \\+[45]\\.[0-9] s\\)")));
    }
}

}  // namespace
}  // namespace pawl::test

namespace pawl::store::memory {
namespace {

TEST_F(vote_scripts, agree_with_the_client_on_what_looks_like_a_holder)
{
    for (const std::string value :
         {"", "hello", "0123456789", "012345678", "12345.6789", "1234567890a", "abcdefghijklmnop",
          "abcdefghijklmno", "aA0-_=+/:.@aA0-_", "abcdefghijklmno p", "abcdefghijklmnopq!",
          "p0123456789abcdef0123456789abcdef", "äbcdefghijklmnopq"}) {
        ask({"SET", "a", value});
        const auto said = vote("h", {.join = false});
        const bool is_holder = said != answer_now("-3 -1");
        EXPECT_EQ(looks_like_holder(value), is_holder) << value << ": " << said;
    }
}

}  // namespace
}  // namespace pawl::store::memory
