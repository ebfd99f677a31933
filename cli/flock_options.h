// The options of flock(1) that pawl run does not have. Each is refused with a message that says
// what pawl does instead.
#pragma once

#include <CLI/CLI.hpp>

namespace pawl::cli {

// They are hidden. --help mentions them in one sentence.
void refuse_flock_options(CLI::App& app);

}  // namespace pawl::cli
