// core::local_lock: when the hint of the last grant is used.
#include "unit/local_lock_fixture.h"

namespace pawl::core {
namespace {

class a_local_lock_with_hints : public a_local_lock {
protected:
    // The server grants the lock, with a hint if it was free.
    static void cycle(local_lock& lock, bool was_free)
    {
        static_cast<void>(lock.arrive(true, at(0)));
        static_cast<void>(lock.begin_to_ask(false, true));
        const auto lease = new_lease();
        if (was_free) lease->hint = {.value = 42};
        lock.granted(false, lease, at(0));
        static_cast<void>(lock.release(lease, at(0)));
    }

    [[nodiscard]] static bool has_hint(local_lock& lock)
    {
        return static_cast<bool>(lock.begin_to_ask(false, true).hint);
    }
};

TEST_F(a_local_lock_with_hints, uses_that_of_the_first_grant)
{
    local_lock lock{usual};
    EXPECT_FALSE(has_hint(lock));
    cycle(lock, true);
    EXPECT_TRUE(has_hint(lock));
    EXPECT_FALSE(has_hint(lock)) << "once";
}

TEST_F(a_local_lock_with_hints, wants_it_free_three_times_in_a_row_after_it_was_busy)
{
    local_lock lock{usual};
    cycle(lock, false);
    cycle(lock, true);
    cycle(lock, true);
    EXPECT_FALSE(has_hint(lock));
    cycle(lock, true);
    EXPECT_TRUE(has_hint(lock));
    lock.not_granted(false, {errc::busy, {}}, {}, at(0));
    cycle(lock, true);
    EXPECT_FALSE(has_hint(lock));
}

TEST_F(a_local_lock_with_hints, needs_one_grant_only_if_callers_share_nothing)
{
    local_lock lock{alone};
    cycle(lock, false);
    EXPECT_FALSE(has_hint(lock));
    cycle(lock, true);
    EXPECT_TRUE(has_hint(lock));
}

}  // namespace
}  // namespace pawl::core
