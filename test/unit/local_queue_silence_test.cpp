// The queue of a lock within a client: a server that is silent.
#include "unit/local_queue_fixture.h"

#include <chrono>

namespace pawl::core {
namespace {

using namespace std::chrono_literals;

constexpr silence whole{.since = base::boot_time{}, .out_of_patience = true};

silence since(int ms)
{
    return {.since = at(ms), .out_of_patience = false};
}

TEST_F(a_local_queue, tells_all_waiters_that_the_server_was_silent_for_a_command_limit)
{
    ASSERT_EQ(queue_.arrive(), turn::ask);
    const auto first = wait_in_line();
    const auto second = wait_in_line();
    EXPECT_TRUE(queue_.asked_in_vain(whole, at(1000)));
    EXPECT_FALSE(queue_.has_waiters());
    EXPECT_FALSE(queue_.to_wake(at(1000))) << "all of them are woken";
    EXPECT_EQ(queue_.look(second), turn::give_up);
    EXPECT_EQ(queue_.look(first), turn::give_up);
}

TEST_F(a_local_queue, lets_a_caller_ask_that_comes_after_the_others_were_told)
{
    ASSERT_EQ(queue_.arrive(), turn::ask);
    const auto late_to_look = wait_in_line();
    ASSERT_TRUE(queue_.asked_in_vain(whole, at(1000)));
    EXPECT_EQ(queue_.arrive(), turn::ask);
    EXPECT_EQ(queue_.silent_before(), 0ms) << "a newcomer has its own limit";
    const auto behind = wait_in_line();
    EXPECT_EQ(queue_.look(late_to_look), turn::give_up);
    queue_.asked();
    EXPECT_EQ(queue_.to_wake(at(1000)), behind);
    EXPECT_EQ(queue_.look(behind), turn::ask);
}

TEST_F(a_local_queue, is_not_disturbed_when_a_waiter_that_was_told_to_give_up_leaves)
{
    ASSERT_EQ(queue_.arrive(), turn::ask);
    const auto first = wait_in_line();
    ASSERT_TRUE(queue_.asked_in_vain(whole, at(1000)));
    ASSERT_EQ(queue_.arrive(), turn::ask);
    const auto behind = wait_in_line();
    queue_.leave(first);
    EXPECT_TRUE(queue_.has_waiters());
    EXPECT_EQ(queue_.look(behind), turn::wait);
}

TEST_F(a_local_queue, lets_the_next_waiter_ask_for_the_rest_of_the_limit_when_one_gave_up_early)
{
    ASSERT_EQ(queue_.arrive(), turn::ask);
    const auto first = wait_in_line();
    const auto second = wait_in_line();
    EXPECT_FALSE(queue_.asked_in_vain(since(100), at(500)));
    ASSERT_EQ(queue_.to_wake(at(500)), first);
    ASSERT_EQ(queue_.look(first), turn::ask);
    EXPECT_EQ(queue_.silent_before(), 400ms);
    EXPECT_FALSE(queue_.asked_in_vain(since(100), at(900)));
    ASSERT_EQ(queue_.look(second), turn::ask);
    EXPECT_EQ(queue_.silent_before(), 800ms);
}

TEST_F(a_local_queue, forgets_the_silence_with_an_answer)
{
    ASSERT_EQ(queue_.arrive(), turn::ask);
    const auto first = wait_in_line();
    const auto second = wait_in_line();
    ASSERT_FALSE(queue_.asked_in_vain(since(0), at(500)));
    ASSERT_EQ(queue_.look(first), turn::ask);
    queue_.asked();
    ASSERT_EQ(queue_.look(second), turn::ask);
    EXPECT_EQ(queue_.silent_before(), 0ms);
}

TEST_F(a_local_queue, forgets_the_silence_when_there_are_no_waiters_left)
{
    ASSERT_EQ(queue_.arrive(), turn::ask);
    const auto first = wait_in_line();
    ASSERT_FALSE(queue_.asked_in_vain(since(0), at(500)));
    queue_.leave(first);
    ASSERT_EQ(queue_.arrive(), turn::ask);
    EXPECT_EQ(queue_.silent_before(), 0ms);
}

TEST_F(a_local_queue, tells_no_waiter_of_silence_while_the_same_client_holds_the_lock)
{
    ASSERT_EQ(queue_.arrive(), turn::ask);
    const auto first = wait_in_line();
    queue_.granted(at(500));  // to a caller that asked without the queue
    EXPECT_FALSE(queue_.asked_in_vain(whole, at(1000)));
    EXPECT_EQ(queue_.look(first), turn::wait);
    ASSERT_EQ(queue_.release(fine, at(501)), ending::pass_on);
    EXPECT_EQ(queue_.look(first), turn::take);
}

TEST_F(a_local_queue, tells_all_waiters_when_a_keep_finds_the_server_silent)
{
    take_from_server();
    const auto first = wait_in_line();
    ASSERT_EQ(queue_.release(fine, at(20)), ending::keep);
    EXPECT_TRUE(queue_.kept_in_vain());
    EXPECT_EQ(queue_.look(first), turn::give_up);
    EXPECT_EQ(queue_.arrive(), turn::ask);
}

TEST_F(a_local_queue, lets_an_outstanding_request_decide_when_a_keep_finds_the_server_silent)
{
    ASSERT_EQ(queue_.arrive(), turn::ask);
    const auto first = wait_in_line();
    queue_.granted(at(0));  // to a caller that asked without the queue
    ASSERT_EQ(queue_.release(fine, at(20)), ending::keep);
    EXPECT_FALSE(queue_.kept_in_vain());
    EXPECT_EQ(queue_.look(first), turn::wait);
    queue_.asked();
    EXPECT_EQ(queue_.look(first), turn::ask);
}

}  // namespace
}  // namespace pawl::core
