#include "nesting.h"

#include <pawl/stateless.h>

#include <cstdlib>
#include <sstream>

namespace pawl::cli {
namespace {

// Far more than needed. It bounds the work that the environment can cause.
constexpr int most_checked_holders = 32;

[[nodiscard]] std::string variable(const char* name)
{
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
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

std::string outer_holders()
{
    std::string all = variable("PAWL_HOLDER");
    const std::string further = variable("PAWL_OUTER_HOLDERS");
    if (!all.empty() && !further.empty()) all += " " + further;
    return all;
}

}  // namespace pawl::cli
