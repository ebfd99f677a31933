// The defects that the simulator must catch: docs/simulator.md tells where they were seen.
#pragma once

#include "base/mutant.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::sim {

struct mutant {
    std::string_view name;
    std::string_view defect;

    // One or the other: a switch in the code, or changes to the text of the scripts.
    base::mutant in_code = base::mutant::none;
    struct change {
        std::string_view from;
        std::string_view to;
    };
    std::vector<change> in_scripts;
};

[[nodiscard]] std::span<const mutant> all_mutants();
[[nodiscard]] const mutant* mutant_named(std::string_view name);

// Throws std::logic_error if a change of it fits no script any more: it would be no mutant.
void check_changes(const mutant& which);

// Makes all runs from here on those of the mutant; null ends that.
void become(const mutant* which);

// What the mutant does to a script that is loaded; empty if nothing.
[[nodiscard]] const std::function<std::string(std::string_view)>& script_mutation();

}  // namespace pawl::sim
