// The options of flock(1) that pawl run does not have: each is refused with what pawl does instead.
#pragma once

#include <CLI/CLI.hpp>

namespace pawl::cli {

// Hidden: --help tells of them in one sentence.
void refuse_flock_options(CLI::App& app);

}  // namespace pawl::cli
