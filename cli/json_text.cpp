#include "json_text.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace pawl::cli {
namespace {

// How many bytes the sequence at the start has, by its first byte; 0 if it is none.
[[nodiscard]] std::size_t sequence_length(std::string_view text) noexcept
{
    const auto ones =
        static_cast<std::size_t>(std::countl_one(static_cast<unsigned char>(text[0])));
    if (ones == 0) return 1;
    if (ones < 2 || ones > 4 || text.size() < ones) return 0;
    const bool continues = std::ranges::all_of(text.substr(1, ones - 1), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
    });
    return continues ? ones : 0;
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
