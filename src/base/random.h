// Randomness from the operating system.
#pragma once

#include <functional>
#include <string>

namespace pawl::base {

// 128 bits as 32 hexadecimal digits. They cannot be guessed from others, and are never repeated.
[[nodiscard]] std::string random_id();

// Returns numbers in [0, 1), for jitter. It is passed as a parameter, so that tests and the
// simulator can replace it.
using random_unit = std::function<double()>;

// The real source. May be called from any thread.
[[nodiscard]] double system_random_unit();

}  // namespace pawl::base
