// A lock of a quorum is released at all nodes.
#include "core/acquire.h"
#include "core/quorum/returning.h"
#include "unit/quorum_fixture.h"

#include <gtest/gtest.h>

namespace pawl::core::quorum {
namespace {

class quorum_return : public testing::Test {
protected:
    // `parts` of three nodes that all may have something, with this fence.
    [[nodiscard]] static return_machine::plan everywhere()
    {
        return_machine::plan what;
        what.parts.resize(3, {.there = true, .used = 70, .has_reserve = true});
        what.lease = 1s;
        return what;
    }

    void start(return_machine::plan what)
    {
        machine_.emplace(all_, mine_, std::move(what), at(0));
        machine_->ask(at(300), at(0));
        proceed();
    }
    void answer(unsigned node, const hold_reply& got, int now)
    {
        machine_->on_return(node, last(node), got, at(now));
        proceed();
    }
    void time_passes(int now)
    {
        machine_->on_time(at(now));
        proceed();
    }
    void proceed()
    {
        auto next = machine_->take_effects();
        for (auto& each : next.sends) sent_.push_back(each);
        if (next.answer) answer_ = std::move(next.answer);
    }
    [[nodiscard]] return_request last(unsigned node) const
    {
        for (auto each = sent_.rbegin(); each != sent_.rend(); ++each) {
            if (each->node == node) return std::get<return_request>(each->what);
        }
        ADD_FAILURE() << "nothing was sent to node " << node;
        return {};
    }
    [[nodiscard]] unsigned count(unsigned node) const
    {
        unsigned found = 0;
        for (const auto& each : sent_) found += each.node == node ? 1U : 0U;
        return found;
    }
    [[nodiscard]] hold_status status() const { return std::get<hold_status>(answer_.value()); }

