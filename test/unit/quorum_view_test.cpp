// What an inspector shows of a lock on a quorum.
#include "unit/engine_quorum.h"

#include <pawl/inspect.h>

#include <gmock/gmock.h>

namespace pawl::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr auto first_holder = "p0123456789abcdeaaaaaaaaaaaaaaaa";
constexpr auto other_holder = "p0123456789abcdebbbbbbbbbbbbbbbb";

class inspected_quorum : public engine_quorum {
protected:
    void vote(std::size_t node, std::string_view holder, std::string_view lease = "20000")
    {
        nodes_[node].execute({"SET", "lock", holder, "PX", lease});
        nodes_[node].execute({"SET", "pawl:fence:{lock}", "1700000000000005"});
    }
    void queue(std::size_t node, std::string_view waiter, std::string_view ticket)
    {
        nodes_[node].execute({"ZADD", "pawl:tickets:{lock}", ticket, waiter});
    }
};

TEST_F(inspected_quorum, names_the_holder_with_a_majority_and_what_each_node_says)
{
    vote(0, other_holder);
    vote(1, first_holder, "9000");
    vote(2, first_holder);
    const auto lock = inspector{make_client()}.look("lock");
    EXPECT_EQ(lock.kind, lock_kind::mutex);
    ASSERT_THAT(lock.holders, SizeIs(1));
    EXPECT_EQ(lock.holders[0].id, first_holder);
    EXPECT_EQ(lock.holders[0].channel, "aaaaaaaaaaaaaaaa");
    EXPECT_LE(lock.lease_left, 9s) << "until then a majority has it";
    EXPECT_GT(lock.lease_left, 5s);
    ASSERT_THAT(lock.nodes, SizeIs(3));
    EXPECT_EQ(lock.nodes[0].lock->holder, other_holder);
    EXPECT_EQ(lock.server, "");
}

TEST_F(inspected_quorum, says_if_no_holder_has_a_majority)
{
    vote(0, first_holder);
    const auto lock = inspector{make_client()}.look("lock");
    EXPECT_EQ(lock.holders.at(0).id, first_holder);
    EXPECT_THAT(lock.notes, Contains(HasSubstr("only 1 of 3 nodes have voted")));
}

TEST_F(inspected_quorum, knows_for_how_long_each_waiter_has_waited)
{
    vote(0, first_holder);
    vote(1, first_holder);
    for (const std::size_t node : {0U, 1U, 2U}) {
        queue(node, other_holder, "1700000000000000");
        queue(node, "p0123456789abcdecccccccccccccccc", "1600000000000000");
    }
    const auto lock = inspector{make_client()}.look("lock");
    EXPECT_EQ(lock.waiters, 2U);
    ASSERT_THAT(lock.queue, SizeIs(2));
    EXPECT_EQ(lock.queue[0].id, "p0123456789abcdecccccccccccccccc");
    EXPECT_EQ(lock.queue[1].id, other_holder);
    ASSERT_TRUE(lock.queue[1].waited);
    EXPECT_GT(lock.queue[0].waited, lock.queue[1].waited);
}

TEST_F(inspected_quorum, lists_each_lock_once_and_goes_on_without_a_silent_node)
{
    for (const std::size_t node : {0U, 1U, 2U}) vote(node, first_holder);
    nodes_[1].frozen = true;
    std::vector<std::string> names;
    const auto summary = inspector{make_client()}.list({}, [&](const lock_info& lock) {
        names.push_back(lock.name);
        return true;
    });
    EXPECT_THAT(names, ElementsAre("lock"));
    EXPECT_THAT(summary.notes, Contains(HasSubstr("redis://b could not be listed")));
}

}  // namespace
}  // namespace pawl::test
