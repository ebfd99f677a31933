// First come, first served: the order of grants is the order in which the requests were executed.
#include "integration/child.h"
#include "integration/contended.h"
#include "support/request_monitor.h"
#include "support/sanitized.h"
#include "support/temp_dir.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <strings.h>
#include <thread>
#include <unordered_map>
#include <vector>

namespace pawl::test {
namespace {

constexpr int processes = 8;
constexpr int threads = 4;
constexpr int rounds = sanitized ? 60 : 625;  // per thread: 20,000 grants in all

// Takes the lock again and again. Then writes which holders were granted it, with which fences.
int take_turns(const child_arguments& arguments)
{
    client own{arguments.at(0)};
    fair_mutex lock{own, "job", quick(long_lease)};
    std::vector<std::vector<std::string>> grants(threads);
    // A client that has never waited joins the queue only after it listens.
    fair_mutex{own, "warm-up", quick(long_lease)}.acquire().release();
    say("ready");
    hear();
    {
        std::vector<std::jthread> all;
        for (auto& mine : grants) {
            all.emplace_back([&lock, &mine] {
                for (int i = 0; i < rounds; ++i) {
                    const hold held = lock.acquire();
                    mine.push_back(held.id() + ' ' + std::to_string(held.fence()));
                }
            });
        }
    }
    std::ofstream out{arguments.at(1)};
    for (const auto& mine : grants) {
        for (const auto& line : mine) out << line << '\n';
    }
    return out.flush() ? 0 : 2;
}

const child_role taking_turns{"taking turns", take_turns};

struct grant_seen {
    std::size_t arrival;  // the number of the request, in the order of arrival
    std::uint64_t fence;
};

class fair_order : public contended {
protected:
    void SetUp() override
    {
        // If the server does not know the script, the request is not executed until it is sent
        // again. Such a request must not be counted.
        fair_mutex lock{first_, "job", quick(long_lease)};
        lock.acquire().release();
    }

    // Notes when a holder is named for the first time: that is its acquire. Later it looks, renews
    // and releases.
    void note(const request& words)
    {
        ++requests_;
        if (words.size() < 4 || ::strcasecmp(words[0].c_str(), "evalsha") != 0) return;
        const auto holder = 3 + std::stoul(words[2]);
        if (holder < words.size()) arrivals_.try_emplace(words[holder], requests_);
    }

    std::size_t requests_ = 0;
    std::unordered_map<std::string, std::size_t> arrivals_;
    temp_dir files_;
};

TEST_F(fair_order, of_eight_processes_with_four_threads_is_the_order_of_arrival)
{
    request_monitor monitor{server_.socket_path(), [this](const request& words) { note(words); }};
    std::vector<process> all;
    fair_mutex warm_up{first_, "warm-up", quick(long_lease)};
    hold held = warm_up.acquire();
    for (int p = 0; p < processes; ++p) {
        all.push_back(taking_turns.start({server_.unix_url(), files_.file(std::to_string(p))}));
    }
    ASSERT_TRUE(until_queued(processes, "warm-up"));
    held.release();
    for (process& one : all) (void)one.line_after("ready");
    for (process& one : all) one.write("go\n");
    for (process& one : all) ASSERT_EQ(one.wait(110s), exited(0)) << one.err();
    monitor.catch_up(probe_);

    std::vector<grant_seen> grants;
    for (int p = 0; p < processes; ++p) {
        std::ifstream in{files_.file(std::to_string(p))};
        std::string id;
        for (std::uint64_t fence = 0; in >> id >> fence;) {
            ASSERT_TRUE(arrivals_.contains(id)) << id;
            grants.push_back({.arrival = arrivals_.at(id), .fence = fence});
        }
    }
    ASSERT_EQ(grants.size(), static_cast<std::size_t>(processes) * threads * rounds);
    std::ranges::sort(grants, {}, &grant_seen::arrival);
    for (std::size_t i = 1; i < grants.size(); ++i) {
        ASSERT_GT(grants[i].arrival, grants[i - 1].arrival);
        ASSERT_GT(grants[i].fence, grants[i - 1].fence) << "grant " << i << " of " << grants.size();
    }
    EXPECT_TRUE(until_nothing_is_left());
}

TEST_F(fair_order, holds_for_threads_of_one_process_too)
{
    constexpr std::size_t waiters = 6;
    fair_mutex lock{first_, "job", quick(long_lease)};
    fair_mutex twin{first_, "job", quick(long_lease)};  // another object of the same lock
    std::optional<hold> held = lock.acquire();
    std::vector<std::unique_ptr<asking>> line;
    for (std::size_t i = 0; i < waiters; ++i) {
        line.push_back(std::make_unique<asking>(i % 2 == 0 ? lock : twin));
        ASSERT_TRUE(until_queued(static_cast<std::int64_t>(i + 1)));
    }
    for (auto& next : line) {
        held->release();
        ASSERT_TRUE(next->ends_within(soon));
        held = next->result();
        ASSERT_TRUE(held);
        EXPECT_EQ(holder(), held->id());
    }
}

TEST_F(fair_order, is_not_broken_by_a_caller_that_comes_when_the_lock_has_just_become_free)
{
    // The holder's lease ends while there are two waiters, and no message tells them. The newcomer
    // asks first.
    probe_.must({"SET", "job", "someone", "PX", "60000"});
    fair_mutex lock{first_, "job", quick(long_lease)};
    fair_mutex later{second_, "job", quick(long_lease)};
    fair_mutex newcomer{third_, "job", quick(long_lease)};
    asking first{lock};
    ASSERT_TRUE(until_queued(1));
    asking second{later};
    ASSERT_TRUE(until_queued(2));
    probe_.must({"DEL", "job"});
    EXPECT_FALSE(newcomer.try_acquire());
    ASSERT_TRUE(first.ends_within(soon));
    EXPECT_FALSE(second.ends_within(0ms));
    EXPECT_TRUE(first.result());
    EXPECT_TRUE(second.ends_within(soon));
}

TEST_F(fair_order, puts_a_waiter_that_gave_up_and_comes_back_at_the_end)
{
    fair_mutex lock{first_, "job", quick(long_lease)};
    fair_mutex theirs{second_, "job", quick(long_lease)};
    fair_mutex others{third_, "job", quick(long_lease)};
    hold held = lock.acquire();
    asking gone{theirs};
    ASSERT_TRUE(until_queued(1));
    asking stays{others};
    ASSERT_TRUE(until_queued(2));
    gone.cancel();
    ASSERT_TRUE(until_queued(1));
    asking back{theirs};  // comes back, and is last
    ASSERT_TRUE(until_queued(2));
    held.release();
    ASSERT_TRUE(stays.ends_within(soon));
    EXPECT_FALSE(back.ends_within(0ms));
    EXPECT_TRUE(stays.result());
    EXPECT_TRUE(back.ends_within(soon));
}

}  // namespace
}  // namespace pawl::test
