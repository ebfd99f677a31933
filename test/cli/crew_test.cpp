// Threads that measure together.
#include "crew.h"

#include "support/eventually.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace pawl::cli {
namespace {

using namespace std::chrono_literals;
using test::patience;

const auto do_nothing = [](const std::stop_token&) {};

// Returns when the token is triggered. Throws if it never is.
void wait_for(const std::stop_token& give_up)
{
    if (!test::eventually([&] { return give_up.stop_requested(); })) {
        throw std::runtime_error{"the token was never triggered"};
    }
}

crew_orders orders(std::chrono::milliseconds how_long)
{
    return {.how_long = how_long, .interrupted = {}, .tick = [] {}};
}

std::string text_of(const std::exception_ptr& problem)
{
    if (!problem) return "none";
    try {
        std::rethrow_exception(problem);
    } catch (const std::exception& why) {
        return why.what();
    }
}

TEST(crew, starts_when_all_are_ready)
{
    std::atomic<int> ready{0};
    std::atomic<bool> early{false};
    std::vector<crew_member> members;
    for (int i = 0; i < 8; ++i) {
        members.push_back({.prepare = [&](const auto&) { ++ready; },
                           .step = [&](const auto&) { early = early || ready != 8; }});
    }
    crew eight{std::move(members)};
    EXPECT_EQ(text_of(eight.run(orders(5ms))), "none");
    EXPECT_EQ(ready, 8);
    EXPECT_FALSE(early);
}

TEST(crew, does_at_least_one_step_per_thread_and_ends_when_the_time_is_up)
{
    std::atomic<int> steps{0};
    std::atomic<int> finished{0};
    const crew_member member{.prepare = do_nothing,
                             .step = [&](const auto&) { ++steps; },
                             .finish = [&] { ++finished; }};
    crew three{{member, member, member}};
    EXPECT_EQ(text_of(three.run(orders(0ms))), "none");
    EXPECT_GE(steps, 3);
    EXPECT_EQ(finished, 3);
    EXPECT_GT(three.elapsed(), 0ns);
}

TEST(crew, ends_all_threads_when_one_fails)
{
    const crew_member waits{.prepare = do_nothing, .step = wait_for};
    const crew_member fails{.prepare = do_nothing,
                            .step = [](const auto&) { throw std::runtime_error{"no more"}; }};
    crew three{{waits, fails, waits}};
    EXPECT_EQ(text_of(three.run(orders(patience))), "no more");
}

TEST(crew, ends_all_threads_when_one_cannot_start)
{
    std::atomic<int> steps{0};
    const crew_member steps_on{.prepare = do_nothing, .step = [&](const auto&) { ++steps; }};
    const crew_member fails{.prepare = [](const auto&) { throw std::runtime_error{"no start"}; },
                            .step = do_nothing};
    crew three{{steps_on, steps_on, fails}};
    EXPECT_EQ(text_of(three.run(orders(patience))), "no start");
    EXPECT_EQ(steps, 0);
    EXPECT_EQ(three.elapsed(), 0ns);
}

TEST(crew, ends_without_a_problem_when_interrupted)
{
    std::stop_source user;
    crew_orders until_interrupted = orders(patience);
    until_interrupted.interrupted = user.get_token();
    const crew_member waits{.prepare = do_nothing, .step = [](const auto& give_up) {
                                wait_for(give_up);
                                throw std::runtime_error{"cancelled"};
                            }};
    const crew_member interrupts{.prepare = do_nothing,
                                 .step = [&](const auto&) { user.request_stop(); }};
    crew two{{waits, interrupts}};
    EXPECT_EQ(text_of(two.run(until_interrupted)), "none");
}

TEST(crew, can_be_interrupted_before_it_starts)
{
    std::stop_source user;
    user.request_stop();
    crew_orders none = orders(patience);
    none.interrupted = user.get_token();
    crew one{{{.prepare = wait_for, .step = do_nothing}}};
    EXPECT_EQ(text_of(one.run(none)), "none");
    EXPECT_EQ(one.elapsed(), 0ns);
}

}  // namespace
}  // namespace pawl::cli
