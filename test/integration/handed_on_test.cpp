// Holds of a recursive mutex that are released by another thread while its owner enters again, and
// locks that share a client. An operation on one must not cost the other its lock.
#include "integration/fixture.h"
#include "support/fault_proxy.h"

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

namespace pawl::test {
namespace {

class handed_on : public with_server {
protected:
    client client_{options()};
    recursive_mutex mutex_{client_, "job", quick(10s)};
};

TEST_F(handed_on, a_re_entry_at_the_same_time_as_the_last_release_is_a_valid_hold)
{
    for (int round = 0; round < 300; ++round) {
        hold first = mutex_.acquire();
        std::atomic<bool> go{false};
        std::thread elsewhere{[&] {
            go.wait(false);
            first.release();
        }};
        go = true;
        go.notify_one();
        const hold again = mutex_.acquire();
        EXPECT_EQ(again.state(), hold_state::held);
        EXPECT_GE(hash_count("job", again.id()), 1);
        elsewhere.join();
        EXPECT_GE(hash_count("job", again.id()), 1) << "in round " << round;
    }
    EXPECT_FALSE(probe_.exists("job"));
}

TEST_F(handed_on, a_re_entry_that_fails_while_the_first_hold_is_released_leaves_nothing)
{
    fault_proxy proxy{server_.port()};
    client_options slow = options(proxy.url());
    slow.command_limit = 600ms;
    client own{slow};
    recursive_mutex mutex{own, "job", quick(2s)};
    std::optional<hold> first = mutex.acquire();
    proxy.half_open();
    std::thread elsewhere{[&] {
        std::error_code ignored;
        first->release(ignored);
    }};
    std::error_code told;
    const hold again = mutex.acquire(told);
    elsewhere.join();
    EXPECT_TRUE(told);
    proxy.pass();
    EXPECT_TRUE(eventually(10s, [&] { return !probe_.exists("job"); })) << "it is free";
    EXPECT_TRUE(own.holds().empty());
}

TEST_F(handed_on, a_new_thread_is_not_taken_for_an_owner_that_has_ended)
{
    std::optional<hold> handed;
    std::thread{[&] { handed = mutex_.acquire(); }}.join();
    for (int i = 0; i < 10; ++i) {
        std::thread{[&] { EXPECT_FALSE(mutex_.try_acquire()); }}.join();
    }
}

TEST_F(handed_on, a_lease_too_short_for_the_network_does_not_affect_other_leases)
{
    fault_proxy proxy{server_.port()};
    client own{options(proxy.url())};
    mutex patient{own, "patient", quick(1500ms)};
    mutex hasty{own, "hasty", quick(150ms)};
    const hold held = patient.acquire();
    proxy.delay(25ms);
    EXPECT_TRUE(always(4s, [&] {
        std::error_code ignored;
        const auto brief = hasty.try_acquire(ignored);
        return !held.lost().stop_requested();
    }));
    EXPECT_EQ(held.state(), hold_state::held);
}

TEST_F(handed_on, a_stop_token_does_not_wait_behind_a_slow_handler)
{
    std::atomic<bool> let_go{false};
    client_options made = options();
    made.on_event = [&](const event& what) {
        if (what.to == hold_state::lost) let_go.wait(false);
    };
    client own{made};
    lock_options fixed = quick(200ms);
    fixed.renew = false;
    mutex one{own, "one", fixed};
    mutex two{own, "two", fixed};
    const hold first = one.acquire();
    const hold second = two.acquire();
    // The tokens are taken before the loss, so only the client itself can trigger them.
    const auto first_lost = first.lost();
    const auto second_lost = second.lost();
    EXPECT_TRUE(eventually([&] { return first_lost.stop_requested(); }));
    EXPECT_TRUE(eventually([&] { return second_lost.stop_requested(); }));
    let_go = true;
    let_go.notify_all();
}

TEST_F(handed_on, one_lock_without_permission_does_not_prevent_the_renewal_of_others)
{
    probe_.must({"ACL", "SETUSER", "clerk", "on", ">pw", "~*", "+@all"});
    client_options made = options();
    made.user = "clerk";
    made.password = "pw";
    client own{made};
    mutex allowed{own, "a", quick(900ms)};
    mutex withdrawn{own, "b", quick(900ms)};
    const hold kept = allowed.acquire();
    const hold gone = withdrawn.acquire();
    probe_.must({"ACL", "SETUSER", "clerk", "resetkeys", "~a", "~pawl:fence:*"});
    EXPECT_TRUE(eventually([&] { return gone.lost().stop_requested(); }));
    EXPECT_TRUE(always(1500ms, [&] { return !kept.lost().stop_requested(); }));
}

}  // namespace
}  // namespace pawl::test
