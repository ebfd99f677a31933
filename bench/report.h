// A whole run, also as data: the settings, the machine, and each figure of each round.
#pragma once

#include "command_line.h"
#include "comparison.h"
#include "growth.h"

#include <string>
#include <vector>

namespace pawl::bench {

struct run_results {
    std::string redis;  // its version
    std::vector<comparison> comparisons{};
    std::vector<growth> growths{};

    [[nodiscard]] bool failed() const;
};

// Throws if the file cannot be written.
void write_report(const std::string& path, const settings& wanted, const run_results& all);

}  // namespace pawl::bench
