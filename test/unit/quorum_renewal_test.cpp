// Renewals of the locks of a quorum, and questions about a hold.
#include "core/quorum/raising.h"
#include "core/quorum/renewal.h"
#include "unit/quorum_fixture.h"

#include <gtest/gtest.h>

namespace pawl::core::quorum {
namespace {

using answers = renewal_machine::answers;
using status_or_failure = std::variant<failure, hold_status>;

class quorum_renewal : public testing::Test {
protected:
    void start(answers when = answers::with_all)
    {
        std::vector<renewal_machine::lock> locks(
            2, {.what = {.mine = mine_, .lease = 1s, .number = 80, .held_until = at(600)},
                .vote_until = {at(500), at(0), {}}});
        machine_.emplace(all_, std::move(locks), when, at(250), at(0));
        sent_ = machine_->take_effects().sends;
    }
    // What the node says about the two locks.
    void answer(unsigned node, const status_or_failure& first, const status_or_failure& second,
                int now)
    {
        restore_reply got;
        for (const auto& each : {first, second}) {
            if (const auto* const status = std::get_if<hold_status>(&each)) {
                got.all.emplace_back(restored{.what = *status});
            } else {
                got.all.emplace_back(std::get<failure>(each));
            }
        }
        machine_->on_restore(node, got, at(now));
        proceed();
    }
    void answer(unsigned node, const status_or_failure& both, int now)
    {
        answer(node, both, both, now);
    }
    void time_passes(int now)
    {
        machine_->on_time(at(now));
        proceed();
    }
    void proceed()
    {
        auto next = machine_->take_effects();
        if (next.answer) answer_ = std::move(next.answer);
    }
    [[nodiscard]] hold_status status(std::size_t lock) const
    {
        return std::get<hold_status>(answer_.value().at(lock));
    }
    // Of a lock that only a bare majority has: what is wrong at the other nodes.
    [[nodiscard]] std::string missing(std::size_t lock) const
    {
        return std::get<bare_majority>(answer_.value().at(lock)).missing;
    }

