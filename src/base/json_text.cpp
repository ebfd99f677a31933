#include "base/json_text.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace pawl::base {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

unsigned byte_at(std::string_view text, std::size_t at)
{
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

// The length in bytes of the UTF-8 sequence at the start of `text`. 0 if there is none.
std::size_t sequence_length(std::string_view text)
{
    struct form {
        unsigned first_low, first_high;  // range of the first byte
        unsigned second_low,
            second_high;  // no overlong forms, no surrogates, nothing above U+10FFFF
        std::size_t length;
    };
    static constexpr std::array<form, 9> forms{{{0x00, 0x7F, 0, 0, 1},
                                                {0xC2, 0xDF, 0x80, 0xBF, 2},
                                                {0xE0, 0xE0, 0xA0, 0xBF, 3},
                                                {0xE1, 0xEC, 0x80, 0xBF, 3},
                                                {0xED, 0xED, 0x80, 0x9F, 3},
                                                {0xEE, 0xEF, 0x80, 0xBF, 3},
                                                {0xF0, 0xF0, 0x90, 0xBF, 4},
                                                {0xF1, 0xF3, 0x80, 0xBF, 4},
                                                {0xF4, 0xF4, 0x80, 0x8F, 4}}};
    for (const auto& each : forms) {
        const auto first = byte_at(text, 0);
        if (first < each.first_low || first > each.first_high) continue;
        if (each.length == 1) return 1;
        const auto second = byte_at(text, 1);
        if (second < each.second_low || second > each.second_high) return 0;
        for (std::size_t i = 2; i < each.length; ++i) {
            if ((byte_at(text, i) & 0xC0U) != 0x80U) return 0;
        }
        return each.length;
    }
    return 0;
}

void append_escaped(std::string& out, char c)
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

bool is_plain_json(std::string_view bytes) noexcept
{
    return std::ranges::all_of(
        bytes, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

std::string json_text(std::string_view bytes)
{
    std::string out = "\"";
    while (!bytes.empty()) {
        const auto length = sequence_length(bytes);
        if (length == 0) {
            out += replacement;
        } else if (length == 1) {
            append_escaped(out, bytes.front());
        } else {
            out += bytes.substr(0, length);
        }
        bytes.remove_prefix(length == 0 ? 1 : length);
    }
    return out += '"';
}

}  // namespace pawl::base
