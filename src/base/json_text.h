// Turns any bytes into a JSON string.
#pragma once

#include <string>
#include <string_view>

namespace pawl::base {

// With quotes. Each byte that is not part of valid UTF-8 becomes U+FFFD.
[[nodiscard]] std::string json_text(std::string_view bytes);

// Whether the bytes need no escapes between quotes. May be false for a text beyond ASCII that needs
// none.
[[nodiscard]] bool is_plain_json(std::string_view bytes) noexcept;

}  // namespace pawl::base
