// acquire_machine with many locks at once: what is handed over to the waiter is a part.
#include "unit/acquire_wait_fixture.h"

namespace pawl::core {
namespace {

class waiting_for_many : public waiting_in_the_queue {
protected:
    waiting_for_many()
    {
        object_.kind = object_kind::many;
        object_.parts = {"a", "b"};
    }
};

TEST_F(waiting_for_many, a_waiter_with_a_part_asks_for_the_rest_at_once)
{
    auto m = waiting();
    const auto next = m.on_granted(notice(at(50)), at(51));
    ASSERT_EQ(next.what, kind::send);
    EXPECT_TRUE(sent(next).repeated);
    EXPECT_TRUE(sent(next).wait.has_value());
    EXPECT_EQ(sent(next).place().lease, 1s);
    EXPECT_EQ(m.answered(granted{.fence = 18}, at(52)).what, kind::finish);
    EXPECT_EQ(m.result().fence, 18U) << "of the whole, not of the part";
    EXPECT_FALSE(m.result().unheard);
}

TEST_F(waiting_for_many, a_waiter_that_cannot_get_the_rest_waits_again)
{
    auto m = waiting();
    static_cast<void>(m.on_granted(notice(at(50)), at(51)));
    EXPECT_EQ(m.answered(queued(), at(52)).what, kind::wait);
}

TEST_F(waiting_for_many, a_part_that_comes_at_the_limit_is_not_kept)
{
    auto m = waiting(time_limit::after(100ms));
    ASSERT_EQ(m.on_granted(notice(at(99)), at(101)).what, kind::send);
    ASSERT_EQ(m.answered(queued(), at(102)).what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::timed_out);
    EXPECT_TRUE(m.result().uncertain) << "it must be given back";
}

TEST_F(waiting_for_many, a_waiter_that_is_cancelled_with_a_part_gives_it_back)
{
    auto m = waiting();
    static_cast<void>(m.on_granted(notice(at(50)), at(51)));
    ASSERT_EQ(m.on_cancel(at(52), {}).what, kind::finish);
    EXPECT_EQ(m.result().failure, errc::cancelled);
    EXPECT_TRUE(m.result().uncertain);
    EXPECT_GE(m.result().wanted_until, at(52)) << "a request is on its way";
}

}  // namespace
}  // namespace pawl::core
