// A comparison as text.
#pragma once

#include "comparison.h"

#include <iosfwd>

namespace pawl::bench {

void print_table(std::ostream& out, const comparison& result);

}  // namespace pawl::bench
