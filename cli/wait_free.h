// pawl wait: until a lock is free, without taking it.
#pragma once

#include "page.h"

#include <string>
#include <vector>

namespace pawl::cli {

// `arguments` are the words after `wait`. Returns the exit status.
[[nodiscard]] int wait_free(const std::vector<std::string>& arguments);

// The text of --help.
[[nodiscard]] page wait_free_page();

}  // namespace pawl::cli
