// Numbers and tables as text.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace pawl::bench {

[[nodiscard]] std::string number(double value, int digits);

// A ratio: those lie between thousandths and thousands.
[[nodiscard]] std::string times(double ratio);

using row = std::vector<std::string>;

// The first column to the left, the others to the right. All rows have as many cells as the first.
void print_rows(std::ostream& out, const std::vector<row>& rows);

}  // namespace pawl::bench
