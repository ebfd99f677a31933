// For ten thousand locks, one client needs no more threads than for one, and few round trips.
#include "integration/fixture.h"
#include "support/self_counts.h"

#include <algorithm>
#include <deque>
#include <vector>

namespace pawl::test {
namespace {

constexpr std::size_t lock_count = 10'000;
constexpr auto lease = 7'200ms;
constexpr auto period = lease / 3;
constexpr auto span = 3 * lease / 2;

class many_locks : public with_server {
protected:
    std::int64_t script_calls()
    {
        return probe_.calls("evalsha") + probe_.calls("eval") + probe_.calls("fcall");
    }
};

TEST_F(many_locks, are_renewed_in_a_handful_of_round_trips_by_one_thread)
{
    const std::size_t threads_before = thread_count();
    // One for renewals, one that reports losses, and one for the event handler.
    constexpr std::size_t threads_of_a_client = 3;
    client own{options()};
    std::deque<mutex> locks;
    std::vector<hold> holds;
    for (std::size_t i = 0; i < lock_count; ++i) {
        locks.emplace_back(own, "lock:" + std::to_string(i), quick(lease));
        holds.push_back(locks.back().acquire());
    }
    EXPECT_EQ(thread_count(), threads_before + threads_of_a_client);

    probe_.reset_stats();
    EXPECT_TRUE(always(span, [&] { return own.holds().size() == lock_count; }));
    const std::int64_t periods = span / period;
    EXPECT_GE(script_calls(), periods - 1);
    EXPECT_LE(script_calls(), 25 * periods);
    EXPECT_EQ(thread_count(), threads_before + threads_of_a_client);

    EXPECT_EQ(events_.count(hold_state::lost), 0);
    EXPECT_TRUE(eventually([&] {
        return std::ranges::all_of(
            holds, [](const hold& held) { return held.state() == hold_state::held; });
    }));
    EXPECT_EQ(probe_.keys("lock:*").size(), lock_count);
}

TEST_F(many_locks, are_forgotten_one_by_one_as_they_are_released)
{
    client own{options()};
    std::deque<mutex> locks;
    std::vector<hold> holds;
    for (std::size_t i = 0; i < 300; ++i) {
        locks.emplace_back(own, "lock:" + std::to_string(i), quick(2400ms));
        holds.push_back(locks.back().acquire());
    }
    while (holds.size() > 1) holds.pop_back();
    EXPECT_EQ(own.holds().size(), 1);
    EXPECT_EQ(probe_.keys("lock:*").size(), 1);
    probe_.reset_stats();
    EXPECT_TRUE(always(2s, [&] { return holds.front().state() == hold_state::held; }));
    EXPECT_LE(script_calls(), 12);
    holds.pop_back();
    probe_.reset_stats();
    EXPECT_TRUE(always(900ms, [&] { return script_calls() == 0; }));
}

}  // namespace
}  // namespace pawl::test
