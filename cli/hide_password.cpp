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

// Where the password stands in the first URL of `text` that has one.
[[nodiscard]] std::optional<range> find_password(std::string_view text) noexcept
{
    constexpr std::string_view mark = "://";
    for (auto at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) {
        const std::size_t authority = at + mark.size();
        // The last one: a password may hold another.
        const std::size_t end = text.rfind('@');
        if (end == text.npos || end < authority) return std::nullopt;
        const std::size_t colon = text.find(':', authority);
        if (colon < end) return range{colon + 1, end};
    }
    return std::nullopt;
}

}  // namespace

void hide_password(char* argument) noexcept
{
    const auto found = find_password(argument);
    if (found) std::fill(argument + found->start, argument + found->end, 'x');
}

std::string without_passwords(std::string_view text)
{
    std::string result{text};
    const auto found = find_password(text);
    if (found) result.replace(found->start, found->end - found->start, "xxx");
    return result;
}

bool has_password(std::string_view url)
{
    const auto found = find_password(url);
    return found && found->start < found->end;
}

}  // namespace pawl::cli
