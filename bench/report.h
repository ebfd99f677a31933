// A whole run as data: the settings, the machine, and each figure of each round.
#pragma once

#include "comparison.h"

#include <string>
#include <vector>

namespace pawl::bench {

// Throws when the file cannot be written.
void write_report(const std::string& path, const effort& how_much, const std::string& redis,
                  const std::vector<comparison>& results);

}  // namespace pawl::bench
