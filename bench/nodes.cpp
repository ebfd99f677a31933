#include "nodes.h"

#include <sstream>
#include <string_view>

namespace pawl::bench {
namespace {

constexpr std::string_view scheme = "redlock:";

}  // namespace

// The URLs of the benchmark's own servers contain no commas.
std::vector<std::string> node_urls(const std::string& url)
{
    if (!url.starts_with(scheme)) return {url};
    std::vector<std::string> nodes;
    std::istringstream rest{url.substr(scheme.size())};
    for (std::string node; std::getline(rest, node, ',');) nodes.push_back(node);
    return nodes;
}

std::string url_of(const std::vector<std::string>& nodes)
{
    if (nodes.size() == 1) return nodes.front();
    std::string url{scheme};
    for (const std::string& each : nodes) url += (url.size() == scheme.size() ? "" : ",") + each;
    return url;
}

}  // namespace pawl::bench
