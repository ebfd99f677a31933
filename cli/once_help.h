// What `pawl once --help` says after the options.
#pragma once

#include "page.h"

#include <vector>

namespace pawl::cli {

[[nodiscard]] std::vector<section> once_explanation();

}  // namespace pawl::cli
