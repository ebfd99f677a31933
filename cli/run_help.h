// The text of `pawl run --help` after the options.
#pragma once

#include "page.h"

#include <vector>

namespace pawl::cli {

[[nodiscard]] std::vector<section> run_explanation();

}  // namespace pawl::cli
