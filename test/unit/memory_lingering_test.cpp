// Locks that linger at a client of a memory server.
#include "unit/memory_waiters_fixture.h"

#include <cstdint>
#include <memory>

namespace pawl::test {
namespace {

class memory_lingering : public with_waiters {
protected:
    // When this returns, there is no hold, but the lock is still here.
    std::uint64_t let_it_linger()
    {
        std::uint64_t fence = 0;
        EXPECT_TRUE(eventually([&] {
            fence = lingering_.acquire().fence();
            return server_.is_locked("job");
        })) << "it lingers only when the client listens";
        return fence;
    }

    mutex lingering_{client_, "job", {.linger = 10s}};
    // With this lease, a waiter looks only after hours.
    mutex patient_{other_, "job", {.lease = 24h}};
    mutex wanted_{other_, "job"};
};

TEST_F(memory_lingering, ends_with_its_time)
{
    static_cast<void>(let_it_linger());
    server_.advance(9s);
    EXPECT_TRUE(server_.is_locked("job"));
    server_.advance(2s);
    EXPECT_FALSE(server_.is_locked("job"));
    EXPECT_EQ(events_.count(hold_state::lost), 0U);
}

TEST_F(memory_lingering, counts_from_the_last_use)
{
    static_cast<void>(let_it_linger());
    for (int i = 0; i < 5; ++i) {
        server_.advance(9s);
        lingering_.acquire().release();
        EXPECT_TRUE(server_.is_locked("job"));
    }
    server_.advance(11s);
    EXPECT_FALSE(server_.is_locked("job"));
}

TEST_F(memory_lingering, makes_the_next_use_need_no_server)
{
    auto fence = let_it_linger();
    const auto holder = server_.holder("job");
    server_.freeze();
    for (int i = 0; i < 10; ++i) {
        const auto held = lingering_.try_acquire();
        ASSERT_TRUE(held);
        EXPECT_GT(held->fence(), fence);
        EXPECT_EQ(held->state(), hold_state::held);
        fence = held->fence();
    }
    server_.thaw();
    EXPECT_EQ(server_.holder("job"), holder);
}

TEST_F(memory_lingering, ends_when_another_client_wants_the_lock)
{
    const auto fence = let_it_linger();
    EXPECT_GT(patient_.acquire().fence(), fence);
    EXPECT_FALSE(server_.is_locked("job"));
}

TEST_F(memory_lingering, gives_a_higher_fence_to_the_next_client_than_to_its_own_uses)
{
    auto fence = let_it_linger();
    for (int i = 0; i < 2'500; ++i) fence = lingering_.acquire().fence();
    EXPECT_GT(patient_.acquire().fence(), fence);
}

TEST_F(memory_lingering, does_not_give_up_a_lock_in_use)
{
    static_cast<void>(let_it_linger());
    auto held = lingering_.acquire();
    auto waiting = wait_for(patient_);
    server_.advance(1h);
    EXPECT_EQ(held.state(), hold_state::held);
    EXPECT_FALSE(is_ready(waiting));
    held.release();
    EXPECT_GT(waiting.get().fence(), held.fence()) << "at once, although it might linger";
}

TEST_F(memory_lingering, of_a_client_that_is_cut_off_ends_by_the_end_of_the_lease)
{
    static_cast<void>(let_it_linger());
    server_.cut_off(client_);
    auto waiting = wait_for(wanted_);
    const auto got = get(waiting);
    EXPECT_EQ(got.state(), hold_state::held);
    EXPECT_EQ(server_.holder("job"), got.id());
    server_.reconnect(client_);
    EXPECT_FALSE(lingering_.try_acquire());
    server_.advance(1min);
    EXPECT_EQ(server_.holder("job"), got.id()) << "the late release did not free this hold";
}

TEST_F(memory_lingering, acquires_the_lock_again_if_the_server_lost_its_data)
{
    const auto fence = let_it_linger();
    server_.lose_data();
    server_.advance(11s);
    EXPECT_FALSE(server_.is_locked("job"));
    const auto held = lingering_.acquire();
    EXPECT_GT(held.fence(), fence);
    EXPECT_EQ(server_.holder("job"), held.id());
}

TEST_F(memory_lingering, ends_with_the_client)
{
    auto own = std::make_unique<client>(options());
    auto lock = std::make_unique<mutex>(*own, "other", lock_options{.linger = 1min});
    ASSERT_TRUE(eventually([&] {
        lock->acquire().release();
        return server_.is_locked("other");
    }));
    lock.reset();
    own.reset();
    EXPECT_FALSE(server_.is_locked("other"));
}

}  // namespace
}  // namespace pawl::test
