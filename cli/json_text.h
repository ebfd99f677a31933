// Text as a JSON string.
#pragma once

#include <string>
#include <string_view>

namespace pawl::cli {

// In quotes. A byte that is not ASCII and not part of a UTF-8 sequence becomes '?'.
[[nodiscard]] std::string json_text(std::string_view text);

}  // namespace pawl::cli
