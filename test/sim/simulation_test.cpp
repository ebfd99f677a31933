// Tests of the simulator itself.
#include "sim/campaign.h"
#include "sim/drifting_clock.h"
#include "sim/fiber.h"
#include "sim/mutants.h"
#include "sim/run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace pawl::sim {
namespace {

using namespace std::chrono_literals;

class simulation_of : public testing::TestWithParam<family> {};

std::vector<family> every_family()
{
    std::vector<family> all;
    for (const auto& each : all_families()) all.push_back(each.which);
    return all;
}

TEST_P(simulation_of, a_seed_is_the_same_every_time)
{
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        const auto what = draw_plan(seed, GetParam());
        const auto first = run{what, false}.execute();
        // With a trace, and after other runs have used the memory. Neither may change the result.
        const auto second = run{what, true}.execute();
        EXPECT_EQ(first.steps, second.steps) << seed;
        EXPECT_EQ(first.grants, second.grants) << seed;
        EXPECT_EQ(first.losses, second.losses) << seed;
        EXPECT_EQ(first.simulated, second.simulated) << seed;
        EXPECT_EQ(first.fired, second.fired) << seed;
    }
}

TEST_P(simulation_of, a_seed_has_the_same_faults_in_every_family)
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto one = draw_plan(seed, family::exclusive);
        const auto other = draw_plan(seed, GetParam());
        // A quorum does not survive every fault, and has shorter leases.
        if (GetParam() == family::quorum) {
            EXPECT_EQ(other.faults & ~one.faults, fault_set{}) << seed;
            EXPECT_LE(other.lease, one.lease) << seed;
            continue;
        }
        EXPECT_EQ(one.faults, other.faults) << seed;
        EXPECT_EQ(one.lease, other.lease) << seed;
        EXPECT_EQ(one.length, other.length) << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(families, simulation_of, testing::ValuesIn(every_family()),
                         [](const auto& each) { return std::string{name_of(each.param)}; });

TEST(simulation, has_every_kind_of_fault_and_they_have_effects)
{
    tally sum;
    const auto complete = [&sum] {
        const auto fired = [](auto times) { return times > 0; };
        return std::ranges::all_of(sum.fired, fired) && sum.losses > 0 && sum.stale_writes > 0;
    };
    for (std::uint64_t seed = 1; seed <= 80 && !complete(); ++seed) {
        sum.add(run{draw_plan(seed), false}.execute());
    }
    for (std::size_t i = 0; i < fault_count; ++i) EXPECT_GT(sum.fired[i], 0U) << fault_names[i];
    EXPECT_GT(sum.losses, 0U);
    EXPECT_GT(sum.stale_writes, 0U);
}

TEST(simulation, shows_the_trace_of_a_mutant_and_the_smallest_set_of_faults_that_detects_it)
{
    const auto* const no_nx = mutant_named("D12");
    ASSERT_NE(no_nx, nullptr);
    become(no_nx);
    std::uint64_t seed = 1;
    while (!run{draw_plan(seed), false}.execute().found) ++seed;
    const auto whole = draw_plan(seed);
    const auto found = run{whole, false}.execute().found;
    const auto small = shrink(whole, found->check);
    EXPECT_LE(small.faults.count(), whole.faults.count());
    const auto shown = run{small, true}.execute();
    become(nullptr);
    ASSERT_TRUE(shown.found);
    EXPECT_EQ(shown.found->check, found->check);
    EXPECT_NE(shown.trace.find("✗ " + found->check), std::string::npos);
}

TEST(simulation, refuses_a_mutant_that_fits_no_script)
{
    const mutant outdated{"X", "nothing", base::mutant::none, {{"no such line", ""}}};
    EXPECT_THROW(check_changes(outdated), std::logic_error);
}

TEST(simulation, has_no_mutant_that_fits_no_script)
{
    for (const auto& each : all_mutants()) {
        EXPECT_NO_THROW(check_changes(each)) << each.name;
    }
}

TEST(drifting_clock, knows_when_it_will_show_a_time)
{
    dice dice{1};
    for (int i = 0; i < 1000; ++i) {
        const drifting_clock clock{dice.spread(1s, 1h), dice.between(-200'000, 200'000)};
        const auto reading = clock.at(dice.spread(1ns, 24h * 365));
        const auto when = clock.when(reading);
        EXPECT_GE(clock.at(when), reading);
        EXPECT_LT(clock.at(when - 1ns), reading);
    }
}

TEST(fiber, continues_where_it_parked)
{
    std::vector<int> order;
    fiber one{[&] {
        order.push_back(1);
        fiber::current()->park();
        order.push_back(3);
    }};
    one.resume();
    order.push_back(2);
    EXPECT_FALSE(one.has_ended());
    one.resume();
    EXPECT_TRUE(one.has_ended());
    EXPECT_EQ(order, (std::vector{1, 2, 3}));
}

TEST(fiber, may_throw_and_catch)
{
    bool caught = false;
    fiber one{[&] {
        fiber::current()->park();
        try {
            throw std::runtime_error{"inside"};
        } catch (const std::runtime_error&) {
            caught = true;
        }
    }};
    one.resume();
    one.resume();
    EXPECT_TRUE(caught);
}

}  // namespace
}  // namespace pawl::sim
