// A comparison as text.
#pragma once

#include "comparison.h"
#include "verdict.h"

#include <iosfwd>

namespace pawl::bench {

void print_table(std::ostream& out, const comparison& result);

// A line for each.
void print_targets(std::ostream& out, const std::vector<verdict>& verdicts);

}  // namespace pawl::bench
