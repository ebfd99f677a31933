#include "store/memory/glob.h"

#include <algorithm>
#include <cstddef>

namespace pawl::store::memory {
namespace {

// `pattern` begins after the opening bracket, and is moved behind the closing one. A missing
// bracket is closed by the end of the pattern.
bool is_in_brackets(std::string_view& pattern, char c) noexcept
{
    const bool inverted = pattern.starts_with('^');
    if (inverted) pattern.remove_prefix(1);
    bool found = false;
    while (!pattern.empty() && pattern.front() != ']') {
        if (pattern.front() == '\\' && pattern.size() >= 2) {
            found |= pattern[1] == c;
            pattern.remove_prefix(2);
        } else if (pattern.size() >= 3 && pattern[1] == '-') {
            const auto [low, high] = std::minmax(pattern[0], pattern[2]);
            found |= low <= c && c <= high;
            pattern.remove_prefix(3);
        } else {
            found |= pattern.front() == c;
            pattern.remove_prefix(1);
        }
    }
    if (!pattern.empty()) pattern.remove_prefix(1);
    return found != inverted;
}

// Whether the first element of the pattern, which is not a star, matches this byte.
bool takes_one(std::string_view& pattern, char c) noexcept
{
    const char first = pattern.front();
    pattern.remove_prefix(1);
    if (first == '?') return true;
    if (first == '[') return is_in_brackets(pattern, c);
    if (first != '\\' || pattern.empty()) return first == c;
    const bool same = pattern.front() == c;
    pattern.remove_prefix(1);
    return same;
}

}  // namespace

// Only the last star needs to be tried again: it can match everything that an earlier one could.
bool matches(std::string_view pattern, std::string_view text) noexcept
{
    std::string_view after_star;
    std::string_view text_at_star;
    bool starred = false;
    while (true) {
        if (!pattern.empty() && pattern.front() == '*') {
            pattern.remove_prefix(1);
            starred = true;
            after_star = pattern;
            text_at_star = text;
        } else if (text.empty()) {
            return pattern.empty();
        } else if (!pattern.empty() && takes_one(pattern, text.front())) {
            text.remove_prefix(1);
        } else if (starred && !text_at_star.empty()) {
            text_at_star.remove_prefix(1);
            text = text_at_star;
            pattern = after_star;
        } else {
            return false;
        }
    }
}

}  // namespace pawl::store::memory
