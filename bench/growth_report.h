// W9 as a table, and its targets.
#pragma once

#include "growth.h"
#include "verdict.h"

#include <iosfwd>
#include <vector>

namespace pawl::bench {

void print_table(std::ostream& out, const growth& what);

// The targets that apply to this kind of growth.
[[nodiscard]] std::vector<verdict> judge(const growth& what);

}  // namespace pawl::bench
