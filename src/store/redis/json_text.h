// Any bytes as a JSON string.
#pragma once

#include <string>
#include <string_view>

namespace pawl::store {

// In quotes. What is not UTF-8 becomes U+FFFD, byte by byte.
[[nodiscard]] std::string json_text(std::string_view bytes);

}  // namespace pawl::store
