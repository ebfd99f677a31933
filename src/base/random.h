// Randomness from the operating system.
#pragma once

#include <functional>
#include <string>

namespace pawl::base {

// 128 bits as 32 hexadecimal digits. Nobody can guess one from others, and no two are alike.
[[nodiscard]] std::string random_id();

// Numbers in [0, 1) for jitter. Whoever needs them is given a source, so that tests and the
// simulator can give their own.
using random_unit = std::function<double()>;

// The source of the real world; may be called from any thread.
[[nodiscard]] double system_random_unit();

}  // namespace pawl::base
