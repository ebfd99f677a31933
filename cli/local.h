// pawl local: this user's private server.
#pragma once

#include "page.h"

#include <string>
#include <vector>

namespace pawl::cli {

// `arguments` are the words after `local`. Returns the exit status.
[[nodiscard]] int local(const std::vector<std::string>& arguments);

// The text of --help.
[[nodiscard]] page local_page();

}  // namespace pawl::cli
