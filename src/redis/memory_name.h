// The names of memory servers, in URLs and for <pawl/testing.h>.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace pawl::redis {

inline constexpr std::size_t longest_memory_name = 64;

// A name is shown without escapes, so it must not contain characters that need them.
[[nodiscard]] constexpr bool is_memory_name(std::string_view name)
{
    const auto fits = [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '.' || c == '-';
    };
    return name.size() <= longest_memory_name && std::ranges::all_of(name, fits);
}

}  // namespace pawl::redis
