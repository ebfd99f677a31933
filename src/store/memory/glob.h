// The patterns of KEYS.
#pragma once

#include <string_view>

namespace pawl::store::memory {

// ? one byte, * any bytes, [a-z] and [^a-z] one of these or none of them, \ takes the next literally.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view text) noexcept;

}  // namespace pawl::store::memory
