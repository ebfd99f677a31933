// A release grants the lock to the next waiter: which messages and requests this needs.
#include "integration/contended.h"

#include <memory>

namespace pawl::test {
namespace {

using hand_over = contended_of_kind;
INSTANTIATE_TEST_SUITE_P(every, hand_over, testing::ValuesIn(all_lock_kinds), kind_name);

TEST_P(hand_over, needs_no_request_of_the_waiter)
{
    load_scripts();
    any_lock mine = make(first_);
    any_lock theirs = make(second_);
    hold held = mine->acquire();
    asking next{*theirs};
    ASSERT_TRUE(until_queued(1));

    const auto before = probe_.calls("evalsha");
    held.release();
    ASSERT_TRUE(next.ends_within(soon));
    EXPECT_EQ(probe_.calls("evalsha"), before + 1);

    const auto got = next.result();
    ASSERT_TRUE(got);
    EXPECT_GT(got->fence(), held.fence());
    EXPECT_EQ(holder(), got->id());
    EXPECT_EQ(leftovers(), std::vector<std::string>{"job"});
}

TEST_P(hand_over, gives_a_hold_like_any_other)
{
    any_lock mine = make(first_);
    any_lock theirs = make(second_, 600ms);
    hold held = mine->acquire();
    asking next{*theirs};
    ASSERT_TRUE(until_queued(1));
    held.release();
    auto got = next.result();
    ASSERT_TRUE(got);
    EXPECT_GT(got->valid_for(), 0ms);
    EXPECT_LE(got->valid_for(), 600ms);

    // It is renewed in time, again and again.
    EXPECT_TRUE(always(1500ms, [&] { return holder() == got->id(); }));
    EXPECT_EQ(got->state(), hold_state::held);
    EXPECT_TRUE(got->confirm());
    got->release();
    EXPECT_EQ(leftovers(), std::vector<std::string>{});
}

TEST_P(hand_over, begins_the_lease_that_the_waiter_asked_for)
{
    any_lock mine = make(first_);
    any_lock theirs = make(second_, 10min);
    hold held = mine->acquire();
    asking next{*theirs};
    ASSERT_TRUE(until_queued(1));
    held.release();
    const auto got = next.result();
    ASSERT_TRUE(got);
    EXPECT_GT(probe_.ttl("job"), 9min);
    EXPECT_GT(got->valid_for(), 9min);
}

TEST_P(hand_over, goes_through_the_queue_one_by_one)
{
    constexpr int waiters = 5;
    any_lock mine = make(first_);
    std::optional<hold> held = mine->acquire();
    std::vector<std::unique_ptr<client>> clients;
    std::vector<std::unique_ptr<any_lock>> locks;
    std::vector<std::unique_ptr<asking>> line;
    for (int i = 0; i < waiters; ++i) {
        clients.push_back(std::make_unique<client>(options()));
        locks.push_back(
            std::make_unique<any_lock>(GetParam(), *clients.back(), "job", quick(long_lease)));
        line.push_back(std::make_unique<asking>(**locks.back()));
        ASSERT_TRUE(until_queued(i + 1));
    }
    for (int i = 0; i < waiters; ++i) {
        const auto last = held->fence();
        held->release();
        ASSERT_TRUE(line[static_cast<std::size_t>(i)]->ends_within(soon)) << i;
        EXPECT_EQ(queued(), waiters - 1 - i);
        held = line[static_cast<std::size_t>(i)]->result();
        ASSERT_TRUE(held);
        EXPECT_GT(held->fence(), last);
    }
    held->release();
    EXPECT_EQ(leftovers(), std::vector<std::string>{});
}

TEST_P(hand_over, happens_by_the_destructor_too)
{
    any_lock mine = make(first_);
    any_lock theirs = make(second_);
    std::optional<hold> held = mine->acquire();
    asking next{*theirs};
    ASSERT_TRUE(until_queued(1));
    held.reset();
    EXPECT_TRUE(next.ends_within(soon));
}

TEST_P(hand_over, does_not_end_a_hold_that_was_handed_over_by_repeating_its_release)
{
    any_lock mine = make(first_);
    any_lock theirs = make(second_);
    hold held = mine->acquire();
    asking next{*theirs};
    ASSERT_TRUE(until_queued(1));
    held.release();
    auto got = next.result();
    ASSERT_TRUE(got);
    std::error_code told;
    held.release(told);
    EXPECT_EQ(told, errc::not_owner);
    EXPECT_TRUE(got->confirm());
}

using hand_over_between = contended;

TEST_F(hand_over_between, re_entries_waits_for_the_last_of_them)
{
    recursive_mutex mine{first_, "job", quick(long_lease)};
    recursive_mutex theirs{second_, "job", quick(long_lease)};
    hold outer = mine.acquire();
    hold inner = mine.acquire();
    asking next{theirs};
    ASSERT_TRUE(until_queued(1));
    inner.release();
    EXPECT_FALSE(next.ends_within(300ms));
    EXPECT_EQ(holder(), outer.id());
    outer.release();
    ASSERT_TRUE(next.ends_within(soon));
    const auto got = next.result();
    ASSERT_TRUE(got);
    EXPECT_EQ(hash_count("job", got->id()), 1);
}

TEST_F(hand_over_between, recursive_mutexes_allows_re_entry)
{
    recursive_mutex mine{first_, "job", quick(long_lease)};
    recursive_mutex theirs{second_, "job", quick(long_lease)};
    hold held = mine.acquire();
    std::jthread waiter{[&] {
        theirs.lock();
        theirs.lock();
        EXPECT_EQ(theirs.current()->state(), hold_state::held);
        theirs.unlock();
        theirs.unlock();
    }};
    ASSERT_TRUE(until_queued(1));
    held.release();
    waiter.join();
    EXPECT_EQ(leftovers(), std::vector<std::string>{});
}

TEST_F(hand_over_between, a_hash_mutex_and_a_recursive_mutex_works)
{
    mutex plain{first_, "job", quick(long_lease, layout::hash)};
    recursive_mutex recursive{second_, "job", quick(long_lease)};
    hold held = plain.acquire();
    asking next{recursive};
    ASSERT_TRUE(until_queued(1));
    held.release();
    ASSERT_TRUE(next.ends_within(soon));
    auto got = next.result();
    ASSERT_TRUE(got);
    asking back{plain};
    ASSERT_TRUE(until_queued(1));
    got->release();
    EXPECT_TRUE(back.ends_within(soon));
}

TEST_F(hand_over_between, a_fair_mutex_and_an_unfair_one_works)
{
    mutex unfair{first_, "job", quick(long_lease)};
    fair_mutex fair{second_, "job", quick(long_lease)};
    hold held = unfair.acquire();
    asking next{fair};
    ASSERT_TRUE(until_queued(1));
    held.release();
    ASSERT_TRUE(next.ends_within(soon));
    auto got = next.result();
    ASSERT_TRUE(got);
    asking back{unfair};
    ASSERT_TRUE(until_queued(1));
    got->release();
    EXPECT_TRUE(back.ends_within(soon));
}

TEST_F(hand_over_between, two_clients_does_not_mix_up_many_locks)
{
    constexpr int count = 20;
    std::vector<std::unique_ptr<mutex>> mine;
    std::vector<std::unique_ptr<mutex>> theirs;
    std::vector<hold> held;
    std::vector<std::unique_ptr<asking>> waiting;
    for (int i = 0; i < count; ++i) {
        const std::string name = "job " + std::to_string(i);
        mine.push_back(std::make_unique<mutex>(first_, name, quick(long_lease)));
        theirs.push_back(std::make_unique<mutex>(second_, name, quick(long_lease)));
        held.push_back(mine.back()->acquire());
        waiting.push_back(std::make_unique<asking>(*theirs.back()));
        ASSERT_TRUE(until_queued(1, name));
    }
    for (std::size_t i = held.size(); i-- > 0;) {
        held[i].release();
        ASSERT_TRUE(waiting[i]->ends_within(soon)) << i;
        const auto got = waiting[i]->result();
        ASSERT_TRUE(got);
        EXPECT_EQ(got->name(), held[i].name());
        EXPECT_FALSE(i > 0 && waiting[i - 1]->ends_within(0ms));
    }
    EXPECT_EQ(leftovers(), std::vector<std::string>{});
}

}  // namespace
}  // namespace pawl::test
