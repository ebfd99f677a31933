// The largest quorum: seven real servers, of which three may be gone.
#include "integration/contended.h"
#include "integration/quorum_fixture.h"

#include <array>
#include <cstddef>
#include <future>
#include <optional>

namespace pawl::test {
namespace {

using testing::HasSubstr;

class quorum_of_seven : public with_quorum {
protected:
    quorum_of_seven() : with_quorum{7} {}

    // No waiter looks for 10 s.
    [[nodiscard]] client_options with_long_leases()
    {
        auto made = options();
        made.longest_lease = long_lease;
        return made;
    }

    // Returns when it waits at all nodes.
    [[nodiscard]] std::future<std::optional<hold>> waiter(mutex& lock)
    {
        auto waits =
            std::async(std::launch::async, [&lock] { return lock.try_acquire_for(2 * patience); });
        EXPECT_TRUE(eventually([&] {
            std::size_t nodes = 0;
            for (std::size_t i = 0; i < nodes_.size(); ++i) {
                if (waiters_at(i, "lock") == 1) ++nodes;
            }
            return nodes == nodes_.size();
        }));
        return waits;
    }

    // The first, one in the middle, and the last.
    void kill_three()
    {
        for (const std::size_t node : {0U, 3U, 6U}) nodes_.node(node).kill();
    }

    client one_{with_long_leases()};
    client other_{with_long_leases()};
    mutex mine_{one_, "lock", test::quick(long_lease)};
    mutex theirs_{other_, "lock", test::quick(long_lease)};
};

TEST_F(quorum_of_seven, keeps_a_lock_and_tells_its_waiter_while_three_nodes_are_down)
{
    // So that the client of the waiter listens at all nodes.
    {
        auto held = acquire_everywhere(mine_);
        auto next = waiter(theirs_);
        held.release();
        ASSERT_TRUE(next.get());
    }
    // A node that still has the old vote would vote for the next holder only at its first renewal, after 10 s.
    ASSERT_TRUE(eventually([&] { return holders_of("lock") == 0; }));
    auto held = acquire_everywhere(mine_);
    auto next = waiter(theirs_);
    kill_three();
    EXPECT_TRUE(held.confirm());
    EXPECT_TRUE(always(300ms, [&] { return next.wait_for(0s) == std::future_status::timeout; }));
    held.release();
    ASSERT_EQ(next.wait_for(soon), std::future_status::ready) << "sooner than it looks";
    const auto got = next.get();
    ASSERT_TRUE(got);
    EXPECT_GT(got->fence(), held.fence());
    EXPECT_EQ(events_.count(hold_state::lost), 0U);
}

TEST_F(quorum_of_seven, grants_locks_with_growing_fences_while_three_nodes_are_down)
{
    std::uint64_t last = mine_.acquire().fence();
    kill_three();
    for (int i = 0; i < 10; ++i) {
        for (auto* const each : {&mine_, &theirs_}) {
            auto held = each->acquire();
            EXPECT_GT(held.fence(), last);
            last = held.fence();
            held.release();
        }
    }
    nodes_.node(1).kill();
    const auto told = outcome_of([&] { static_cast<void>(mine_.try_acquire()); });
    EXPECT_EQ(told.code, errc::no_quorum);
    EXPECT_THAT(told.message, HasSubstr("3 of 7 nodes can vote, 4 are needed"));
}

}  // namespace
}  // namespace pawl::test