    object object_{.name = "a"};
    core::claim mine_{&object_, "me"};
    nodes all_{names_of_nodes(3), 0.01, 2s};
    std::optional<renewal_machine> machine_;
    std::vector<outgoing> sent_;
    std::optional<std::vector<hold_reply>> answer_;
};

TEST_F(quorum_renewal, is_one_request_to_each_node_for_all_locks)
{
    start();
    ASSERT_EQ(sent_.size(), 3U);
    const auto& asked = std::get<restore_request>(sent_[1].what);
    EXPECT_EQ(asked.all.size(), 2U);
    EXPECT_EQ(asked.all[0].number, 80U);
}

// Otherwise a delayed restore would take the vote again after the release, for a lease.
TEST_F(quorum_renewal, restores_votes_only_while_its_caller_waits)
{
    start();
    const auto& asked = std::get<restore_request>(sent_[1].what);
    EXPECT_EQ(asked.all[0].held_until, at(250)) << "the deadline of the hold is at 600 ms";
}

// Otherwise the holder would count on a vote that ends before its hold.
TEST_F(quorum_renewal, by_less_than_the_rest_of_the_hold_restores_votes_until_its_deadline)
{
    constexpr auto lease = 100ms;
    std::vector<renewal_machine::lock> locks(
        2, {.what = {.mine = mine_, .lease = lease, .number = 80}, .vote_until = {{}, {}, {}}});
    locks[0].what.held_until = at(600);
    machine_.emplace(all_, std::move(locks), answers::with_majority, at(50), at(0));
    const auto asked = std::get<restore_request>(machine_->take_effects().sends[1].what);
    EXPECT_GE(local_deadline(at(0), asked.all[0].lease, all_.drift()), at(600))
        << "its caller waits only until 50 ms, but the vote lasts";
    EXPECT_EQ(machine_->locks()[0].what.lease, asked.all[0].lease);
    EXPECT_EQ(asked.all[1].lease, lease) << "this one is not valid any more";
}

// The renewal counts the vote. If the hand-back came later, with the same number, it would give the vote away.
TEST_F(quorum_renewal, a_vote_whose_hand_back_may_come_later_gets_another_number)
{
    std::vector<renewal_machine::lock> locks(
        1, {.what = {.mine = mine_, .lease = 1s, .number = 80}, .vote_until = {{}, {}, {}}});
    locks[0].numbers_at_risk = {0, 75, 95};
    machine_.emplace(all_, std::move(locks), answers::with_all, at(250), at(0));
    sent_ = machine_->take_effects().sends;
    EXPECT_EQ(std::get<restore_request>(sent_[0].what).all[0].number, 80U);
    EXPECT_EQ(std::get<restore_request>(sent_[1].what).all[0].number, 81U);
    EXPECT_EQ(std::get<restore_request>(sent_[2].what).all[0].number, 96U)
        << "the node has the number 95, and would not change it to 81";
}

// The return would take the vote away, and the node would vote for another holder while this one counts on it.
TEST_F(quorum_renewal, a_node_where_an_earlier_return_may_yet_be_executed_does_not_count)
{
    std::vector<renewal_machine::lock> locks(
        2, {.what = {.mine = mine_, .lease = 1s, .number = 80, .held_until = at(600)},
            .vote_until = {at(500), at(500), {}},
            .avoided = {false, false, true}});
    machine_.emplace(all_, std::move(locks), answers::with_all, at(250), at(0));
    sent_ = machine_->take_effects().sends;
    EXPECT_NE(std::get<restore_request>(sent_[1].what).all[0].held_until, std::nullopt);
    EXPECT_EQ(std::get<restore_request>(sent_[2].what).all[0].held_until, std::nullopt);
    answer(0, hold_status::done, hold_status::done, 1);
    answer(1, hold_status::done, not_sent, 1);
    answer(2, hold_status::done, hold_status::done, 1);
    EXPECT_EQ(missing(0), "redis://c: no answer to an earlier try, which is being given back")
        << "two of three nodes count";
    const auto& second = std::get<failure>(answer_.value().at(1));
    EXPECT_EQ(second.what, failure_kind::no_quorum);
    EXPECT_NE(second.detail.find("an earlier try, which is being given back"), std::string::npos)
        << second.detail;
}

TEST_F(quorum_renewal, tells_each_node_until_when_its_own_vote_lasts)
{
    start();
    const auto told = [&](unsigned node) {
        return std::get<restore_request>(sent_[node].what).all[0].vote_until;
    };
    EXPECT_EQ(told(0), at(500));
    EXPECT_EQ(told(1), std::nullopt) << "it is over";
    EXPECT_EQ(told(2), std::nullopt) << "there is none";
}

TEST_F(quorum_renewal, is_done_when_all_nodes_have_the_lock)
{
    start();
    answer(0, hold_status::done, 1);
    answer(1, hold_status::done, 1);
    EXPECT_FALSE(answer_) << "whether it is a bare majority is not known yet";
    answer(2, hold_status::done, 2);
    EXPECT_EQ(status(0), hold_status::done);
}

TEST_F(quorum_renewal, with_a_bare_majority_names_the_node_that_is_missing)
{
    start();
    answer(0, hold_status::done, 1);
    answer(1, hold_status::done, 1);
    answer(2, not_sent, 2);
    EXPECT_EQ(missing(0), "redis://c: connection refused");
    EXPECT_EQ(missing(1), "redis://c: connection refused");
}

TEST_F(quorum_renewal, with_a_bare_majority_names_the_node_that_has_voted_for_another_one)
{
    start();
    answer(0, hold_status::done, 1);
    answer(1, hold_status::done, 1);
    answer(2, hold_status::taken, 2);
    EXPECT_EQ(missing(0), "redis://c: another holder has its vote");
}

TEST_F(quorum_renewal,
       with_a_bare_majority_names_the_node_where_the_key_has_a_value_of_another_type)
{
    start();
    answer(0, hold_status::done, 1);
    answer(1, hold_status::done, 1);
    answer(2, hold_status::not_a_lock, 2);
    EXPECT_EQ(missing(0), "redis://c: its key is not a lock");
}

TEST_F(quorum_renewal, does_not_wait_for_a_slow_node_beyond_its_limit)
{
    start();
    answer(0, hold_status::done, 1);
    answer(1, hold_status::done, 1);
    EXPECT_EQ(machine_->wake(), at(50));
    time_passes(50);
    EXPECT_EQ(missing(0), "redis://c: no answer yet");
}

TEST_F(quorum_renewal, waits_for_slow_nodes_if_the_others_are_no_majority)
{
    start();
    answer(0, hold_status::done, 1);
    time_passes(50);
    EXPECT_FALSE(answer_);
    EXPECT_EQ(machine_->wake(), at(250));
    time_passes(250);
    EXPECT_EQ(std::get<failure>(answer_->front()).what, failure_kind::no_quorum);
}

TEST_F(quorum_renewal, judges_each_lock_for_itself)
{
    start();
    answer(0, hold_status::done, hold_status::taken, 1);
    answer(1, hold_status::done, hold_status::taken, 1);
    answer(2, hold_status::done, hold_status::done, 1);
    EXPECT_EQ(status(0), hold_status::done);
    EXPECT_EQ(status(1), hold_status::taken);
}

TEST_F(quorum_renewal, a_lock_is_lost_only_if_no_majority_can_have_it)
{
    start();
    answer(0, hold_status::done, 1);
    answer(1, hold_status::vanished, 1);
    answer(2, lost_reply, 1);
    EXPECT_EQ(std::get<failure>(answer_->front()).what, failure_kind::no_quorum);
}

TEST_F(quorum_renewal, of_one_lock_by_its_user_is_answered_with_the_majority)
{
    start(answers::with_majority);
    answer(0, hold_status::done, 1);
    EXPECT_FALSE(answer_);
    answer(1, hold_status::done, 1);
    EXPECT_EQ(status(0), hold_status::done);
}

TEST_F(quorum_renewal, counts_a_server_with_two_addresses_once)
{
    all_.connected(0, "x");
    all_.connected(1, "x");
    start();
    answer(0, hold_status::done, 1);
    answer(1, hold_status::done, 1);
    answer(2, not_sent, 1);
    EXPECT_EQ(std::get<failure>(answer_->front()).what, failure_kind::no_quorum);
}

class quorum_question : public testing::Test {
protected:
    void answer(unsigned node, const raise_reply& got, int now)
    {
        machine_.on_raise(node, got, at(now));
        auto next = machine_.take_effects();
        if (next.answer) answer_ = std::move(next.answer);
    }

