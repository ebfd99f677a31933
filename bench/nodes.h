// The servers behind a URL: one, or the nodes of a quorum.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pawl::bench {

// Of redlock:URL,URL,URL these URLs. Any other URL is that of one server.
[[nodiscard]] std::vector<std::string> node_urls(const std::string& url);

// The opposite.
[[nodiscard]] std::string url_of(const std::vector<std::string>& nodes);

[[nodiscard]] constexpr std::size_t majority_of(std::size_t nodes)
{
    return nodes / 2 + 1;
}

}  // namespace pawl::bench
