#include "hide_password.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace pawl::cli {
namespace {

struct range {
    std::size_t start;
    std::size_t end;
};

// The position of the password in the first URL of `text` that has one.
[[nodiscard]] std::optional<range> find_in_url(std::string_view text) noexcept
{
    constexpr std::string_view mark = "://";
    for (auto at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) {
        const std::size_t authority = at + mark.size();
        // The last '@': a password may contain another.
        const std::size_t end = text.rfind('@');
        if (end == text.npos || end < authority) return std::nullopt;
        const std::size_t colon = text.find(':', authority);
        if (colon < end) return range{colon + 1, end};
    }
    return std::nullopt;
}

// Whether a mistyped URL may have its first colon here: redis:PASSWORD@HOST, :PASSWORD@HOST. Other words with
// a colon and an '@', such as mail:someone@example.com, are names of locks.
[[nodiscard]] bool may_begin_url(std::string_view before) noexcept
{
    if (before.empty() || before.ends_with("redis") || before.ends_with("rediss")) return true;
    return std::string_view{" \t\r\n'\"="}.find(before.back()) != std::string_view::npos;
}

// The first text after `from` that is between such a colon and an '@' in one word.
[[nodiscard]] std::optional<range> find_in_word(std::string_view text, std::size_t from) noexcept
{
    for (auto colon = text.find(':', from); colon != text.npos; colon = text.find(':', colon + 1)) {
        const std::string_view rest = text.substr(colon + 1);
        if (rest.starts_with("//") || !may_begin_url(text.substr(0, colon))) continue;
        const std::size_t end = rest.substr(0, rest.find_first_of(" \t\r\n")).rfind('@');
        if (end != rest.npos) return range{colon + 1, colon + 1 + end};
    }
    return std::nullopt;
}

void hide(std::string& text, range password)
{
    text.replace(password.start, password.end - password.start, "xxx");
}

}  // namespace

void hide_password(char* argument) noexcept
{
    const auto found = find_in_url(argument);
    if (found) std::fill(argument + found->start, argument + found->end, 'x');
}

std::string without_passwords(std::string_view text)
{
    std::string result{text};
    if (const auto found = find_in_url(result)) hide(result, *found);
    for (auto found = find_in_word(result, 0); found; found = find_in_word(result, found->start)) {
        hide(result, *found);
    }
    return result;
}

bool has_password(std::string_view url)
{
    const auto found = find_in_url(url);
    return found && found->start < found->end;
}

}  // namespace pawl::cli
