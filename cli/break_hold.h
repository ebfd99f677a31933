// pawl break: ends a hold by force, for operators.
#pragma once

#include "page.h"

#include <string>
#include <vector>

namespace pawl::cli {

// `arguments` are the words after `break`. Returns the exit status.
[[nodiscard]] int break_hold(const std::vector<std::string>& arguments);

// The text of --help.
[[nodiscard]] page break_hold_page();

}  // namespace pawl::cli
