// W9 as a table, and its targets.
#pragma once

#include "growth.h"
#include "verdict.h"

#include <iosfwd>
#include <vector>

namespace pawl::bench {

void print_table(std::ostream& out, const growth& what);

// Of those that apply to what grew.
[[nodiscard]] std::vector<verdict> judge(const growth& what);

}  // namespace pawl::bench
