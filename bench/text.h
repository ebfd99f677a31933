// Numbers as text.
#pragma once

#include <string>

namespace pawl::bench {

[[nodiscard]] std::string number(double value, int digits);

// A ratio: those lie between thousandths and thousands.
[[nodiscard]] std::string times(double ratio);

}  // namespace pawl::bench