    object object_{.name = "a"};
    core::claim mine_{&object_, "me"};
    nodes all_{names_of_nodes(3), 0.01, 2s};
    std::optional<return_machine> machine_;
    std::vector<outgoing> sent_;
    std::optional<hold_reply> answer_;
};

TEST_F(quorum_return, goes_to_all_nodes_and_is_answered_with_the_majority)
{
    start(everywhere());
    EXPECT_EQ(sent_.size(), 3U);
    EXPECT_EQ(last(2).used, 70U);
    answer(0, hold_status::done, 1);
    EXPECT_FALSE(answer_);
    answer(2, hold_status::done, 1);
    EXPECT_EQ(status(), hold_status::done);
    EXPECT_FALSE(machine_->is_over(at(1)));
    EXPECT_FALSE(machine_->is_under_way()) << "no request has ever reached the node";
    all_.connected(1, "run");
    EXPECT_TRUE(machine_->is_under_way());
    answer(1, hold_status::done, 200);
    EXPECT_TRUE(machine_->is_over(at(200)));
    EXPECT_FALSE(machine_->is_under_way());
}

TEST_F(quorum_return, is_not_under_way_where_it_failed_and_waits_to_be_repeated)
{
    all_.connected(1, "run");
    start(everywhere());
    answer(0, hold_status::done, 1);
    answer(2, hold_status::done, 1);
    EXPECT_TRUE(machine_->is_under_way());
    answer(1, not_sent, 2);
    EXPECT_FALSE(machine_->is_under_way());
    EXPECT_FALSE(machine_->is_over(at(2)));
    time_passes(502);
    EXPECT_TRUE(machine_->is_under_way());
}

TEST_F(quorum_return, does_not_ask_nodes_that_have_nothing)
{
    auto what = everywhere();
    what.parts[1] = {};
    start(what);
    EXPECT_EQ(count(1), 0U);
    answer(0, hold_status::done, 1);
    EXPECT_EQ(status(), hold_status::done);
}

TEST_F(quorum_return, waits_for_a_node_that_had_the_vote_if_others_never_had_it)
{
    start(everywhere());
    answer(0, hold_status::vanished, 1);
    answer(1, hold_status::vanished, 1);
    EXPECT_FALSE(answer_);
    answer(2, hold_status::done, 2);
    EXPECT_EQ(status(), hold_status::done);
}

TEST_F(quorum_return, says_that_the_lock_was_lost_if_no_node_had_it)
{
    start(everywhere());
    answer(0, hold_status::vanished, 1);
    answer(1, hold_status::taken, 1);
    time_passes(50);
    EXPECT_EQ(status(), hold_status::taken);
}

TEST_F(quorum_return, is_repeated_in_the_background_without_numbers_until_it_is_answered)
{
    start(everywhere());
    answer(0, hold_status::done, 1);
    answer(1, hold_status::done, 1);
    answer(2, lost_reply, 100);
    EXPECT_EQ(machine_->wake(), at(600));
    time_passes(600);
    EXPECT_EQ(count(2), 2U);
    EXPECT_EQ(last(2).used, 0U) << "others may have had the lock since, with greater numbers";
    EXPECT_FALSE(last(2).has_reserve);
    answer(2, hold_status::vanished, 601);
    EXPECT_EQ(count(2), 2U);
}

TEST_F(quorum_return, ends_when_the_lease_has_ended_by_itself)
{
    start(everywhere());
    answer(0, hold_status::done, 1);
    answer(1, hold_status::done, 1);
    int now = 1;
    for (unsigned tries = 0; tries < 20 && count(2) > tries; ++tries) {
        answer(2, not_sent, now);
        now += 1000;
        time_passes(now);
    }
    EXPECT_GT(count(2), 1U);
    EXPECT_LT(count(2), 6U);
    EXPECT_TRUE(machine_->is_over(at(now)));
}

TEST_F(quorum_return, is_repeated_when_a_vote_request_that_was_on_its_way_cannot_arrive_any_more)
{
    auto what = everywhere();
    what.parts[2].late_until = at(700);
    start(what);
    for (const auto node : {0U, 1U, 2U}) answer(node, hold_status::vanished, 1);
    EXPECT_FALSE(machine_->is_over(at(1)));
    EXPECT_EQ(machine_->wake(), at(1200));
    time_passes(1200);
    EXPECT_EQ(count(2), 2U);
    answer(2, hold_status::done, 1201);
    EXPECT_TRUE(machine_->is_over(at(1201)));
}

TEST_F(quorum_return, is_not_repeated_if_the_vote_request_was_answered)
{
    auto what = everywhere();
    what.parts[2].asked = at(-5);
    what.parts[2].asked_until = at(700);
    start(what);
    machine_->on_vote(2, at(-5));
    for (const auto node : {0U, 1U, 2U}) answer(node, hold_status::done, 1);
    EXPECT_TRUE(machine_->is_over(at(1)));
}

TEST_F(quorum_return, is_repeated_if_an_earlier_vote_request_was_not_answered)
{
    auto what = everywhere();
    what.parts[2].late_until = at(400);
    what.parts[2].asked = at(-5);
    what.parts[2].asked_until = at(700);
    start(what);
    machine_->on_vote(2, at(-5));
    for (const auto node : {0U, 1U, 2U}) answer(node, hold_status::done, 1);
    EXPECT_FALSE(machine_->is_over(at(1)));
    EXPECT_EQ(machine_->wake(), at(900));
}

TEST_F(quorum_return, fails_if_too_few_nodes_answer_and_may_have_been_executed)
{
    start(everywhere());
    answer(0, hold_status::done, 1);
    answer(1, not_sent, 1);
    EXPECT_FALSE(answer_);
    time_passes(300);
    const auto why = std::get<failure>(answer_.value());
    EXPECT_EQ(why.what, failure_kind::no_quorum);
    EXPECT_TRUE(why.maybe_executed);
}

TEST_F(quorum_return, a_node_is_not_clean_while_a_return_may_yet_be_executed)
{
    start(everywhere());
    EXPECT_FALSE(machine_->is_clean(0, at(0)));
    answer(0, hold_status::done, 1);
    EXPECT_TRUE(machine_->is_clean(0, at(1)));
    answer(1, lost_reply, 1);
    time_passes(600);
    answer(1, hold_status::done, 601);
    EXPECT_FALSE(machine_->is_clean(1, at(601))) << "the first return may arrive after this one";
    EXPECT_TRUE(machine_->is_clean(1, at(1) + latest_execution));
}

TEST_F(quorum_return, the_answer_to_a_return_of_an_earlier_try_is_ignored)
{
    start(everywhere());
    auto old = last(0);
    old.sent = at(-5);
    machine_->on_return(0, old, hold_status::done, at(1));
    EXPECT_FALSE(machine_->is_clean(0, at(1)));
}

}  // namespace
}  // namespace pawl::core::quorum
