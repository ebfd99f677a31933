// A server that loses scripts, keys or everything while threads wait.
#include "integration/contended.h"

namespace pawl::test {
namespace {

constexpr auto lease = 1500ms;  // so that a waiter looks every 500 ms
constexpr auto late = slack;

class flushed_server : public contended_of_kind {
protected:
    void SetUp() override
    {
        held_ = mine_->acquire();
        next_.emplace(*theirs_);
        ASSERT_TRUE(until_queued(1));
    }

    // The waiter gets the lock, with a greater fence, and the hold works like any other.
    void expect_turn_within(std::chrono::milliseconds limit)
    {
        ASSERT_TRUE(next_->ends_within(limit));
        auto got = next_->result();
        ASSERT_TRUE(got);
        EXPECT_GT(got->fence(), held_->fence());
        EXPECT_EQ(holder(), got->id());
        EXPECT_TRUE(got->confirm());
        got->release();
        EXPECT_EQ(leftovers(), std::vector<std::string>{});
    }

    any_lock mine_ = make(first_, lease);
    any_lock theirs_ = make(second_, lease);
    std::optional<hold> held_;
    std::optional<asking> next_;
};

INSTANTIATE_TEST_SUITE_P(every, flushed_server, testing::ValuesIn(all_lock_kinds), kind_name);

TEST_P(flushed_server, without_its_scripts_hands_over_as_before)
{
    probe_.must({"SCRIPT", "FLUSH"});
    held_->release();
    expect_turn_within(look_interval(lease) + late);
}

TEST_P(flushed_server, without_its_scripts_answers_a_look_as_before)
{
    probe_.must({"SCRIPT", "FLUSH"});
    EXPECT_FALSE(next_->ends_within(2 * look_interval(lease)));
    EXPECT_EQ(queued(), 1);
    held_->release();
    expect_turn_within(look_interval(lease) + late);
}

TEST_P(flushed_server, without_its_keys_grants_the_lock_to_a_waiter)
{
    probe_.must({"FLUSHALL"});
    expect_turn_within(look_interval(lease) + late);
    EXPECT_EQ(outcome_of([&] { held_->release(); }).code, errc::lost);
}

TEST_P(flushed_server, without_the_queue_still_grants_the_lock_to_a_waiter)
{
    probe_.must({"DEL", queue_of("job")});
    held_->release();
    expect_turn_within(look_interval(lease) + late);
}

TEST_P(flushed_server, that_was_restarted_is_asked_again)
{
    server_.restart();
    probe_ = server_.probe();
    // Connecting again may take a few attempts with pauses.
    expect_turn_within(look_interval(lease) + soon);
}

}  // namespace
}  // namespace pawl::test
