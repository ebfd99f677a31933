// unlock() and the destructor of a hold on a quorum: they send the release, and do not wait for the answers.
#include "integration/child.h"
#include "integration/quorum_fixture.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <unistd.h>
#include <vector>

namespace pawl::test {
namespace {

// Long: what is free within the patience of a test was released.
constexpr auto long_lease = 20s;

client_options with_long_leases(const std::string& url)
{
    client_options made;
    made.url = url;
    made.longest_lease = long_lease;
    made.command_limit = long_lease;
    return made;
}

class quorum_unlock : public with_quorum {
protected:
    void freeze_all()
    {
        for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_.node(i).freeze();
    }
    void thaw_all()
    {
        for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_.node(i).thaw();
    }
    [[nodiscard]] bool becomes_free()
    {
        return eventually([&] { return holders_of("lock") == 0; });
    }
};

TEST_F(quorum_unlock, does_not_wait_for_the_nodes)
{
    client own{with_long_leases(nodes_.url())};
    mutex lock{own, "lock", {.lease = long_lease}};
    lock.lock();
    freeze_all();
    EXPECT_LT(time_of([&] { lock.unlock(); }), long_lease / 2);
    thaw_all();
    EXPECT_TRUE(becomes_free());
}

TEST_F(quorum_unlock, the_destructor_does_not_wait_for_the_nodes)
{
    client own{with_long_leases(nodes_.url())};
    mutex lock{own, "lock", {.lease = long_lease}};
    auto held = lock.acquire();
    freeze_all();
    EXPECT_LT(time_of([&] { held = hold{}; }), long_lease / 2);
    thaw_all();
    EXPECT_TRUE(becomes_free());
}

TEST_F(quorum_unlock, a_call_that_reports_its_outcome_waits_for_a_majority)
{
    client own{with_long_leases(nodes_.url())};
    mutex lock{own, "lock", {.lease = long_lease}};
    for (int i = 0; i < 20; ++i) {
        lock.lock();
        std::error_code ec;
        lock.unlock(ec);
        EXPECT_FALSE(ec);
        EXPECT_LE(holders_of("lock"), 1U);
        lock.acquire().release();
        EXPECT_LE(holders_of("lock"), 1U);
    }
}

TEST_F(quorum_unlock, of_an_inner_hold_does_not_complain_that_the_outer_one_has_left_meanwhile)
{
    client own{options()};
    recursive_mutex lock{own, "lock", quick()};
    for (int i = 0; i < 20; ++i) {
        const std::scoped_lock outer{lock};
        const std::scoped_lock inner{lock};
    }
    EXPECT_TRUE(becomes_free());
    EXPECT_THAT(events_.text(), testing::Not(testing::HasSubstr("release")));
}

TEST_F(quorum_unlock, comes_before_what_the_same_client_asks_next)
{
    client own{with_long_leases(nodes_.url())};
    mutex lock{own, "lock", {.lease = long_lease}};
    for (int i = 0; i < 200; ++i) {
        ASSERT_TRUE(lock.try_lock()) << "in round " << i;
        lock.unlock();
    }
}

// Its arguments: URL, lock.
int lock_unlock_and_end(const child_arguments& words)
{
    client own{with_long_leases(words.at(0))};
    mutex lock{own, words.at(1), {.lease = long_lease}};
    // After that, nothing is left to do for the client's own thread, so this one sends the next release.
    lock.acquire().release();
    lock.lock();
    static_cast<void>(own.nodes());
    lock.unlock();
    ::_exit(0);
}

const child_role ends_at_once{"quorum_unlock_ends_at_once", lock_unlock_and_end};

// Normally: if the client's own thread is busy at that moment, it sends the release an instant later, which is too late
// here. On a loaded machine it may be busy in some rounds.
TEST_F(quorum_unlock, releases_although_the_process_ends_at_once)
{
    const std::vector<std::string> locks{"first", "second", "third", "fourth", "fifth"};
    for (const auto& lock : locks) {
        process child = ends_at_once.start({nodes_.url(), lock});
        EXPECT_EQ(child.wait(patience), exited(0)) << child.err();
    }
    const auto is_free = [this](const auto& lock) { return holders_of(lock) == 0; };
    EXPECT_TRUE(eventually([&] { return std::ranges::count_if(locks, is_free) >= 3; }));
}

}  // namespace
}  // namespace pawl::test
