// The contenders of a workload, alternating in one run, so that what disturbs the machine disturbs
// all of them.
#pragma once

#include "metric.h"
#include "round.h"
#include "workload.h"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace pawl::bench {

struct contestant {
    contender kind{};
    std::vector<round_result> rounds;
    std::string failure;  // empty: none; else it takes no part in later rounds

    [[nodiscard]] summary of(metric what) const;

    // How many times the other's figure this one's is, round by round.
    [[nodiscard]] summary compared_with(const contestant& other, metric what) const;
};

struct comparison {
    const workload* what = nullptr;
    std::string over;  // tcp or unix
    std::vector<contestant> contestants;

    [[nodiscard]] const contestant& find(contender kind) const;
    [[nodiscard]] bool failed() const;
};

struct effort {
    unsigned rounds = 5;
    std::chrono::milliseconds length{2'000};
};

// A contender that fails is noted and left out from then on. `progress` is told what comes next.
[[nodiscard]] comparison compare(const workload& what, const std::string& over,
                                 const std::string& url, const effort& how_much,
                                 const std::function<void(const std::string&)>& progress);

}  // namespace pawl::bench
