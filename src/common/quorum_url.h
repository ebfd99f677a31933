// The URL of a quorum: redlock:URL,URL,URL.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::common {

inline constexpr std::string_view quorum_scheme = "redlock:";

[[nodiscard]] inline bool is_quorum(std::string_view url) noexcept
{
    return url.starts_with(quorum_scheme);
}

// Whether the text begins with a scheme, be it one that a node may have or not.
[[nodiscard]] inline bool begins_url(std::string_view text) noexcept
{
    constexpr std::array<std::string_view, 4> short_ones{
        "unix:", "local:", "memory:", quorum_scheme};
    const auto is_here = [&](auto scheme) { return text.starts_with(scheme); };
    const auto end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz+");
    return std::ranges::any_of(short_ones, is_here) ||
           (end != std::string_view::npos && end > 0 && text.substr(end).starts_with("://"));
}

// The URLs of the nodes of a quorum; for any other URL, that URL. It is split at the commas between
// URLs. A comma inside a URL, such as in a password or a path, is not followed by a scheme.
[[nodiscard]] inline std::vector<std::string> node_urls(std::string_view url)
{
    if (!is_quorum(url)) return {std::string{url}};
    const std::string_view list = url.substr(quorum_scheme.size());
    std::vector<std::string> nodes;
    std::size_t begin = 0;
    for (auto comma = list.find(','); comma != list.npos; comma = list.find(',', comma + 1)) {
        if (!begins_url(list.substr(comma + 1))) continue;
        nodes.emplace_back(list.substr(begin, comma - begin));
        begin = comma + 1;
    }
    nodes.emplace_back(list.substr(begin));
    return nodes;
}

}  // namespace pawl::common
