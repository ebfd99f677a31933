// The types of <pawl/metrics.h>, and the counters behind them.
#include "observe/client_counters.h"

#include <pawl/metrics.h>
#include <pawl/options.h>

#include "sync/validate.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace pawl {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

histogram of(std::initializer_list<nanoseconds> durations)
{
    observe::duration_counter all;
    for (const auto each : durations) all.add(each);
    return observe::read(all);
}

TEST(snapshot, never_has_fewer_than_no_holds_or_connections)
{
    lock_metrics lock;
    lock.granted[grant_way::free] = 2;
    lock.granted[grant_way::re_entered] = 1;
    lock.hold.count = 3;
    EXPECT_EQ(lock.held(), 0U);
    lock.hold.count = 1;
    EXPECT_EQ(lock.held(), 1U);
    EXPECT_EQ((connection_metrics{.opened = 1, .ended = 2}.open()), 0U);
    EXPECT_EQ((connection_metrics{.opened = 3, .ended = 2}.open()), 1U);
}

TEST(histogram, is_empty_at_first)
{
    const auto nothing = of({});
    EXPECT_EQ(nothing, histogram{});
    EXPECT_EQ(nothing.mean(), 0ns);
    EXPECT_EQ(nothing.quantile(0.5), 0ns);
    EXPECT_EQ(nothing.count_up_to(1h), 0U);
}

