#include "store/sentinel/primary_choice.h"

#include <gtest/gtest.h>

#include <string>

namespace pawl::store {
namespace {

using namespace std::chrono_literals;
using kind = sentinel_answer::kind;

sentinel_answer naming(std::uint16_t port, std::uint64_t epoch)
{
    return {.what = kind::primary, .primary = {"h", port}, .epoch = epoch};
}

const sentinel_answer unknown{.what = kind::unknown_service};
const sentinel_answer nobody{
    .what = kind::no_answer, .detail = "connection refused", .nobody_listens = true};
const sentinel_answer silent{.what = kind::no_answer, .detail = "no answer within the limit"};
const sentinel_answer refusing{.what = kind::refused, .detail = "NOAUTH Authentication required."};

// Three sentinels.
class primary_choice_of_three : public testing::Test {
protected:
    void hear(std::size_t which, const sentinel_answer& what)
    {
        choice_.answered(which, what, now_);
    }
    void pass(base::boot_clock::duration time)
    {
        now_ += time;
        choice_.look(now_);
    }
    // The port of the believed primary; 0 if there is none.
    [[nodiscard]] unsigned port() const
    {
        return choice_.believed() ? choice_.believed()->where.port : 0U;
    }
    [[nodiscard]] unsigned number() const { return choice_.believed()->number; }
    void all_name(std::uint16_t port, std::uint64_t epoch)
    {
        for (std::size_t i = 0; i < 3; ++i) hear(i, naming(port, epoch));
    }

