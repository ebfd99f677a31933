// What the command has to know about the URLs of servers. The library reads them, and refuses bad
// ones.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::cli {

inline constexpr std::string_view quorum_scheme = "redlock:";

// redlock:URL,URL,URL
[[nodiscard]] inline bool is_quorum(std::string_view url) noexcept
{
    return url.starts_with(quorum_scheme);
}

// As the URL of one server that can be a node of a quorum.
[[nodiscard]] inline bool begins_as_node(std::string_view text) noexcept
{
    constexpr std::array<std::string_view, 3> schemes{"redis://", "rediss://", "unix:"};
    return std::ranges::any_of(schemes, [&](auto each) { return text.starts_with(each); });
}

// As the URL of servers that other machines can reach. A lock may be called redlock:NAME.
[[nodiscard]] inline bool begins_as_remote(std::string_view text) noexcept
{
    if (is_quorum(text)) return begins_as_node(text.substr(quorum_scheme.size()));
    constexpr std::array<std::string_view, 6> schemes{"redis://",          "rediss://",
                                                      "redis+sentinel://", "rediss+sentinel://",
                                                      "redis+cluster://",  "rediss+cluster://"};
    return std::ranges::any_of(schemes, [&](auto each) { return text.starts_with(each); });
}

// The URLs of the nodes of a quorum; for any other URL, that URL. A comma ends the URL of a node
// only if another one begins there. Other commas belong to a password or a path.
[[nodiscard]] inline std::vector<std::string> node_urls(std::string_view url)
{
    if (!is_quorum(url)) return {std::string{url}};
    const std::string_view list = url.substr(quorum_scheme.size());
    std::vector<std::string> nodes;
    std::size_t begin = 0;
    for (auto comma = list.find(','); comma != list.npos; comma = list.find(',', comma + 1)) {
        if (!begins_as_node(list.substr(comma + 1))) continue;
        nodes.emplace_back(list.substr(begin, comma - begin));
        begin = comma + 1;
    }
    nodes.emplace_back(list.substr(begin));
    return nodes;
}

}  // namespace pawl::cli
