// Waiters that give up, at their limit or by cancellation, leave nothing behind.
#include "integration/contended.h"

#include <random>

namespace pawl::test {
namespace {

using giving_up = contended_of_kind;
INSTANTIATE_TEST_SUITE_P(every, giving_up, testing::ValuesIn(all_lock_kinds), kind_name);

TEST_P(giving_up, at_the_limit_leaves_the_queue)
{
    any_lock mine = make(first_);
    any_lock theirs = make(second_);
    const hold held = mine->acquire();
    const auto took = time_of([&] { EXPECT_FALSE(theirs->try_acquire_for(150ms)); });
    EXPECT_GE(took, 150ms);
    EXPECT_LT(took, 150ms + slack);
    EXPECT_TRUE(eventually(soon, [&] { return leftovers() == std::vector<std::string>{"job"}; }));
    EXPECT_EQ(holder(), held.id());
}

TEST_P(giving_up, by_cancellation_leaves_the_queue)
{
    any_lock mine = make(first_);
    any_lock theirs = make(second_);
    const hold held = mine->acquire();
    asking next{*theirs};
    ASSERT_TRUE(until_queued(1));
    next.cancel();
    ASSERT_TRUE(next.ends_within(slack));
    EXPECT_FALSE(next.result());
    EXPECT_EQ(next.told(), errc::cancelled);
    EXPECT_TRUE(eventually(soon, [&] { return leftovers() == std::vector<std::string>{"job"}; }));
    EXPECT_EQ(holder(), held.id());
}

TEST_P(giving_up, before_the_release_prevents_a_later_grant)
{
    any_lock mine = make(first_);
    any_lock theirs = make(second_);
    hold held = mine->acquire();
    EXPECT_FALSE(theirs->try_acquire_for(100ms));
    ASSERT_TRUE(until_queued(0));
    held.release();
    EXPECT_EQ(leftovers(), std::vector<std::string>{});
    EXPECT_TRUE(always(300ms, [&] { return leftovers().empty(); }));
    EXPECT_TRUE(second_.holds().empty());
}

TEST_P(giving_up, lets_the_next_waiter_in)
{
    any_lock mine = make(first_);
    any_lock theirs = make(second_);
    any_lock others = make(third_);
    hold held = mine->acquire();
    asking impatient{*theirs, 400ms};
    ASSERT_TRUE(until_queued(1));
    asking next{*others};
    ASSERT_TRUE(until_queued(2));
    EXPECT_FALSE(impatient.result());
    ASSERT_TRUE(until_queued(1));
    held.release();
    ASSERT_TRUE(next.ends_within(soon));
    EXPECT_TRUE(next.result());
}

TEST_P(giving_up, of_one_thread_does_not_cost_another_thread_its_place)
{
    // With an unfair lock, the first thread is in the server's queue for both threads.
    any_lock mine = make(first_);
    any_lock theirs = make(second_);
    hold held = mine->acquire();
    asking impatient{*theirs, 400ms};
    ASSERT_TRUE(until_queued(1));
    asking patient{*theirs};
    EXPECT_FALSE(impatient.result());
    ASSERT_TRUE(until_queued(1));
    held.release();
    ASSERT_TRUE(patient.ends_within(soon));
    EXPECT_TRUE(patient.result());
    EXPECT_TRUE(until_nothing_is_left());
}

TEST_P(giving_up, of_a_local_waiter_does_not_affect_the_one_ahead)
{
    any_lock mine = make(first_);
    any_lock theirs = make(second_);
    hold held = mine->acquire();
    asking patient{*theirs};
    ASSERT_TRUE(until_queued(1));
    asking called_off{*theirs};
    ASSERT_TRUE(!is_fair(GetParam()) || until_queued(2));
    called_off.cancel();
    EXPECT_FALSE(called_off.result());
    ASSERT_TRUE(until_queued(1));
    held.release();
    ASSERT_TRUE(patient.ends_within(soon));
    EXPECT_TRUE(patient.result());
    EXPECT_TRUE(until_nothing_is_left());
}

TEST_P(giving_up, just_when_the_lock_is_handed_over_does_not_lose_the_lock)
{
    constexpr int rounds = 60;
    any_lock mine = make(first_);
    any_lock theirs = make(second_);
    std::mt19937 dice{4};  // the scheduler adds more randomness
    int granted = 0;
    for (int i = 0; i < rounds; ++i) {
        std::optional<hold> held = mine->try_acquire_for(soon);
        ASSERT_TRUE(held) << "in round " << i << " it was held by " << holder();
        const std::chrono::microseconds limit{5'000 + dice() % 2'000};
        const auto start = std::chrono::steady_clock::now();
        std::optional<hold> next;
        std::jthread waiter{[&] { next = theirs->try_acquire_for(limit); }};
        std::this_thread::sleep_until(start + limit);  // both must happen at the same time
        held.reset();
        waiter.join();
        if (next) {
            ++granted;
            EXPECT_TRUE(next->confirm()) << i;
        }
    }
    RecordProperty("granted", granted);
    EXPECT_TRUE(until_nothing_is_left());
    EXPECT_TRUE(first_.holds().empty());
    EXPECT_TRUE(second_.holds().empty());
}

TEST_P(giving_up, of_many_leaves_nothing)
{
    any_lock mine = make(first_);
    any_lock theirs = make(second_);
    any_lock others = make(third_);
    hold held = mine->acquire();
    {
        std::vector<std::jthread> all;
        for (int i = 0; i < 10; ++i) {
            all.emplace_back([&, i] {
                lockable& lock = i % 2 == 0 ? *theirs : *others;
                for (int round = 0; round < 10; ++round) {
                    // On a busy machine no answer may come within the 100 ms of a request.
                    std::error_code ec;
                    EXPECT_FALSE(lock.try_acquire_for(std::chrono::milliseconds{5 + i}, ec));
                    EXPECT_TRUE(ec == errc::timed_out || ec == errc::unreachable) << ec;
                }
            });
        }
    }
    EXPECT_TRUE(eventually(soon, [&] { return leftovers() == std::vector<std::string>{"job"}; }));
    held.release();
    EXPECT_EQ(leftovers(), std::vector<std::string>{});
}

}  // namespace
}  // namespace pawl::test
