// Many runs: their totals, and the problem that one of them found.
#pragma once

#include "sim/mutants.h"
#include "sim/plan.h"
#include "sim/run.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pawl::sim {

struct tally {
    std::uint64_t runs = 0;
    std::uint64_t steps = 0;
    std::uint64_t grants = 0;
    std::uint64_t losses = 0;
    std::uint64_t stale_writes = 0;
    double simulated_seconds = 0;
    std::array<std::uint64_t, fault_count> fired{};

    void add(const report& one);
    void add(const tally& other);
};

// The seed of a run that found a problem.
struct finding {
    std::uint64_t seed = 0;
    std::string check;
    std::string text;
};

struct campaign_options {
    family kinds{};
    std::uint64_t first_seed = 1;
    std::uint64_t seeds = 1000;
    std::optional<std::chrono::seconds> time;  // instead of a number of seeds
    unsigned jobs = 2;
    bool progress = false;
    const mutant* as = nullptr;  // with this defect
};

struct campaign_result {
    tally sum;
    std::vector<finding> found;  // at most one for each job
    std::chrono::duration<double> took{};
};

// Runs until a problem is found or all runs are done, in `jobs` processes.
[[nodiscard]] campaign_result run_campaign(const campaign_options& options);

// The smallest plan that still finds the problem of `what`: fewer faults, processes, threads and
// locks.
[[nodiscard]] plan shrink(const plan& what, const std::string& check);

}  // namespace pawl::sim
