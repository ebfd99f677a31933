// pawl::lock_set and std::scoped_lock of several mutexes on a real server, in several processes that name the
// locks in different orders.
#include "integration/child.h"
#include "integration/fixture.h"
#include "support/shared_file.h"
#include "support/temp_dir.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <vector>

namespace pawl::test {
namespace {

const std::array<std::string, 3> keys{"a", "b", "c"};

// What the locks protect: for each of them, who is inside, and the last fence.
struct arena {
    std::atomic<bool> over;
    std::array<std::atomic<pid_t>, 3> inside;
    std::array<std::atomic<std::uint64_t>, 3> last_fence;
    std::array<std::atomic<std::int64_t>, 3> turns;
};

// How many turns each process must get.
constexpr int enough = 20;

// The place of a key in the arena.
std::size_t place_of(const std::string& key)
{
    return static_cast<std::size_t>(std::ranges::find(keys, key) - keys.begin());
}

// Empty if all is well.
std::string go_inside(arena& shared, const std::vector<std::string>& names, std::uint64_t fence)
{
    for (const auto& name : names) {
        const auto at = place_of(name);
        if (shared.inside[at].exchange(::getpid()) != 0) return "two are inside " + name;
        const auto before = shared.last_fence[at].exchange(fence);
        if (fence != 0 && before >= fence) return "the fence of " + name + " does not grow";
        ++shared.turns[at];
    }
    std::this_thread::yield();
    for (const auto& name : names) shared.inside[place_of(name)] = 0;
    return {};
}

int complain(const std::string& problem)
{
    say(problem);
    return 3;
}

// URL, file, and the locks that this process takes together.
const child_role taker{"lock_set", [](const child_arguments& arguments) {
                           client own{arguments.at(0)};
                           const shared_file<arena> shared{arguments.at(1)};
                           const std::vector<std::string> names{arguments.begin() + 2,
                                                                arguments.end()};
                           lock_set set{own, names, quick(2s)};
                           for (int turns = 0; !shared->over || turns < enough; ++turns) {
                               std::error_code told;
                               const auto held = set.try_acquire_for(20s, told);
                               if (!held) return complain("no turn: " + told.message());
                               const auto problem = go_inside(*shared, names, held->fence());
                               if (!problem.empty()) return complain(problem);
                           }
                           return 0;
                       }};

// The same with std::scoped_lock of two mutexes, in the order in which they are named.
const child_role locker{"scoped_lock", [](const child_arguments& arguments) {
                            client own{arguments.at(0)};
                            const shared_file<arena> shared{arguments.at(1)};
                            mutex first{own, arguments.at(2), quick(2s)};
                            mutex second{own, arguments.at(3), quick(2s)};
                            for (int turns = 0; !shared->over || turns < enough; ++turns) {
                                const std::scoped_lock both{first, second};
                                const auto problem =
                                    go_inside(*shared, {arguments.at(2), arguments.at(3)}, 0);
                                if (!problem.empty()) return complain(problem);
                            }
                            return 0;
                        }};

class lock_sets : public with_server {
protected:
    [[nodiscard]] child_arguments with(const std::vector<std::string>& names) const
    {
        child_arguments made{server_.unix_url(), path()};
        made.insert(made.end(), names.begin(), names.end());
        return made;
    }

    [[nodiscard]] std::string path() const { return folder_.file("arena"); }

    // All processes go on until each lock had so many turns.
    void run_until(std::int64_t turns)
    {
        EXPECT_TRUE(eventually(30s, [&] {
            return std::ranges::all_of(arena_->turns,
                                       [&](const auto& each) { return each >= turns; });
        }));
        arena_->over = true;
        for (auto& each : running_) EXPECT_EQ(each.wait(30s), exited(0)) << each.out();
    }

    void expect_nothing_left()
    {
        EXPECT_TRUE(eventually([&] {
            return probe_
                       .must({"EXISTS", "a", "b", "c", "pawl:queue:{a}", "pawl:queue:{b}",
                              "pawl:queue:{c}"})
                       .integer == 0;
        }));
    }

    temp_dir folder_;
    shared_file<arena> arena_{path()};
    std::vector<process> running_;
};

TEST_F(lock_sets, in_processes_that_name_them_in_different_orders_all_get_their_turns)
{
    for (const auto& names : std::vector<std::vector<std::string>>{
             {"a", "b", "c"}, {"c", "b", "a"}, {"b", "c"}, {"c", "a"}, {"a"}}) {
        running_.push_back(taker.start(with(names)));
    }
    run_until(200);
    expect_nothing_left();
}

TEST_F(lock_sets, and_scoped_locks_of_mutexes_in_different_orders_all_get_their_turns)
{
    running_.push_back(locker.start(with({"a", "b"})));
    running_.push_back(locker.start(with({"b", "a"})));
    running_.push_back(locker.start(with({"b", "c"})));
    running_.push_back(taker.start(with({"c", "a"})));
    run_until(50);
    expect_nothing_left();
}

TEST_F(lock_sets, of_a_process_that_is_killed_are_free_after_the_lease)
{
    running_.push_back(taker.start(with({"a", "b"})));
    ASSERT_TRUE(eventually(20s, [&] { return arena_->turns[0] > 10; }));
    running_.back().signal(SIGKILL);
    client own{options()};
    const auto held = try_acquire_all_for(own, {"b", "a"}, 10s);
    ASSERT_TRUE(held);
    EXPECT_EQ(probe_.must({"GET", "a"}).text, held->id());
    EXPECT_EQ(probe_.must({"GET", "b"}).text, held->id());
}

TEST_F(lock_sets, of_a_waiter_that_is_stopped_with_a_part_are_free_after_a_second)
{
    client own{options()};
    mutex first{own, "a"};
    mutex second{own, "b"};
    auto held = first.acquire();
    auto other = second.acquire();
    process waiter = taker.start(with({"a", "b"}));
    ASSERT_TRUE(eventually(20s, [&] { return probe_.exists("pawl:queue:{a}"); }));
    waiter.signal(SIGSTOP);
    held.release();
    EXPECT_TRUE(probe_.must({"GET", "a"}).text.starts_with("pA")) << "a part";
    const auto left = probe_.must({"PTTL", "a"}).integer;
    EXPECT_LE(left, 1'000);
    EXPECT_TRUE(eventually(5s, [&] { return first.try_acquire().has_value(); }));
    waiter.signal(SIGCONT);
    other.release();
    EXPECT_TRUE(eventually(20s, [&] { return arena_->turns[0] > 0; })) << "it gets its turn";
    arena_->over = true;
    EXPECT_EQ(waiter.wait(30s), exited(0)) << waiter.out();
    expect_nothing_left();
}

}  // namespace
}  // namespace pawl::test
