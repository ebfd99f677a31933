// Any bytes as a JSON string.
#pragma once

#include <string>
#include <string_view>

namespace pawl::base {

// In quotes. What is not UTF-8 becomes U+FFFD, byte by byte.
[[nodiscard]] std::string json_text(std::string_view bytes);

// Whether they stand in quotes as they are. Others than ASCII may be said not to, though they do.
[[nodiscard]] bool is_plain_json(std::string_view bytes) noexcept;

}  // namespace pawl::base
