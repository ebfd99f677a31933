// Repeated kill -9: the remaining processes are delayed by at most a lease.
#include "integration/child.h"
#include "integration/contended.h"
#include "support/shared_file.h"
#include "support/temp_dir.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>
#include <unistd.h>
#include <vector>

namespace pawl::test {
namespace {

using steady = std::chrono::steady_clock;

constexpr int workers = 6;
constexpr auto lease = 1000ms;
constexpr auto between_kills = 100ms;

// The documented bound of a stall is the lease and one look interval. The rest allows for a busy
// machine.
constexpr auto longest_stall = lease + look_interval(lease) + slack;

std::chrono::seconds duration()
{
    return std::getenv("PAWL_TEST_LONG") != nullptr ? 60s : 6s;
}

std::int64_t now_ns()
{
    return std::chrono::nanoseconds{steady::now().time_since_epoch()}.count();
}

// The data that the workers share besides the lock.
struct arena {
    std::atomic<bool> over;
    std::atomic<std::int64_t> grants;
    std::atomic<std::uint64_t> top_fence;
    // Until when the worker inside certainly holds the lock.
    std::atomic<std::int64_t> inside_until_ns;
    // Its process, or that of a worker that was killed inside.
    std::atomic<pid_t> inside;
};

class worker {
public:
    explicit worker(const child_arguments& arguments)
        : own_{arguments.at(0)},
          lock_{lock_kind_of(arguments.at(1)), own_, "job", quick(lease)},
          arena_{arguments.at(2)},
          token_{arguments.at(3)},
          dice_{std::random_device{}()}
    {
    }

    int run()
    {
        while (!arena_->over) {
            std::error_code told;
            const std::optional<hold> held = lock_->try_acquire_for(20s, told);
            if (!held) return complain("no turn: " + told.message());
            if (const std::string problem = go_inside(*held); !problem.empty()) {
                return complain(problem);
            }
        }
        return 0;
    }

private:
    static int complain(const std::string& problem)
    {
        say(problem);
        return 3;
    }

    // Returns the problem. Empty if there is none.
    std::string go_inside(const hold& held)
    {
        const std::string problem = check_fence(held);
        if (!problem.empty()) return problem;
        if (!token_.try_take()) {
            // Another worker is inside. It may have lost the lock while it was not running. That is
            // allowed. But if its own clock says that it still holds the lock, it is an error.
            const auto until = arena_->inside_until_ns.load();
            if (held.valid_for() > 0ms && now_ns() < until) return "two were inside";
            token_.take();
        }
        arena_->inside_until_ns = now_ns() + held.valid_for().count();
        arena_->inside = ::getpid();
        ++arena_->grants;
        std::this_thread::sleep_for(std::chrono::microseconds{dice_() % 3'000});
        arena_->inside = 0;
        arena_->inside_until_ns = 0;
        token_.give();
        return {};
    }

    // A fence smaller than one that was seen is allowed only if this worker has lost the lock
    // meanwhile.
    std::string check_fence(const hold& held)
    {
        auto top = arena_->top_fence.load();
        while (top < held.fence()) {
            if (arena_->top_fence.compare_exchange_weak(top, held.fence())) return {};
        }
        if (held.valid_for() == 0ms) return {};
        return "fence " + std::to_string(held.fence()) + " after " + std::to_string(top);
    }

    client own_;
    any_lock lock_;
    shared_file<arena> arena_;
    file_token token_;
    std::mt19937 dice_;
};

const child_role working{"working under the lock",
                         [](const child_arguments& arguments) { return worker{arguments}.run(); }};

class killing : public contended_of_kind {
protected:
    void start_all()
    {
        for (int i = 0; i < workers; ++i) workers_.push_back(start_one());
        ASSERT_TRUE(eventually([&] { return arena_->grants > workers; })) << all_said();
    }

    [[nodiscard]] std::unique_ptr<process> start_one() const
    {
        return std::make_unique<process>(
            working.start({server_.unix_url(), std::string{to_string(GetParam())},
                           files_.file("arena"), files_.file("token")}));
    }

    // In half of the cases the worker inside: a random choice would mostly find waiters.
    std::unique_ptr<process>& choose_victim()
    {
        const pid_t inside = arena_->inside;
        if (dice_() % 2 == 0) {
            for (auto& one : workers_) {
                if (one->pid() == inside) return one;
            }
        }
        return workers_[dice_() % workers_.size()];
    }

    void kill_one()
    {
        std::unique_ptr<process>& victim = choose_victim();
        victim->signal(SIGKILL);
        ASSERT_EQ(victim->wait(patience), killed_by(SIGKILL)) << victim->out() << victim->err();
        if (arena_->inside == victim->pid()) ++holders_killed_;
        ++killed_;
        victim = start_one();
    }

    // Every grant at the server has a new fence, even a grant to a worker that was killed.
    void watch_for_a_stall()
    {
        const auto now = steady::now();
        const std::string fence = probe_.get("pawl:fence:{job}");
        if (fence == last_fence_) {
            longest_ = std::max(longest_, now - last_grant_);
        } else {
            last_fence_ = fence;
            last_grant_ = now;
        }
    }

    void end_all()
    {
        arena_->over = true;
        for (const auto& one : workers_) {
            EXPECT_EQ(one->wait(2 * patience), exited(0)) << one->out() << one->err();
        }
    }

    [[nodiscard]] std::string all_said() const
    {
        std::string all;
        for (const auto& one : workers_) all += one->out() + one->err();
        return all;
    }

    temp_dir files_;
    shared_file<arena> arena_{files_.file("arena")};
    std::mt19937 dice_{std::random_device{}()};
    std::vector<std::unique_ptr<process>> workers_;
    std::string last_fence_;
    steady::time_point last_grant_ = steady::now();
    steady::duration longest_{};
    int killed_ = 0;
    int holders_killed_ = 0;
};

INSTANTIATE_TEST_SUITE_P(every, killing, testing::ValuesIn({lock_kind::plain, lock_kind::fair}),
                         kind_name);

TEST_P(killing, holders_and_waiters_neither_breaks_exclusion_nor_blocks_the_others)
{
    start_all();
    last_grant_ = steady::now();
    const auto end = steady::now() + duration();
    auto next_kill = steady::now();
    while (steady::now() < end && !HasFatalFailure()) {
        watch_for_a_stall();
        if (steady::now() >= next_kill) {
            kill_one();
            next_kill += between_kills;
        }
        std::this_thread::sleep_for(2ms);  // leaves the server time for other requests
    }
    end_all();
    EXPECT_LT(std::chrono::duration_cast<std::chrono::milliseconds>(longest_), longest_stall);
    EXPECT_GT(holders_killed_, 0);
    RecordProperty("longest_stall_ms", std::to_string(longest_ / 1ms));
    RecordProperty("killed", killed_);
    RecordProperty("holders_killed", holders_killed_);
    RecordProperty("grants", std::to_string(arena_->grants));

    // The last killed worker may have held the lock, or may have been the only one in the queue.
    EXPECT_TRUE(until_nothing_is_left(lease + 3 * look_interval(lease) + slack))
        << testing::PrintToString(leftovers());
}

}  // namespace
}  // namespace pawl::test
