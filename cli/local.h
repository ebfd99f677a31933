// pawl local: this user's private server.
#pragma once

#include "page.h"

#include <string>
#include <vector>

namespace pawl::cli {

// `arguments` are those after `local`. Returns the exit status.
[[nodiscard]] int local(const std::vector<std::string>& arguments);

// What --help says.
[[nodiscard]] page local_page();

}  // namespace pawl::cli
