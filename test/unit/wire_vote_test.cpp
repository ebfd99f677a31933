// The requests of the Redis store to a node of a quorum.
#include "store/redis/vote_verbs.h"
#include "unit/wire_fixture.h"

#include <string>
#include <variant>
#include <vector>

namespace pawl::store {
namespace {

using core::handed_back;
using core::waits;

class wire_vote : public testing::Test {
protected:
    template <class Request>
    [[nodiscard]] word_list written_to_node(const Request& what) const
    {
        std::string out;
        append(out, what, {script_form::by_sha, node_}, {clock_, 61s});
        return words_of(out);
    }
    [[nodiscard]] static std::string sha(const redis::script& which)
    {
        return std::string{which.sha};
    }

    template <class Request>
    [[nodiscard]] static auto answer_of_node(const Request& what, const std::string& text)
    {
        redis::reply_parser parser;
        EXPECT_EQ(parser.parse(text), redis::parse_status::complete);
        const auto reply = parser.reply(text);
        return read(what, reply, read_node_answer(reply));
    }

    [[nodiscard]] core::vote_request asking() const
    {
        return {.mine = mine_,
                .lease = 30s,
                .order = {.when = core::node_time{1'700'000'000'000'123}},
                .client = "c0c0c0c0c0c0c0c0"};
    }
    [[nodiscard]] core::vote_reply reply_to_vote(const std::string& text) const
    {
        return answer_of_node(asking(), bulk(text));
    }

    core::object object_{.name = "a", .kind = core::object_kind::counted, .layout = layout::hash};
    core::object other_{.name = "b"};
    core::claim mine_{&object_, "me"};
    redis::server_facts node_{.major_version = 7, .run_id = "0a1b"};
    server_clock clock_{0};
};

TEST_F(wire_vote, a_first_vote_does_not_know_the_nodes_clock)
{
    EXPECT_EQ(
        written_to_node(asking()),
        (word_list{"EVALSHA", sha(redis::scripts::vote), "5", "a", "pawl:fence:{a}",
                   "pawl:tickets:{a}", "pawl:places:{a}", "pawl:node", "me", "0", "0",
                   "c0c0c0c0c0c0c0c0000030000", "0", "1700000000000123", "0", "0a1b", "61000"}));
}

TEST_F(wire_vote, a_vote_says_until_when_it_is_wanted_and_how_long_it_waits)
{
    clock_.heard(1'700'000'000'000ms, base::boot_time{100s});
    auto asked = asking();
    asked.until = base::boot_time{101s};
    asked.wait = 9s;
    asked.renumber = true;
    asked.reserve = 12;
    asked.proposal = 1'700'000'000'005'000;
    EXPECT_EQ(from(written_to_node(asked), 8),
              (word_list{"me", "1700000001001000", "3", "c0c0c0c0c0c0c0c0001230000", "9000",
                         "1700000000000123", "1700000000005000", "0a1b", "61000"}));
}

TEST_F(wire_vote, a_raise_names_the_number_and_the_run)
{
    EXPECT_EQ(
        written_to_node(core::raise_request{.mine = mine_, .number = 7, .reserve = 3, .lease = 5s}),
        (word_list{"EVALSHA", sha(redis::scripts::raise), "5", "a", "pawl:fence:{a}",
                   "pawl:tickets:{a}", "pawl:places:{a}", "pawl:node", "me", "7", "3", "5000",
                   "0a1b", "61000"}));
}

TEST_F(wire_vote, a_hand_back_names_the_number_and_has_all_that_a_place_needs)
{
    const core::hand_back_request asked{.mine = mine_,
                                        .number = 7,
                                        .proposal = 8,
                                        .order = {.when = core::node_time{9}},
                                        .wait = 5s,
                                        .lease = 30s,
                                        .client = "c0c0c0c0c0c0c0c0",
                                        .reserve = 2};
    EXPECT_EQ(written_to_node(asked),
              (word_list{"EVALSHA", sha(redis::scripts::hand_back), "5", "a", "pawl:fence:{a}",
                         "pawl:tickets:{a}", "pawl:places:{a}", "pawl:node", "me", "7",
                         "c0c0c0c0c0c0c0c0000230000", "5000", "9", "8", "0a1b", "61000"}));
}

TEST_F(wire_vote, a_return_has_the_last_fence_and_the_next_number)
{
    core::return_request asked{.mine = mine_, .used = 7, .proposal = 8};
    EXPECT_EQ(written_to_node(asked),
              (word_list{"EVALSHA", sha(redis::scripts::return_vote), "5", "a", "pawl:fence:{a}",
                         "pawl:tickets:{a}", "pawl:places:{a}", "pawl:node", "me", "7", "", "", "8",
                         "0a1b", "61000"}));
    asked.has_reserve = true;
    asked.announcement = "news";
    const auto words = written_to_node(asked);
    EXPECT_EQ(words[10], "news");
    EXPECT_EQ(words[11], "1");
}

TEST_F(wire_vote, votes_are_restored_until_a_time_that_the_nodes_clock_reaches_at_the_earliest)
{
    clock_.heard(1'700'000'000'000ms, base::boot_time{100s}, base::boot_time{102s});
    const std::vector<core::restore_part> all{
        {.mine = mine_,
         .lease = 30s,
         .number = 7,
         .held_until = base::boot_time{112s},
         .vote_until = base::boot_time{107s}},
        {.mine = {&other_, "you"}, .lease = 40s, .number = 8}};
    EXPECT_EQ(written_to_node(std::span{all}), (word_list{"EVALSHA",
                                                          sha(redis::scripts::restore),
                                                          "5",
                                                          "pawl:node",
                                                          "a",
                                                          "pawl:fence:{a}",
                                                          "b",
                                                          "pawl:fence:{b}",
                                                          "0a1b",
                                                          "61000",
                                                          "me",
                                                          "30000",
                                                          "7",
                                                          "1700000010000000",
                                                          "1700000005000000",
                                                          "you",
                                                          "40000",
                                                          "8",
                                                          "0",
                                                          "0"}));
}

TEST_F(wire_vote, a_lost_vote_is_not_restored_if_the_nodes_clock_is_not_known)
{
    clock_.heard(1'700'000'000'000ms, base::boot_time{100s});  // not known when it was answered
    const std::vector<core::restore_part> all{
        {.mine = mine_, .lease = 30s, .number = 7, .held_until = base::boot_time{112s}}};
    EXPECT_EQ(written_to_node(std::span{all}).back(), "0");
}

TEST_F(wire_vote, replies_to_a_vote)
{
    const auto first = std::get<core::voted>(reply_to_vote("1 17 1700000000000001"));
    EXPECT_EQ(first.number, 17U);
    EXPECT_FALSE(first.found);
    EXPECT_EQ(first.now, core::node_time{1'700'000'000'000'001});
    EXPECT_TRUE(std::get<core::voted>(reply_to_vote("2 17 1700000000000001")).found);
    for (const auto& [text, why] : {std::pair{"0 500 1700000000000001", waits::reason::held},
                                    {"-2 500 1700000000000001", waits::reason::foreign},
                                    {"-3 500 1700000000000001", waits::reason::no_lock},
                                    {"-4 500 1700000000000001", waits::reason::quarantine}}) {
        const auto got = std::get<waits>(reply_to_vote(text));
        EXPECT_EQ(got.why, why);
        EXPECT_EQ(got.left, 500ms);
        EXPECT_FALSE(got.placed);
    }
    auto joining = asking();
    joining.wait = 1s;
    EXPECT_TRUE(std::get<waits>(answer_of_node(joining, bulk("0 500 1700000000000001"))).placed);
    EXPECT_EQ(failure_of_reply(reply_to_vote("-1 0 1700000000000001")), failure_kind::unavailable);
}

TEST_F(wire_vote, a_reply_without_sense_may_have_been_a_vote)
{
    for (const auto* const text :
         {"1 17", "1 0 1700000000000001", "9 1 1700000000000001", "1 17 0"}) {
        const auto got = std::get<failure>(reply_to_vote(text));
        EXPECT_EQ(got.what, failure_kind::refused) << text;
        EXPECT_TRUE(got.maybe_executed) << text;
    }
}

TEST_F(wire_vote, replies_to_a_raise)
{
    const core::raise_request asked{.mine = mine_};
    EXPECT_FALSE(
        std::get<core::raised>(answer_of_node(asked, bulk("1 0 1700000000000001"))).others_wait);
    EXPECT_TRUE(
        std::get<core::raised>(answer_of_node(asked, bulk("1 1 1700000000000001"))).others_wait);
    EXPECT_EQ(std::get<hold_status>(answer_of_node(asked, bulk("0 0 1700000000000001"))),
              hold_status::vanished);
    EXPECT_EQ(std::get<hold_status>(answer_of_node(asked, bulk("-1 0 1700000000000001"))),
              hold_status::taken);
    EXPECT_EQ(failure_of_reply(answer_of_node(asked, bulk("-4 0 1700000000000001"))),
              core::failure_kind::unavailable);
    EXPECT_EQ(std::get<hold_status>(answer_of_node(asked, "-WRONGTYPE x\r\n")),
              hold_status::not_a_lock);
}

TEST_F(wire_vote, replies_to_a_hand_back)
{
    const core::hand_back_request asked{.mine = mine_};
    const auto outcome = [&](const std::string& text) {
        return std::get<handed_back>(answer_of_node(asked, bulk(text))).what;
    };
    EXPECT_EQ(outcome("1 0 1700000000000001"), handed_back::outcome::given);
    EXPECT_EQ(outcome("2 0 1700000000000001"), handed_back::outcome::kept);
    EXPECT_EQ(outcome("0 0 1700000000000001"), handed_back::outcome::other);
}

TEST_F(wire_vote, replies_to_a_restore)
{
    const std::vector<core::restore_part> all(5);
    const auto got = read_text(
        std::span{all}, "*6\r\n" + bulk("1700000000000001") + ":1\r\n:2\r\n:0\r\n:-1\r\n:-2\r\n");
    ASSERT_EQ(got.all.size(), 5U);
    EXPECT_EQ(got.now, core::node_time{1'700'000'000'000'001});
    const auto status = [&](std::size_t i) { return std::get<core::restored>(got.all[i]).what; };
    EXPECT_EQ(status(0), hold_status::done);
    EXPECT_EQ(status(1), hold_status::done);
    EXPECT_FALSE(std::get<core::restored>(got.all[0]).again);
    EXPECT_TRUE(std::get<core::restored>(got.all[1]).again);
    EXPECT_EQ(status(2), hold_status::vanished);
    EXPECT_EQ(status(3), hold_status::taken);
    EXPECT_EQ(status(4), hold_status::not_a_lock);

    const auto refused = read_text(std::span{all}, "-OOM x\r\n");
    ASSERT_EQ(refused.all.size(), 5U);
    EXPECT_TRUE(std::holds_alternative<failure>(refused.all[4]));
}

}  // namespace
}  // namespace pawl::store
