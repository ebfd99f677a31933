// What a client knows of the nodes of a quorum: their clocks, latencies and run ids.
#include "core/quorum/nodes.h"
#include "unit/quorum_fixture.h"

#include <gtest/gtest.h>

namespace pawl::core::quorum {
namespace {

using std::chrono::microseconds;

class quorum_node_clock : public testing::Test {
protected:
    // The answer of a node whose clock is right, but for `ahead`.
    bool hear(int sent, int received, std::chrono::milliseconds ahead = 0ms)
    {
        const auto then = 100s + std::chrono::milliseconds{(sent + received) / 2} + ahead;
        return clock_.heard(then, at(sent), at(received));
    }

    node_clock clock_;
};

TEST_F(quorum_node_clock, is_not_known_before_the_first_answer)
{
    EXPECT_FALSE(clock_.at(at(0)));
}

TEST_F(quorum_node_clock, goes_on_between_answers)
{
    hear(0, 2);
    EXPECT_GE(clock_.at(at(1000)).value(), 100s + 1000ms);
    EXPECT_LE(clock_.at(at(1000)).value(), 100s + 1002ms);
}

TEST_F(quorum_node_clock, that_drifts_or_answers_late_was_not_stepped)
{
    hear(0, 2);
    EXPECT_TRUE(hear(1000, 1002, 9ms));
    EXPECT_TRUE(hear(2000, 4000, 30ms));
    EXPECT_TRUE(hear(4001, 4002, -20ms));
}

TEST_F(quorum_node_clock, that_jumps_forward_or_back_was_stepped)
{
    hear(0, 2);
    EXPECT_FALSE(hear(1000, 1002, 100ms));
    EXPECT_TRUE(hear(1010, 1012, 100ms)) << "the new line counts";
    EXPECT_FALSE(hear(1020, 1022, -50ms));
}

using quorum_of_nodes = quorum_test;

TEST_F(quorum_of_nodes, the_proposal_follows_the_greatest_clock)
{
    const auto before = all_.proposal(at(100));
    all_.connected(1, "run");
    all_.connected(1, "another run");  // its clock is not compared with the old one
    all_.answered(1, clock_at(100) + 5s, at(100), at(100));
    EXPECT_TRUE(all_.take_warnings().empty());
    EXPECT_EQ(all_.proposal(at(100)), before + 5'000'000U);
}

TEST_F(quorum_of_nodes, a_constant_difference_of_clocks_is_no_trouble)
{
    all_.connected(0, "a");
    all_.connected(0, "b");
    all_.answered(0, clock_at(0) - 5s, at(0), at(1));
    all_.answered(0, clock_at(1000) - 5s, at(1000), at(1001));
    EXPECT_TRUE(all_.may_elect(0, at(1001)));
}

TEST_F(quorum_of_nodes, the_proposal_is_greater_than_any_number_that_was_seen)
{
    all_.seen(9'000'000'000);
    EXPECT_EQ(all_.proposal(at(0)), 9'000'000'001U);
}

TEST_F(quorum_of_nodes, before_a_clock_was_heard_there_is_no_proposal_and_the_ticket_is_the_last)
{
    const nodes silent{names_of_nodes(3), 0.01, 2s};
    EXPECT_EQ(silent.proposal(at(0)), 0U);
    EXPECT_GT(silent.new_ticket(at(0)), all_.new_ticket(at(1'000'000)));
}

TEST_F(quorum_of_nodes, after_a_step_a_node_may_vote_again_when_the_quarantine_is_over)
{
    all_.answered(2, clock_at(500), at(1), at(2));
    EXPECT_FALSE(all_.may_elect(2, at(2)));
    EXPECT_TRUE(all_.may_elect(2, at(2002)));
}

TEST_F(quorum_of_nodes, a_server_that_gets_another_address_is_not_a_duplicate_any_more)
{
    all_.connected(0, "x");
    all_.connected(1, "x");
    EXPECT_FALSE(all_.is_counted(1));
    all_.connected(1, "y");
    EXPECT_TRUE(all_.is_counted(1));
}

TEST_F(quorum_of_nodes, the_limit_for_slow_nodes_is_50_ms_of_10_s)
{
    EXPECT_EQ(all_.limit(1s), 50ms);
    EXPECT_EQ(all_.limit(10s), 50ms);
    EXPECT_EQ(all_.limit(30s), 150ms);
}

TEST_F(quorum_of_nodes, the_limit_grows_with_the_round_trip_of_the_majority)
{
    nodes far{names_of_nodes(3), 0.01, 2s};
    far.answered(0, clock_at(0), at(0), at(40));
    far.answered(1, clock_at(0), at(0), at(60));
    far.answered(2, clock_at(0), at(0), at(900));
    EXPECT_EQ(far.round_trip(), 60ms);
    EXPECT_EQ(far.limit(10s), 240ms);
}

TEST_F(quorum_of_nodes, the_quarantine_is_longer_than_any_lease)
{
    EXPECT_EQ(quarantine(60s, 0.01), 61'600ms);
}

}  // namespace
}  // namespace pawl::core::quorum
