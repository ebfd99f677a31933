// Makes text that comes from elsewhere safe for terminals and logs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pawl::common {

// Each control character becomes '?': those of ASCII, and those from U+0080 to U+009F in UTF-8.
[[nodiscard]] inline std::string printable(std::string_view text)
{
    constexpr unsigned char del = 0x7F;
    constexpr unsigned char lead_of_c1 = 0xC2;
    constexpr unsigned char first_c1 = 0x80;
    constexpr unsigned char last_c1 = 0x9F;
    const auto byte_at = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    std::string shown;
    shown.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = byte_at(i);
        const bool is_c1 = byte == lead_of_c1 && i + 1 < text.size() &&
                           byte_at(i + 1) >= first_c1 && byte_at(i + 1) <= last_c1;
        if (is_c1) ++i;
        shown += is_c1 || byte < ' ' || byte == del ? '?' : text[i];
    }
    return shown;
}

}  // namespace pawl::common
