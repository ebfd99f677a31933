#include "redis/resp_text.h"

#include <charconv>
#include <limits>
#include <system_error>

namespace pawl::redis {
namespace {

constexpr std::string_view digits = "0123456789";

bool consists_of(std::string_view text, std::string_view allowed) noexcept
{
    return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

std::string_view without_sign(std::string_view text) noexcept
{
    const bool is_signed = text.starts_with('+') || text.starts_with('-');
    return text.substr(is_signed ? 1 : 0);
}

}  // namespace

std::string in_quotes(std::string_view text, char quote)
{
    constexpr std::size_t shown = 32;
    constexpr std::string_view hex = "0123456789abcdef";
    std::string out{quote};
    for (const char c : text.substr(0, shown)) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\r' || c == '\n') {
            out += c == '\r' ? "\\r" : "\\n";
        } else if (byte < 0x20 || byte >= 0x7f || c == '\\' || c == quote) {
            out += {'\\', 'x', hex[byte >> 4], hex[byte & 0xf]};
        } else {
            out += c;
        }
    }
    out += quote;
    return text.size() > shown ? out + "..." : out;
}

std::string in_quotes(char c)
{
    return in_quotes({&c, 1}, '\'');
}

bool is_whole_number(std::string_view text) noexcept
{
    return consists_of(without_sign(text), digits);
}

std::optional<std::int64_t> to_integer(std::string_view text) noexcept
{
    if (!is_whole_number(text)) {
        return std::nullopt;
    }
    text.remove_prefix(text.front() == '+' ? 1 : 0);
    std::int64_t value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    return result.ec == std::errc{} ? std::optional{value} : std::nullopt;
}

std::optional<std::size_t> to_length(std::string_view text) noexcept
{
    if (!consists_of(text, digits)) {
        return std::nullopt;
    }
    std::size_t value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    return result.ec == std::errc{} ? value : std::numeric_limits<std::size_t>::max();
}

bool looks_real(std::string_view text) noexcept
{
    const auto magnitude = without_sign(text);
    return magnitude == "inf" || magnitude == "nan" ||
           (consists_of(text, "0123456789+-.eE") && magnitude.find_first_of(digits) != text.npos);
}

}  // namespace pawl::redis