    object object_{.name = "a"};
    nodes all_{names_of_nodes(3), 0.01, 2s};
    raise_machine machine_{all_,
                           {.mine = {&object_, "me"}, .sent = at(0), .number = 80, .reserve = 10},
                           std::vector<bool>(3),
                           at(300)};
    std::optional<raise_reply> answer_;
};

TEST_F(quorum_question, goes_to_all_nodes_and_is_answered_by_the_majority)
{
    EXPECT_EQ(machine_.take_effects().sends.size(), 3U);
    answer(0, raised{}, 1);
    EXPECT_FALSE(answer_);
    answer(1, raised{.others_wait = true}, 1);
    EXPECT_TRUE(std::get<raised>(answer_.value()).others_wait);
}

TEST_F(quorum_question, a_majority_without_the_lock_says_that_it_is_lost)
{
    answer(0, hold_status::taken, 1);
    answer(1, hold_status::vanished, 1);
    EXPECT_EQ(std::get<hold_status>(answer_.value()), hold_status::taken);
}

TEST_F(quorum_question, does_not_ask_a_node_where_an_earlier_return_may_yet_be_executed)
{
    raise_machine asking{
        all_, {.mine = {&object_, "me"}, .sent = at(0)}, {false, true, false}, at(300)};
    const auto sends = asking.take_effects().sends;
    ASSERT_EQ(sends.size(), 2U);
    EXPECT_EQ(sends[1].node, 2U);
    asking.on_raise(0, raised{}, at(1));
    asking.on_raise(2, not_sent, at(1));
    const auto answer = asking.take_effects().answer;
    EXPECT_EQ(std::get<failure>(answer.value()).what, failure_kind::no_quorum);
}

TEST_F(quorum_question, without_a_node_to_ask_has_no_quorum_at_once)
{
    raise_machine asking{
        all_, {.mine = {&object_, "me"}, .sent = at(0)}, std::vector<bool>(3, true), at(300)};
    const auto answer = asking.take_effects().answer;
    ASSERT_TRUE(answer);
    EXPECT_EQ(std::get<failure>(*answer).what, failure_kind::no_quorum);
}

TEST_F(quorum_question, too_few_answers_are_no_quorum)
{
    answer(0, raised{}, 1);
    answer(1, not_sent, 1);
    EXPECT_FALSE(answer_);
    answer(2, not_sent, 1);
    EXPECT_EQ(std::get<failure>(answer_.value()).what, failure_kind::no_quorum);
}

}  // namespace
}  // namespace pawl::core::quorum
