// pawl doctor: checks whether servers are set up well for locks.
#pragma once

#include "page.h"

#include <string>
#include <vector>

namespace pawl::cli {

// `arguments` are the words after `doctor`. Returns the exit status.
[[nodiscard]] int doctor(const std::vector<std::string>& arguments);

// The text of --help.
[[nodiscard]] page doctor_page();

}  // namespace pawl::cli
