// lock_options::longest_hold and lock_options::heartbeat on a real server.
#include "integration/fixture.h"

namespace pawl::test {
namespace {

class holding : public with_server {
protected:
    client client_{options()};
};

TEST_F(holding, a_lock_is_free_for_the_next_when_its_longest_time_has_passed)
{
    mutex lock{client_, "job", {.lease = 900ms, .longest_hold = 2s}};
    client other{options()};
    mutex same{other, "job"};
    const auto begin = std::chrono::steady_clock::now();
    const hold held = lock.acquire();
    const auto next = same.try_acquire_for(20s);
    const auto waited = std::chrono::steady_clock::now() - begin;
    ASSERT_TRUE(next);
    EXPECT_GE(waited, 1990ms);
    EXPECT_LT(waited, 2s + slack);
    EXPECT_EQ(held.state(), hold_state::lost);
    EXPECT_EQ(held.why(), cause::held_too_long);
    EXPECT_EQ(events_.first(hold_state::lost, held.id()).why, cause::held_too_long);
}

TEST_F(holding, a_lock_is_renewed_only_while_its_holder_makes_progress)
{
    mutex lock{client_, "job", {.lease = 1200ms, .heartbeat = 600ms}};
    hold held = lock.acquire();
    EXPECT_TRUE(always(3s, [&] { return held.beat(); }));
    EXPECT_TRUE(probe_.exists("job"));
    EXPECT_EQ(events_.first(hold_state::lost).why, cause::no_beat);
    EXPECT_FALSE(held.beat());
    EXPECT_TRUE(eventually([&] { return !probe_.exists("job"); }));
}

}  // namespace
}  // namespace pawl::test
