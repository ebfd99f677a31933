// Runs pawl doctor, and reads what it writes.
#pragma once

#include "command.h"

#include <nlohmann/json.hpp>

#include <string>

namespace pawl::test {

// Measures only briefly.
[[nodiscard]] inline result doctor_at(const std::string& url, const words& arguments = {})
{
    words all{"doctor", "--for", "100ms", "--url", url};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return run_pawl(all);
}

[[nodiscard]] inline nlohmann::json json_of(const result& got)
{
    return nlohmann::json::parse(got.out);
}

// The findings of this check, from --json.
[[nodiscard]] inline std::vector<nlohmann::json> findings_of(const result& got,
                                                             const std::string& check)
{
    std::vector<nlohmann::json> found;
    const auto all = json_of(got);
    for (const auto& each : all.at("findings")) {
        if (each.at("check") == check) found.push_back(each);
    }
    return found;
}

}  // namespace pawl::test
