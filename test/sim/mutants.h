// The defects that the simulator must detect. docs/simulator.md says where they were seen.
#pragma once

#include "base/mutant.h"
#include "sim/family.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::sim {

struct mutant {
    std::string_view name;
    std::string_view defect;

    // A switch in the code, changes to the text of the scripts, or both.
    base::mutant in_code = base::mutant::none;
    struct change {
        std::string_view from;
        std::string_view to;
    };
    std::vector<change> in_scripts;

    family kinds =
        family::exclusive;  // whose runs must detect it; its list is in the row of the family
};

[[nodiscard]] std::vector<mutant> exclusive_mutants();
[[nodiscard]] std::vector<mutant> members_mutants();
[[nodiscard]] std::vector<mutant> many_mutants();
[[nodiscard]] std::vector<mutant> condition_mutants();
[[nodiscard]] std::vector<mutant> leader_mutants();
[[nodiscard]] std::vector<mutant> once_mutants();
[[nodiscard]] std::vector<mutant> quorum_mutants();

[[nodiscard]] std::span<const mutant> all_mutants();
[[nodiscard]] const mutant* mutant_named(std::string_view name);

// Throws std::logic_error if a change does not fit any script: then it would have no effect.
void check_changes(const mutant& which);

// All runs from here on have this defect. Null ends that.
void become(const mutant* which);

// Changes the text of a script that is loaded. Empty if the mutant changes no script.
[[nodiscard]] const std::function<std::string(std::string_view)>& script_mutation();

}  // namespace pawl::sim
