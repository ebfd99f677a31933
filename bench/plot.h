// The results as drawings: bars for each workload, lines for W9.
#pragma once

#include "report.h"

#include <string>

namespace pawl::bench {

// Writes WORKLOAD-OVER.svg for each comparison, w9-memory.svg and w9-cycle.svg, with -pinned before
// the dot if all ran on one processor. The directory is made if it is not there. Throws when a file
// cannot be written.
void write_plots(const std::string& directory, const settings& wanted, const run_results& all);

}  // namespace pawl::bench
