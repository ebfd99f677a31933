// Processes of several threads use one lock, latch or barrier, and one of them is killed with
// kill -9 every 100 ms. locks.cpp and gates.cpp have what they do.
#include "integration/child.h"
#include "integration/contended.h"
#include "integration/kill/worker.h"
#include "support/shared_file.h"
#include "support/temp_dir.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace pawl::test::kill {
namespace {

using steady = std::chrono::steady_clock;

constexpr unsigned threads_each = 4;
constexpr auto between_kills = 100ms;

// A killed holder delays the others by a lease and one look. A waiter that was killed right after
// its grant, before it noticed, can add the same again. The rest allows for a busy machine.
constexpr auto longest_stall = 2 * (lease + look_interval(lease) + slack);

bool is_long()
{
    return std::getenv("PAWL_TEST_LONG") != nullptr;
}

unsigned process_count()
{
    return is_long() ? 8 : 3;
}

std::chrono::milliseconds duration()
{
    return is_long() ? 10s : 1s;
}

// Takes turns until the test is over. Ends the process if something is wrong.
void take_turns(kind& shared, worker by, arena& all)
{
    while (!by.stop().stop_requested()) {
        try {
            shared.turn(by);
            ++all.turns;
        } catch (const std::system_error& problem) {
            if (problem.code() == errc::cancelled && by.stop().stop_requested()) return;
            if (problem.code() == errc::lost) continue;
            say(problem.what());
            std::_Exit(3);
        } catch (const std::exception& problem) {
            say(problem.what());
            std::_Exit(3);
        }
    }
}

int run_worker(const child_arguments& arguments)
{
    const shared_file<arena> all{arguments.at(2)};
    client own{arguments.at(0)};
    const auto shared = kinds().at(arguments.at(1))(
        {.own = own, .all = *all, .threads = static_cast<unsigned>(std::stoul(arguments.at(3)))});
    const std::size_t first_claim = std::stoul(arguments.at(4));
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < threads_each; ++i) {
        threads.emplace_back([&, i](const std::stop_token& stop) {
            take_turns(*shared, worker{*all, all->claims.at(first_claim + i), stop}, *all);
        });
    }
    while (!all->over) std::this_thread::sleep_for(2ms);
    return 0;
}

const child_role working{"working while others are killed", run_worker};

class killing_processes : public with_server, public testing::WithParamInterface<std::string> {
protected:
    struct crew_member {
        std::unique_ptr<process> running;
        std::size_t first_claim;
    };

    void start_all()
    {
        for (unsigned i = 0; i < process_count(); ++i) crew_.push_back(start_one());
        ASSERT_TRUE(eventually([&] { return all_->turns > threads() || !all_run(); }) && all_run())
            << all_said();
    }

    [[nodiscard]] bool all_run() const
    {
        return std::ranges::all_of(crew_,
                                   [](const crew_member& one) { return one.running->running(); });
    }

    [[nodiscard]] crew_member start_one()
    {
        const auto first_claim = claims_used_;
        claims_used_ += threads_each;
        return {.running = std::make_unique<process>(
                    working.start({server_.unix_url(), GetParam(), files_.file("arena"),
                                   std::to_string(threads()), std::to_string(first_claim)})),
                .first_claim = first_claim};
    }

    [[nodiscard]] bool is_inside(const crew_member& one) const
    {
        return holds_anything(*all_, one.first_claim, threads_each);
    }

    // Whether this kind gives its callers something to hold.
    [[nodiscard]] bool has_claims() const
    {
        return std::ranges::any_of(all_->claims, [](const claim& one) { return one.part != 0; });
    }

    // In half of the cases a process that holds something: a random choice would find mostly
    // waiters.
    [[nodiscard]] crew_member& choose_victim()
    {
        if (dice_() % 2 == 0) {
            const auto inside =
                std::ranges::find_if(crew_, [&](const crew_member& one) { return is_inside(one); });
            if (inside != crew_.end()) return *inside;
        }
        return crew_[dice_() % crew_.size()];
    }

    void kill_one()
    {
        crew_member& victim = choose_victim();
        victim.running->signal(SIGKILL);
        ASSERT_EQ(victim.running->wait(patience), killed_by(SIGKILL)) << said_by(victim);
        if (is_inside(victim)) ++holders_killed_;
        ++killed_;
        victim = start_one();
    }

    void kill_for(std::chrono::milliseconds time)
    {
        const auto end = steady::now() + time;
        auto next_kill = steady::now() + between_kills;
        auto last_turn = steady::now();
        for (auto turns = all_->turns.load(); steady::now() < end && !HasFatalFailure();) {
            if (steady::now() >= next_kill) {
                kill_one();
                next_kill += between_kills;
            }
            longest_ = std::max(longest_, steady::now() - last_turn);
            if (all_->turns != turns) {
                turns = all_->turns;
                last_turn = steady::now();
            }
            std::this_thread::sleep_for(2ms);  // leaves the processes time to work
        }
    }

    void end_all()
    {
        all_->over = true;
        for (const crew_member& one : crew_) {
            EXPECT_EQ(one.running->wait(2 * patience), exited(0)) << said_by(one);
        }
    }

    void expect_that_a_newcomer_enters()
    {
        client own{options()};
        const auto alone = kinds().at(GetParam())({.own = own, .all = *all_, .threads = threads()});
        EXPECT_NO_THROW(alone->enter_alone());
    }

    [[nodiscard]] std::vector<std::string> keys_without_expiry()
    {
        constexpr std::int64_t none = -1;
        std::vector<std::string> all = probe_.keys("*");
        std::erase_if(all, [&](const std::string& key) {
            return probe_.must({"PTTL", key}).integer != none;
        });
        return all;
    }

    [[nodiscard]] static unsigned threads() { return process_count() * threads_each; }

    [[nodiscard]] static std::string said_by(const crew_member& one)
    {
        return one.running->out() + one.running->err();
    }

    [[nodiscard]] std::string all_said() const
    {
        std::string all;
        for (const crew_member& one : crew_) all += said_by(one);
        return all;
    }

    temp_dir files_;
    shared_file<arena> all_{files_.file("arena")};
    std::mt19937 dice_{std::random_device{}()};
    std::vector<crew_member> crew_;
    std::size_t claims_used_ = 0;
    steady::duration longest_{};
    int killed_ = 0;
    int holders_killed_ = 0;
};

std::vector<std::string> kind_names()
{
    std::vector<std::string> names;
    for (const auto& [name, make] : kinds()) names.push_back(name);
    return names;
}

INSTANTIATE_TEST_SUITE_P(every, killing_processes, testing::ValuesIn(kind_names()),
                         [](const auto& of) { return of.param; });

TEST_P(killing_processes, breaks_no_rule_and_lets_a_new_caller_in)
{
    start_all();
    if (!HasFatalFailure()) kill_for(duration());
    end_all();
    EXPECT_LT(std::chrono::duration_cast<std::chrono::milliseconds>(longest_), longest_stall);
    RecordProperty("longest_stall_ms", std::to_string(longest_ / 1ms));
    RecordProperty("killed", killed_);
    RecordProperty("holders_killed", holders_killed_);
    RecordProperty("turns", std::to_string(all_->turns));

    // Otherwise the leases of the killed were not tested. In the short form it may be so by chance.
    if (is_long() && has_claims()) {
        EXPECT_GT(holders_killed_, 0);
    }

    expect_that_a_newcomer_enters();
    EXPECT_EQ(keys_without_expiry(), std::vector<std::string>{});
}

}  // namespace
}  // namespace pawl::test::kill
