// pawl quorum: the nodes of a quorum, for operators.
#pragma once

#include "page.h"

#include <string>
#include <vector>

namespace pawl::cli {

// `arguments` are the words after `quorum`. Returns the exit status.
[[nodiscard]] int quorum(const std::vector<std::string>& arguments);

// The text of --help.
[[nodiscard]] page quorum_page();

}  // namespace pawl::cli
