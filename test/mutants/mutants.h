// Mutants that only real servers can show: the simulator has no Sentinel, no Cluster and no replicas.
#pragma once

#include "base/mutant.h"

#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::test {

struct real_mutant {
    // From a text to its replacement, in every script.
    using change = std::pair<std::string_view, std::string_view>;

    std::string_view name;
    base::mutant in_code = base::mutant::none;
    std::vector<change> in_scripts{};
    std::string_view test;  // the integration test that must notice it
};

[[nodiscard]] std::span<const real_mutant> real_mutants();

// From now on this process has the defect.
void become(const real_mutant& which);

}  // namespace pawl::test
