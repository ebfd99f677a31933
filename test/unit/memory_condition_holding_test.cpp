// What a wait for a condition means for lock_options::longest_hold and lock_options::heartbeat: nothing is held while
// it waits, and after it a new hold begins.
#include "unit/memory_condition_fixture.h"

#include <system_error>
#include <utility>

namespace pawl::test {
namespace {

class memory_condition_holding : public memory_condition {
protected:
    // Waits with the hold for 30 s, until another client notifies. Returns the hold after that.
    [[nodiscard]] hold wait_long(condition_variable& more, hold held)
    {
        auto waiter = waiting([&more, held = std::move(held)]() mutable {
            more.wait(held);
            return std::move(held);
        });
        for (int i = 0; i < 30; ++i) server_.advance(1s);
        EXPECT_FALSE(is_ready(waiter));
        their_more_.notify_one();
        return waiter.get();
    }

    mutex limited_{client_, "job", {.lease = 3s, .longest_hold = 10s}};
    condition_variable of_limited_{limited_, "more"};
    mutex beating_{client_, "job", {.lease = 3s, .heartbeat = 2s}};
    condition_variable of_beating_{beating_, "more"};
};

TEST_F(memory_condition_holding, a_wait_starts_the_longest_time_again)
{
    auto held = limited_.acquire();
    server_.advance(8s);
    EXPECT_LE(held.valid_for(), 2s);
    held = wait_long(of_limited_, std::move(held));
    EXPECT_EQ(events_.count(hold_state::lost), 0U) << "nothing is held while it waits";
    server_.advance(8s);
    EXPECT_EQ(held.state(), hold_state::held);
    server_.advance(2s);
    EXPECT_EQ(held.state(), hold_state::lost);
    EXPECT_EQ(held.why(), cause::held_too_long);
}

TEST_F(memory_condition_holding, a_wait_that_times_out_starts_the_longest_time_again)
{
    auto waiter = waiting([this] {
        auto held = limited_.acquire();
        std::error_code ec;
        EXPECT_EQ(of_limited_.wait_for(held, 20s, ec), std::cv_status::timeout);
        EXPECT_FALSE(ec);
        return held;
    });
    for (int i = 0; i < 20; ++i) server_.advance(1s);
    const auto held = waiter.get();
    EXPECT_GT(held.valid_for(), 0s);
    server_.advance(8s);
    EXPECT_EQ(held.state(), hold_state::held);
    server_.advance(2s);
    EXPECT_EQ(held.why(), cause::held_too_long);
}

TEST_F(memory_condition_holding, a_wait_fails_when_the_longest_time_is_over)
{
    auto held = limited_.acquire();
    server_.advance(10s);
    std::error_code ec;
    of_limited_.wait(held, ec);
    EXPECT_EQ(ec, errc::lost);
    EXPECT_FALSE(held);
}

TEST_F(memory_condition_holding, a_wait_counts_as_a_beat)
{
    auto held = beating_.acquire();
    server_.advance(1500ms);
    held = wait_long(of_beating_, std::move(held));
    server_.advance(1500ms);
    EXPECT_EQ(held.state(), hold_state::held);
    EXPECT_EQ(events_.count(hold_state::jeopardy), 0U) << "it was renewed";
    EXPECT_EQ(events_.count(hold_state::lost), 0U);
    for (int i = 0; i < 5; ++i) server_.advance(1s);
    EXPECT_EQ(held.state(), hold_state::lost) << "it needs beats after that";
    EXPECT_EQ(held.why(), cause::no_beat);
}

}  // namespace
}  // namespace pawl::test
