// What a caller is told about the nodes of a quorum that did not vote for it.
#include "core/quorum/too_few.h"
#include "unit/quorum_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pawl::core::quorum {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Nodes that have not answered yet.
class nodes_without_votes : public testing::Test {
protected:
    // A round trip of 0.3 ms, at at(0).
    void answer(unsigned node, node_time ahead)
    {
        const auto sent = at(0) - 300us;
        all_.answered(node, wall + ahead - 150us, sent, at(0));
        all_.compare_clock(node, wall + ahead - 150us, sent, at(0), wall);
    }
    [[nodiscard]] std::string said_of_first(const node_problem& problem) const
    {
        return problems_of(all_, {problem, {}, {}});
    }

    static constexpr node_time wall = 1'000s;
    nodes all_{names_of_nodes(3), 0.01, 2s};
};

TEST_F(nodes_without_votes, are_named_with_their_latency_and_clock_difference)
{
    answer(0, 5s);
    EXPECT_EQ(said_of_first({.quarantine = 8'500ms}),
              "redis://a: in quarantine for 9 s: it is new or was restarted (0.3 ms, +5.0 s)");
    EXPECT_EQ(said_of_first({.what = not_sent}), "redis://a: connection refused (0.3 ms, +5.0 s)");
    EXPECT_EQ(said_of_first({.silent = true}), "redis://a: no answer yet (0.3 ms, +5.0 s)");
    EXPECT_EQ(said_of_first({.no_vote = why_no_vote(hold_status::taken)}),
              "redis://a: another holder has its vote (0.3 ms, +5.0 s)");
}

TEST_F(nodes_without_votes, have_clock_differences_in_milliseconds_or_seconds)
{
    const node_problem silent{.silent = true};
    answer(0, -12'340us);
    EXPECT_THAT(said_of_first(silent), HasSubstr("(0.3 ms, -12.3 ms)"));
    answer(0, -999'999us);
    EXPECT_THAT(said_of_first(silent), HasSubstr("(0.3 ms, -1000.0 ms)"));
    answer(0, 3'600s);
    EXPECT_THAT(said_of_first(silent), HasSubstr("(0.3 ms, +3600.0 s)"));
    answer(0, 0s);
    EXPECT_THAT(said_of_first(silent), HasSubstr("(0.3 ms, +0.0 ms)"));
}

TEST_F(nodes_without_votes, have_no_figures_that_are_not_known)
{
    EXPECT_EQ(said_of_first({.silent = true}), "redis://a: no answer yet");
    all_.answered_without_time(0, at(0), at(2));
    EXPECT_EQ(said_of_first({.silent = true}), "redis://a: no answer yet (2.0 ms)");
}

TEST_F(nodes_without_votes, have_no_clock_difference_from_before_a_restart)
{
    all_.connected(0, "run");
    answer(0, 5s);
    all_.connected(0, "another run");
    EXPECT_EQ(said_of_first({.silent = true}), "redis://a: no answer yet (0.3 ms)");
}

TEST_F(nodes_without_votes, are_named_with_the_reason_why_an_earlier_try_is_being_given_back)
{
    answer(0, 0s);
    EXPECT_EQ(
        said_of_first({.returning = true}),
        "redis://a: no answer to an earlier try, which is being given back (0.3 ms, +0.0 ms)");
    all_.failed(0, not_sent);
    EXPECT_EQ(said_of_first({.returning = true}),
              "redis://a: connection refused, and an earlier try is being given back "
              "(0.3 ms, +0.0 ms)");
}

TEST_F(nodes_without_votes, are_named_if_they_voted_for_another_and_a_majority_is_missing)
{
    answer(1, 0s);
    const auto got = too_few(
        all_,
        {{.what = not_sent}, {.no_vote = why_no_vote(hold_status::taken)}, {.quarantine = 8s}});
    EXPECT_EQ(got.detail,
              "1 of 3 nodes can vote, 2 are needed; redis://a: connection refused; "
              "redis://b: another holder has its vote (0.3 ms, +0.0 ms); "
              "redis://c: in quarantine for 8 s: it is new or was restarted");
}

// ── A lock that others hold, while nodes are missing ────────────────────────────────────────────

using missing_nodes = quorum_test;

TEST_F(missing_nodes, are_not_named_if_all_nodes_have_voted_for_others)
{
    begin(0);
    for (const auto node : {0U, 1U, 2U}) busy_at(node, 1);
    EXPECT_EQ(others().missing, "");
}

TEST_F(missing_nodes, are_named_to_a_try_that_finds_another_holder)
{
    begin(0);
    busy_at(0, 1);
    fail(2, not_sent, 1);
    busy_at(1, 1);
    EXPECT_EQ(others().shortage, "");
    EXPECT_THAT(others().missing, AllOf(HasSubstr("redis://a: another holder has its vote"),
                                        HasSubstr("redis://b: another holder has its vote"),
                                        HasSubstr("redis://c: connection refused")));
}

TEST_F(missing_nodes, that_voted_for_the_caller_are_not_named)
{
    begin(0);
    vote(0, 70, 1);
    busy_at(1, 1);
    fail(2, not_sent, 1);
    EXPECT_THAT(others().missing,
                AllOf(Not(HasSubstr("redis://a")), HasSubstr("redis://b: another holder"),
                      HasSubstr("redis://c: connection refused")));
}

TEST_F(missing_nodes, that_are_slow_are_named_to_a_try)
{
    begin(0);
    busy_at(0, 1);
    busy_at(1, 1);
    ASSERT_FALSE(answer_);
    time_passes(50);
    EXPECT_THAT(others().missing, HasSubstr("redis://c: no answer yet"));
}

TEST_F(missing_nodes, whose_answers_may_come_any_moment_are_not_named_to_a_waiter)
{
    begin_to_wait(0);
    busy_at(0, 1);
    busy_at(1, 1);
    EXPECT_TRUE(others().queued);
    EXPECT_EQ(others().missing, "");
}

TEST_F(missing_nodes, that_did_not_answer_before_either_are_named_to_a_waiter)
{
    all_.failed(2, lost_reply);
    begin_to_wait(0);
    busy_at(0, 1);
    busy_at(1, 1);
    EXPECT_TRUE(others().queued);
    EXPECT_THAT(others().missing, HasSubstr("redis://c: no answer (0.0 ms)"));
}

TEST_F(missing_nodes, in_quarantine_are_named_to_a_waiter)
{
    begin_to_wait(0);
    busy_at(0, 1, waits::reason::quarantine);
    for (const auto node : {1U, 2U}) busy_at(node, 1);
    EXPECT_EQ(others().shortage, "");
    EXPECT_THAT(others().missing, HasSubstr("redis://a: in quarantine for 1 s"));
}

TEST_F(missing_nodes, say_that_a_key_is_not_a_lock)
{
    begin(0);
    busy_at(0, 1, waits::reason::no_lock);
    fail(2, not_sent, 1);
    busy_at(1, 1, waits::reason::foreign);
    EXPECT_THAT(others().missing, AllOf(HasSubstr("redis://a: its key is not a lock"),
                                        HasSubstr("redis://b: a holder of another library has it"),
                                        HasSubstr("redis://c: connection refused")));
}

}  // namespace
}  // namespace pawl::core::quorum
