#include "store/redis/tokens.h"

#include <algorithm>
#include <cstddef>

namespace pawl::store {
namespace {

bool is_digit(char c) noexcept
{
    return c >= '0' && c <= '9';
}

bool is_of_token(char c) noexcept
{
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || is_digit(c) || std::string_view{"-_=+/:.@"}.find(c) != std::string_view::npos;
}

}  // namespace

bool looks_like_holder(std::string_view value) noexcept
{
    // A holder of pawl is a token too.
    const bool is_time = std::ranges::all_of(value, [](char c) { return is_digit(c) || c == '.'; });
    const std::size_t shortest = is_time ? 10 : 16;
    return value.size() >= shortest && std::ranges::all_of(value, is_of_token);
}

}  // namespace pawl::store
