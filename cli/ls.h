// pawl ls: the locks in use, for operators.
#pragma once

#include "page.h"

#include <string>
#include <vector>

namespace pawl::cli {

// `arguments` are the words after `ls`. Returns the exit status.
[[nodiscard]] int ls(const std::vector<std::string>& arguments);

// The text of --help.
[[nodiscard]] page ls_page();

}  // namespace pawl::cli
