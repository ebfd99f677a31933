// What the command has to know about the URLs of servers. The library reads them, and refuses bad
// ones.
#pragma once

#include "common/quorum_url.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace pawl::cli {

using common::is_quorum;
using common::node_urls;
using common::quorum_scheme;

// As the URL of one server that can be a node of a quorum.
[[nodiscard]] inline bool begins_as_node(std::string_view text) noexcept
{
    constexpr std::array<std::string_view, 3> schemes{"redis://", "rediss://", "unix:"};
    return std::ranges::any_of(schemes, [&](auto each) { return text.starts_with(each); });
}

// As a URL that is not of this machine only. A lock may be called redlock:NAME.
[[nodiscard]] inline bool begins_as_remote(std::string_view text) noexcept
{
    if (is_quorum(text)) return begins_as_node(text.substr(quorum_scheme.size()));
    constexpr std::array<std::string_view, 6> schemes{"redis://",          "rediss://",
                                                      "redis+sentinel://", "rediss+sentinel://",
                                                      "redis+cluster://",  "rediss+cluster://"};
    return std::ranges::any_of(schemes, [&](auto each) { return text.starts_with(each); });
}

}  // namespace pawl::cli