TEST(histogram, has_an_exact_count_and_sum)
{
    const auto times = of({1ns, 1'000'003ns, 5s});
    EXPECT_EQ(times.count, 3U);
    EXPECT_EQ(times.sum, 5'001'000'004ns);
    EXPECT_EQ(times.mean(), times.sum / 3);
}

TEST(histogram, has_only_buckets_that_are_not_empty_and_the_shortest_first)
{
    const auto times = of({2s, 10us, 10us});
    ASSERT_EQ(times.buckets.size(), 2U);
    EXPECT_EQ(times.buckets[0].count, 2U);
    EXPECT_EQ(times.buckets[1].count, 1U);
    EXPECT_GE(times.buckets[0].up_to, 10us);
    EXPECT_GE(times.buckets[1].up_to, 2s);
}

TEST(histogram, reads_durations_back_at_most_an_eighth_too_long)
{
    for (nanoseconds time = 1ns; time < 24h; time += time / 5 + 1ns) {
        const auto back = of({time}).quantile(1);
        EXPECT_GE(back, time);
        EXPECT_LE(back, time + time / 8);
    }
}

TEST(histogram, finds_the_quantiles)
{
    observe::duration_counter all;
    for (int i = 0; i < 90; ++i) all.add(1ms);
    for (int i = 0; i < 10; ++i) all.add(1s);
    const auto times = observe::read(all);
    EXPECT_LT(times.quantile(0), 2ms);
    EXPECT_LT(times.quantile(0.5), 2ms);
    EXPECT_GE(times.quantile(0.95), 1s);
    EXPECT_GE(times.quantile(1), 1s);
    EXPECT_LT(times.quantile(-1), 2ms);
    EXPECT_GE(times.quantile(7), 1s);
}

TEST(histogram, counts_those_up_to_a_limit)
{
    const auto times = of({1ms, 2ms, 1s});
    EXPECT_EQ(times.count_up_to(1us), 0U);
    EXPECT_EQ(times.count_up_to(10ms), 2U);
    EXPECT_EQ(times.count_up_to(times.buckets.front().up_to), 1U);
    EXPECT_EQ(times.count_up_to(nanoseconds::max()), 3U);
}

TEST(histogram, counts_what_lasts_for_days_without_a_limit)
{
    const auto times = of({48h, 720h});
    ASSERT_EQ(times.buckets.size(), 1U);
    EXPECT_EQ(times.buckets[0].up_to, nanoseconds::max());
    EXPECT_EQ(times.sum, 768h);
}

TEST(histogram, counts_a_negative_duration_as_zero)
{
    const auto times = of({-5ms});
    EXPECT_EQ(times.count, 1U);
    EXPECT_EQ(times.sum, 0ns);
}

TEST(counters, of_several_threads_lose_nothing)
{
    constexpr int threads = 4;
    constexpr int each = 20'000;
    observe::client_counters all;
    {
        std::vector<std::jthread> crew;
        for (int i = 0; i < threads; ++i) {
            crew.emplace_back([&] {
                for (int n = 0; n < each; ++n) {
                    all.all.granted[grant_way::free].add();
                    all.all.wait.add(nanoseconds{n});
                }
            });
        }
    }
    const auto got = all.read().all;
    EXPECT_EQ(got.granted[grant_way::free], 1U * threads * each);
    EXPECT_EQ(got.wait.count, 1U * threads * each);
    EXPECT_EQ(got.wait.sum, nanoseconds{1LL * threads * each * (each - 1) / 2});
}

TEST(counters, of_a_measured_lock_are_kept_beside_those_of_all)
{
    observe::client_counters all{{"job", "other"}};
    all.each(all.of("job"), [](auto& here) { here.not_granted[errc::busy].add(); });
    all.each(all.of("unknown"), [](auto& here) { here.not_granted[errc::busy].add(); });
    const auto got = all.read();
    EXPECT_EQ(got.all.not_granted[errc::busy], 2U);
    ASSERT_EQ(got.locks.size(), 2U);
    EXPECT_EQ(got.locks.at("job").not_granted[errc::busy], 1U);
    EXPECT_EQ(got.locks.at("other"), lock_metrics{});
}

TEST(lock_metrics, count_as_attempts_what_a_caller_asked_for)
{
    lock_metrics all;
    all.granted[grant_way::free] = 3;
    all.granted[grant_way::re_entered] = 2;
    all.granted[grant_way::changed] = 10;
    all.granted[grant_way::woken] = 10;
    all.not_granted[errc::busy] = 4;
    EXPECT_EQ(all.attempts(), 9U);
    EXPECT_EQ(all.held(), 23U) << "a re-entry is no grant of its own";
    all.hold.count = 22;
    EXPECT_EQ(all.held(), 1U);
}

// The arrays of the counters end with the last value of an enumeration, so a new value must move that end.
TEST(lock_metrics, have_a_number_for_each_cause_code_and_way)
{
    const lock_metrics none;
    EXPECT_NE(to_string(static_cast<cause>(none.losses.size() - 1)), "unknown");
    EXPECT_EQ(to_string(static_cast<cause>(none.losses.size())), "unknown");
    EXPECT_NE(to_string(static_cast<grant_way>(none.granted.size() - 1)), "unknown");
    EXPECT_EQ(to_string(static_cast<grant_way>(none.granted.size())), "unknown");
    const auto codes = static_cast<int>(none.not_granted.size());
    EXPECT_EQ(error_category().message(codes - 1).find("unknown"), std::string::npos);
    EXPECT_EQ(error_category().message(codes), "unknown pawl error " + std::to_string(codes));
}

TEST(ways, have_names)
{
    EXPECT_EQ(to_string(grant_way::handed_over), "handed over");
    EXPECT_EQ(to_string(grant_way::woken), "woken");
}

std::string refusal(std::vector<std::string> names)
{
    client_options options;
    options.measured_locks = std::move(names);
    try {
        sync::validate(options);
    } catch (const error& problem) {
        EXPECT_EQ(problem.code(), errc::bad_argument);
        return problem.what();
    }
    return "accepted";
}

TEST(measured_locks, are_a_hundred_at_most)
{
    EXPECT_EQ(refusal(std::vector<std::string>(100, "a")), "accepted");
    const auto text = refusal(std::vector<std::string>(101, "a"));
    EXPECT_NE(text.find("measured_locks: 101 names (allowed: 0 to 100 names)"), std::string::npos)
        << text;
}

TEST(measured_locks, have_names_that_a_lock_can_have)
{
    EXPECT_EQ(refusal({std::string(512, 'x')}), "accepted");
    for (const auto& bad : {std::string{}, std::string(513, 'x'), std::string("a\0b", 3)}) {
        const auto text = refusal({"good", bad});
        EXPECT_NE(text.find("measured_locks"), std::string::npos) << text;
        EXPECT_NE(text.find("1 to 512 bytes"), std::string::npos) << text;
    }
}

}  // namespace
}  // namespace pawl
