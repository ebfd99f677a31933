#include "json_text.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace pawl::cli {
namespace {

// How many bytes the UTF-8 sequence at the start of `text` has; 0 if there is none.
[[nodiscard]] std::size_t sequence_length(std::string_view text) noexcept
{
    const auto first = static_cast<unsigned char>(text[0]);
    if (first < 0x80) return 1;
    const auto length = static_cast<std::size_t>(std::countl_one(first));
    // The first byte of no sequence, or of one that is overlong or far above U+10FFFF.
    if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
    const bool continues = std::ranges::all_of(text.substr(1, length - 1), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
    });
    if (!continues) return 0;
    const auto second = static_cast<unsigned char>(text[1]);
    const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool surrogate = first == 0xED && second > 0x9F;
    const bool too_large = first == 0xF4 && second > 0x8F;  // above U+10FFFF
    return overlong || surrogate || too_large ? 0 : length;
}

void append_ascii(std::string& out, char c)
{
    constexpr std::string_view digits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
        out += '\\';
        out += c;
    } else if (byte < 0x20 || byte == 0x7F) {
        out += "\\u00";
        out += digits[byte >> 4U];
        out += digits[byte & 0xFU];
    } else {
        out += c;
    }
}

}  // namespace

std::string json_text(std::string_view text)
{
    std::string out = "\"";
    while (!text.empty()) {
        const std::size_t length = sequence_length(text);
        if (length == 0) {
            out += '?';
        } else if (length == 1) {
            append_ascii(out, text.front());
        } else {
            out += text.substr(0, length);
        }
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out + '"';
}

}  // namespace pawl::cli
