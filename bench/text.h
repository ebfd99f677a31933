// Numbers as text.
#pragma once

#include <string>

namespace pawl::bench {

[[nodiscard]] std::string number(double value, int digits);

// A ratio, from thousandths to thousands.
[[nodiscard]] std::string times(double ratio);

}  // namespace pawl::bench
