// pawl top: the locks in use, live, for operators.
#pragma once

#include "page.h"

#include <string>
#include <vector>

namespace pawl::cli {

// `arguments` are the words after `top`. Returns the exit status.
[[nodiscard]] int top(const std::vector<std::string>& arguments);

// The text of --help.
[[nodiscard]] page top_page();

}  // namespace pawl::cli
