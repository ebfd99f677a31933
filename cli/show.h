// pawl show: everything about one lock, for operators.
#pragma once

#include "page.h"

#include <string>
#include <vector>

namespace pawl::cli {

// `arguments` are the words after `show`. Returns the exit status.
[[nodiscard]] int show(const std::vector<std::string>& arguments);

// The text of --help.
[[nodiscard]] page show_page();

}  // namespace pawl::cli
