// The patterns of KEYS.
#pragma once

#include <string_view>

namespace pawl::store::memory {

// ? matches one byte, * any bytes, [a-z] and [^a-z] one byte in or not in the set. \ escapes the
// next byte.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view text) noexcept;

}  // namespace pawl::store::memory
