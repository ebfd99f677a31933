#include "nesting.h"

#include <pawl/error.h>
#include <pawl/stateless.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <sstream>

namespace pawl::cli {
namespace {

// Far more than needed. It bounds the work that the environment can cause.
constexpr int most_checked_holders = 32;

// How long a node that is down delays the run.
constexpr std::chrono::milliseconds node_limit{1'000};

[[nodiscard]] std::string variable(const char* name)
{
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

// A vote is stored as a lock of one server: a string with the id of the holder.
[[nodiscard]] bool has_voted_for_outer_run(const std::string& url, const std::string& key)
{
    client_options options;
    options.url = url;
    options.connect_limit = node_limit;
    options.command_limit = node_limit;
    try {
        client node{std::move(options)};
        return is_held_by_outer_run(node, key);
    } catch (const error&) {
        return false;
    }
}

}  // namespace

bool is_held_by_outer_run(client& client, const std::string& key)
{
    std::istringstream holders{outer_holders()};
    std::string holder;
    for (int i = 0; i < most_checked_holders && holders >> holder; ++i) {
        if (stateless::holds(client, key, holder)) return true;
    }
    return false;
}

bool is_held_by_outer_run(const std::vector<std::string>& node_urls, const std::string& key)
{
    const std::size_t majority = node_urls.size() / 2 + 1;
    std::size_t with = 0;
    std::size_t without = 0;
    for (const std::string& url : node_urls) {
        if (has_voted_for_outer_run(url, key)) {
            if (++with == majority) return true;
        } else {
            if (++without == majority) return false;
        }
    }
    return false;
}

std::string outer_holders()
{
    std::string all = variable("PAWL_HOLDER");
    const std::string further = variable("PAWL_OUTER_HOLDERS");
    if (!all.empty() && !further.empty()) all += " " + further;
    return all;
}

}  // namespace pawl::cli