    base::boot_time now_{1h};
    primary_choice choice_{"job", {"a:26379", "b:26379", "c:26379"}};
};

TEST_F(primary_choice_of_three, waits_for_a_majority)
{
    hear(0, naming(1, 5));
    EXPECT_EQ(port(), 0U);
    hear(2, naming(1, 5));
    EXPECT_EQ(port(), 1U);
}

TEST_F(primary_choice_of_three, waits_no_longer_than_200_ms_for_the_others)
{
    hear(1, naming(1, 5));
    pass(199ms);
    EXPECT_EQ(port(), 0U);
    pass(1ms);
    EXPECT_EQ(port(), 1U);
}

TEST_F(primary_choice_of_three, one_sentinel_is_enough_if_the_others_cannot_be_reached)
{
    hear(0, nobody);
    hear(1, naming(1, 5));
    EXPECT_EQ(port(), 0U);
    hear(2, silent);
    EXPECT_EQ(port(), 1U);
    EXPECT_EQ(choice_.reachable(), 1U);
}

TEST_F(primary_choice_of_three, believes_the_newest_of_the_first_answers)
{
    hear(0, naming(1, 5));
    hear(1, naming(2, 6));
    EXPECT_EQ(port(), 2U);
}

TEST_F(primary_choice_of_three, of_equal_epochs_the_server_that_most_name_is_believed)
{
    primary_choice five{"job", {"a", "b", "c", "d", "e"}};
    five.answered(0, naming(1, 5), now_);
    five.answered(1, naming(2, 5), now_);
    five.answered(2, naming(2, 5), now_);
    EXPECT_EQ(five.believed()->where.port, 2U);
}

TEST_F(primary_choice_of_three, follows_the_first_sentinel_that_tells_of_a_failover)
{
    all_name(1, 5);
    EXPECT_EQ(number(), 1U);
    hear(2, naming(2, 6));
    EXPECT_EQ(port(), 2U);
    EXPECT_EQ(number(), 2U);
}

TEST_F(primary_choice_of_three, does_not_go_back_while_the_others_are_out_of_date)
{
    all_name(1, 5);
    hear(2, naming(2, 6));
    pass(1s);
    hear(0, naming(1, 5));
    hear(1, naming(1, 5));
    EXPECT_EQ(port(), 2U);
    hear(2, silent);
    pass(1s);
    EXPECT_EQ(port(), 2U) << "although the only one that knew is away";
    hear(0, naming(2, 6));
    hear(1, naming(2, 6));
    pass(20s);
    EXPECT_EQ(port(), 2U);
    EXPECT_EQ(number(), 2U);
}

TEST_F(primary_choice_of_three, ignores_a_stale_sentinel_for_ever)
{
    all_name(2, 6);
    hear(0, naming(1, 5));
    pass(1h);
    EXPECT_EQ(port(), 2U);
    EXPECT_EQ(number(), 1U);
}

TEST_F(primary_choice_of_three, ignores_another_server_with_the_same_epoch)
{
    all_name(1, 5);
    hear(0, naming(2, 5));
    pass(1h);
    EXPECT_EQ(port(), 1U);
}

TEST_F(primary_choice_of_three, a_server_that_was_the_primary_before_is_a_new_one)
{
    all_name(1, 5);
    all_name(1, 7);
    EXPECT_EQ(port(), 1U);
    EXPECT_EQ(number(), 2U) << "another one was the primary in between";
}

TEST_F(primary_choice_of_three, keeps_the_primary_when_all_sentinels_are_away)
{
    all_name(1, 5);
    for (std::size_t i = 0; i < 3; ++i) hear(i, nobody);
    pass(1h);
    EXPECT_EQ(port(), 1U);
    EXPECT_FALSE(choice_.problem());
    EXPECT_EQ(choice_.reachable(), 0U);
}

// Someone has removed the service from the sentinels and added it again: they count from 0.
TEST_F(primary_choice_of_three, a_majority_is_believed_after_10_s_whatever_its_epoch)
{
    all_name(1, 5);
    hear(0, naming(2, 0));
    hear(1, naming(2, 0));
    pass(9'999ms);
    EXPECT_EQ(port(), 1U);
    pass(1ms);
    EXPECT_EQ(port(), 2U);
}

TEST_F(primary_choice_of_three, a_majority_must_name_the_same_server_for_the_whole_time)
{
    all_name(1, 5);
    hear(0, naming(2, 0));
    hear(1, naming(2, 0));
    pass(6s);
    hear(1, naming(1, 5));
    hear(1, naming(2, 0));
    pass(6s);
    EXPECT_EQ(port(), 1U);
    hear(0, naming(3, 0));
    hear(1, naming(3, 0));
    pass(9s);
    EXPECT_EQ(port(), 1U);
}

TEST_F(primary_choice_of_three, a_sentinel_that_was_overruled_does_not_win_again)
{
    all_name(1, 5);
    hear(0, naming(2, 0));
    hear(1, naming(2, 0));
    pass(10s);
    ASSERT_EQ(port(), 2U);
    hear(2, naming(1, 5));
    EXPECT_EQ(port(), 2U);
    hear(0, naming(3, 1));
    EXPECT_EQ(port(), 3U) << "a failover of the others is followed at once";
    hear(2, naming(1, 5));
    EXPECT_EQ(port(), 3U);
}

TEST_F(primary_choice_of_three, an_unknown_service_is_refused_when_all_have_answered)
{
    hear(0, unknown);
    hear(1, unknown);
    EXPECT_FALSE(choice_.problem()) << "the third may know it";
    hear(2, unknown);
    ASSERT_TRUE(choice_.problem());
    EXPECT_EQ(choice_.problem()->what, core::failure_kind::refused);
    EXPECT_EQ(choice_.problem()->detail, "the sentinels know no service 'job'");
}

TEST_F(primary_choice_of_three, an_unknown_service_is_refused_by_those_that_can_be_reached)
{
    hear(0, nobody);
    hear(1, unknown);
    hear(2, silent);
    ASSERT_TRUE(choice_.problem());
    EXPECT_EQ(choice_.problem()->what, core::failure_kind::refused);
    EXPECT_EQ(choice_.problem()->detail, "the sentinels know no service 'job' (1 of 3 answered)");
}

TEST_F(primary_choice_of_three, a_sentinel_that_knows_the_service_outweighs_those_that_do_not)
{
    hear(0, unknown);
    hear(1, unknown);
    hear(2, naming(1, 5));
    EXPECT_EQ(port(), 1U);
    EXPECT_FALSE(choice_.problem());
}

TEST_F(primary_choice_of_three, says_that_no_sentinel_answered)
{
    hear(0, nobody);
    hear(1, nobody);
    EXPECT_FALSE(choice_.problem());
    hear(2, nobody);
    ASSERT_TRUE(choice_.problem());
    EXPECT_EQ(choice_.problem()->what, core::failure_kind::unreachable);
    EXPECT_EQ(choice_.problem()->detail,
              "no sentinel answered: connection refused, sentinel a:26379");
    EXPECT_TRUE(choice_.problem()->no_server);
    hear(1, silent);
    EXPECT_FALSE(choice_.problem()->no_server) << "one may be there";
}

TEST_F(primary_choice_of_three, shows_why_sentinels_refuse)
{
    hear(0, nobody);
    hear(1, refusing);
    hear(2, silent);
    ASSERT_TRUE(choice_.problem());
    EXPECT_EQ(choice_.problem()->what, core::failure_kind::refused);
    EXPECT_EQ(choice_.problem()->detail, "NOAUTH Authentication required, sentinel b:26379");
}

}  // namespace
}  // namespace pawl::store
