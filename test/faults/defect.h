// What may be wrong with the workers of a cell. `--broken` runs each cell once with each defect, to show that the checks
// can fail.
#pragma once

#include "faults/cell.h"

#include <span>
#include <string_view>

namespace pawl::faults {

struct known_defect {
    defect which;
    std::string_view name;
    std::string_view checks;  // that must find it
    bool (*found)(const cell_result& cell);
};

[[nodiscard]] std::span<const known_defect> all_defects();

}  // namespace pawl::faults
