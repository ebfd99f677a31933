// The kinds of locks that a quorum has, used as the standard library uses mutexes, and the messages about those that
// it does not have.
#include "integration/quorum_fixture.h"

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace pawl::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class quorum_kinds : public with_quorum {
protected:
    [[nodiscard]] std::string refusal(const std::function<void()>& call)
    {
        try {
            call();
        } catch (const error& e) {
            EXPECT_EQ(e.code(), errc::bad_argument) << e.what();
            return e.what();
        }
        return "not refused";
    }

    client own_{options()};
    client other_{options()};
};

TEST_F(quorum_kinds, two_mutexes_are_locked_by_scoped_lock_in_any_order)
{
    mutex stock{own_, "stock", quick()};
    mutex price{own_, "price", quick()};
    mutex same_stock{other_, "stock", quick()};
    mutex same_price{other_, "price", quick()};
    int inside = 0;
    constexpr int rounds = 10;
    const auto work = [&](mutex& first, mutex& second) {
        for (int i = 0; i < rounds; ++i) {
            const std::scoped_lock both{first, second};
            ++inside;
        }
    };
    std::thread one{[&] { work(stock, price); }};
    std::thread two{[&] { work(same_price, same_stock); }};
    one.join();
    two.join();
    EXPECT_EQ(inside, 2 * rounds);
    EXPECT_TRUE(eventually([&] { return holders_of("stock") + holders_of("price") == 0; }));
}

TEST_F(quorum_kinds, a_unique_lock_waits_gives_up_and_unlocks)
{
    mutex lock{own_, "lock", quick()};
    mutex same{other_, "lock", quick()};
    std::unique_lock held{lock};
    std::unique_lock wanted{same, std::defer_lock};
    EXPECT_FALSE(wanted.try_lock());
    EXPECT_FALSE(wanted.try_lock_for(100ms));
    held.unlock();
    EXPECT_TRUE(wanted.try_lock_for(patience));
    EXPECT_FALSE(held.try_lock());
    wanted.unlock();
    EXPECT_TRUE(held.try_lock_for(patience));
}

TEST_F(quorum_kinds, a_recursive_mutex_is_locked_again_by_scoped_lock)
{
    recursive_mutex lock{own_, "lock", quick()};
    recursive_mutex same{other_, "lock", quick()};
    {
        const std::scoped_lock outer{lock};
        {
            const std::scoped_lock inner{lock};
            EXPECT_FALSE(same.try_lock());
        }
        EXPECT_FALSE(same.try_lock()) << "the outer lock goes on";
    }
    const std::scoped_lock next{same};
}

TEST_F(quorum_kinds, a_fair_mutex_excludes_by_lock_guard)
{
    fair_mutex lock{own_, "lock", quick()};
    fair_mutex same{other_, "lock", quick()};
    int inside = 0;
    const auto work = [&](fair_mutex& mine) {
        for (int i = 0; i < 20; ++i) {
            const std::lock_guard guard{mine};
            ++inside;
        }
    };
    std::thread one{[&] { work(lock); }};
    std::thread two{[&] { work(same); }};
    one.join();
    two.join();
    EXPECT_EQ(inside, 40);
}

TEST_F(quorum_kinds, a_striped_mutex_excludes_by_id)
{
    striped_mutex rows{own_, "row", 8, quick()};
    striped_mutex same{other_, "row", 8, quick()};
    const std::scoped_lock guard{rows.of(7)};
    EXPECT_FALSE(same.of(7).try_lock());
    int free_one = 8;
    while (rows.index_of(free_one) == rows.index_of(7)) ++free_one;
    EXPECT_TRUE(same.of(free_one).try_acquire());
}

// ── What it does not have ───────────────────────────────────────────────────────────────────────

TEST_F(quorum_kinds, that_need_one_server_are_refused_by_name)
{
    const auto expect = [&](const std::string& name, const std::function<void()>& make) {
        EXPECT_THAT(refusal(make),
                    AllOf(HasSubstr("kind: " + name + " on a quorum"),
                          HasSubstr("allowed: mutex, fair_mutex, recursive_mutex, striped_mutex"),
                          HasSubstr("one server that counts")));
    };
    mutex jobs{own_, "jobs", quick()};
    expect("shared_mutex", [&] { const shared_mutex made{own_, "a", quick()}; });
    expect("counting_semaphore", [&] { const counting_semaphore made{own_, "a", 2, quick()}; });
    expect("latch", [&] { const latch made{own_, "a", 2}; });
    expect("barrier", [&] { const barrier made{own_, "a", 2}; });
    expect("leader", [&] { const leader made{own_, "a", quick()}; });
    expect("once_per", [&] { const once_per made{own_, "a", 1h, {}, quick()}; });
    expect("lock_set", [&] { const lock_set made{own_, {"a", "b"}, quick()}; });
    expect("condition_variable", [&] { const condition_variable made{jobs, "more"}; });
    expect("stateless lock",
           [&] { static_cast<void>(stateless::try_lock(own_, "a", "me", lease)); });
    expect("stateless lock", [&] { static_cast<void>(stateless::unlock(own_, "a", "me")); });
}

TEST_F(quorum_kinds, with_options_that_a_quorum_does_not_have_are_refused_by_value)
{
    EXPECT_THAT(refusal([&] { const mutex made{own_, "a", {.lease = 501ms}}; }),
                HasSubstr("lease: 501 ms on a quorum (allowed: 10 ms to "
                          "client_options::longest_lease, 500 ms)"));
    EXPECT_THAT(refusal([&] { const mutex made{own_, "a", {.lease = lease, .linger = 10ms}}; }),
                HasSubstr("linger: 10 ms on a quorum (allowed: 0)"));
    EXPECT_THAT(
        refusal([&] { const mutex made{own_, "a", {.lease = lease, .layout = layout::hash}}; }),
        HasSubstr("layout: hash on a quorum (allowed: plain, or unset)"));
    auto held = mutex{own_, "a", quick()}.acquire();
    EXPECT_THAT(refusal([&] { held.extend(501ms); }), HasSubstr("501 ms on a quorum"));
    EXPECT_EQ(held.state(), hold_state::held);
}

TEST_F(quorum_kinds, of_leases_longer_than_any_quorum_allows_are_refused)
{
    auto made = options();
    made.longest_lease = 61s;
    EXPECT_THAT(refusal([&] { const client refused{made}; }),
                HasSubstr("longest_lease: 61000 ms (allowed: 10 ms to 60 s)"));
}

}  // namespace
}  // namespace pawl::test
