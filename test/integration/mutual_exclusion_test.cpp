// At most one holder at a time, even if processes are stopped or killed.
#include "integration/child.h"
#include "integration/fixture.h"
#include "support/temp_dir.h"

#include <csignal>
#include <fstream>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace pawl::test {
namespace {

constexpr int processes = 8;
constexpr int threads = 4;
constexpr int rounds = 100;

long read_number(const std::string& path)
{
    long value = 0;
    std::ifstream{path} >> value;
    return value;
}

// Reads, waits a little, and writes: without mutual exclusion, updates are lost.
void add_one(const std::string& counter, const std::string& fences, std::uint64_t fence)
{
    const long seen = read_number(counter);
    std::this_thread::sleep_for(std::chrono::microseconds{100 + fence % 200});
    std::ofstream{counter, std::ios::trunc} << seen + 1;
    std::ofstream{fences, std::ios::app} << fence << '\n';
}

int count_under_the_lock(const child_arguments& arguments)
{
    client shared{arguments.at(0)};
    mutex counter{shared, "counter", quick(10s)};
    std::vector<std::jthread> all;
    for (int t = 0; t < threads; ++t) {
        all.emplace_back([&] {
            for (int i = 0; i < rounds; ++i) {
                const std::scoped_lock guard{counter};
                add_one(arguments.at(1), arguments.at(2), counter.current()->fence());
            }
        });
    }
    return 0;
}

// Holds a lock until the test asks for its state.
int hold_and_report(const child_arguments& arguments)
{
    client own{arguments.at(0)};
    mutex lock{own, arguments.at(1), quick(std::chrono::milliseconds{std::stol(arguments.at(2))})};
    hold held = lock.acquire();
    const std::stop_callback at_loss{held.lost(), [] { say("told"); }};
    say("fence " + std::to_string(held.fence()));
    hear();
    // The first check after the process was stopped or not.
    const bool lost = held.lost().stop_requested();
    say("lost " + std::to_string(lost));
    say("valid " + std::to_string(held.valid_for().count()));
    say("state " + std::string{to_string(held.state())});
    say("why " + std::string{to_string(held.why())});
    std::error_code told;
    held.release(told);
    say("release " + std::to_string(told == errc::lost));
    return 0;
}

const child_role counting{"counting", count_under_the_lock};
const child_role holding{"holding", hold_and_report};

class mutual_exclusion : public with_server {
protected:
    temp_dir files_;
};

TEST_F(mutual_exclusion, loses_no_update_of_eight_processes_with_four_threads)
{
    const std::string counter = files_.file("counter");
    const std::string fences = files_.file("fences");
    std::vector<process> all;
    for (int p = 0; p < processes; ++p) {
        all.push_back(counting.start({server_.unix_url(), counter, fences}));
    }
    for (process& one : all) EXPECT_EQ(one.wait(100s), exited(0)) << one.err();

    EXPECT_EQ(read_number(counter), processes * threads * rounds);
    std::ifstream in{fences};
    std::uint64_t last = 0;
    long count = 0;
    for (std::uint64_t fence = 0; in >> fence; last = fence, ++count) ASSERT_GT(fence, last);
    EXPECT_EQ(count, processes * threads * rounds);
    EXPECT_FALSE(probe_.exists("counter"));
}

TEST_F(mutual_exclusion, a_holder_that_slept_past_its_lease_knows_that_it_lost_the_lock)
{
    process sleeper = holding.start({server_.unix_url(), "job", "400"});
    const std::uint64_t old_fence = std::stoull(sleeper.line_after("fence "));
    sleeper.signal(SIGSTOP);

    client own{options()};
    mutex lock{own, "job", quick(10s)};
    hold next = lock.acquire();
    EXPECT_GT(next.fence(), old_fence);

    sleeper.write("go\n");
    sleeper.signal(SIGCONT);
    EXPECT_EQ(sleeper.line_after("lost "), "1");
    EXPECT_EQ(sleeper.line_after("valid "), "0");
    EXPECT_EQ(sleeper.line_after("state "), "lost");
    EXPECT_EQ(sleeper.line_after("release "), "1");
    EXPECT_EQ(sleeper.line_after("told"), "");
    EXPECT_EQ(sleeper.wait(patience), exited(0));

    EXPECT_TRUE(next.confirm());
    EXPECT_EQ(probe_.get("job"), next.id());
}

TEST_F(mutual_exclusion, a_holder_that_slept_less_than_its_lease_still_holds)
{
    process sleeper = holding.start({server_.unix_url(), "job", "5000"});
    (void)sleeper.line_after("fence ");
    sleeper.signal(SIGSTOP);
    ASSERT_TRUE(always(300ms, [&] { return probe_.exists("job"); }));
    sleeper.write("go\n");
    sleeper.signal(SIGCONT);
    EXPECT_EQ(sleeper.line_after("lost "), "0");
    EXPECT_EQ(sleeper.line_after("state "), "held");
    EXPECT_EQ(sleeper.wait(patience), exited(0));
    EXPECT_FALSE(probe_.exists("job"));
}

TEST_F(mutual_exclusion, a_killed_holder_is_followed_by_another_within_its_lease)
{
    process victim = holding.start({server_.unix_url(), "job", "700"});
    const std::uint64_t old_fence = std::stoull(victim.line_after("fence "));
    victim.signal(SIGKILL);
    ASSERT_EQ(victim.wait(patience), killed_by(SIGKILL));

    client own{options()};
    lock_options seldom = quick(10s);
    seldom.wait = poll{10s};  // the waiter knows the end of the lease, and need not poll for it
    mutex lock{own, "job", seldom};
    std::optional<hold> next;
    EXPECT_LT(time_of([&] { next = lock.try_acquire_for(10s); }), 700ms + slack);
    ASSERT_TRUE(next);
    EXPECT_GT(next->fence(), old_fence);
}

}  // namespace
}  // namespace pawl::test
