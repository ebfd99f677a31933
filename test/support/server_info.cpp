#include "support/server_info.h"

#include <sstream>

namespace pawl::test {

redis_probe authenticated(redis_probe probe, std::string_view password)
{
    if (!password.empty()) probe.must({"AUTH", password});
    return probe;
}

std::string info_of(redis_probe probe, std::string_view section, std::string_view field)
{
    return line_of(probe.must({"INFO", section}).text, field);
}

std::string line_of(std::string_view text, std::string_view field)
{
    std::istringstream lines{std::string{text}};
    const std::string start = std::string{field} + ":";
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(start)) continue;
        if (line.ends_with('\r')) line.pop_back();
        return line.substr(start.size());
    }
    return {};
}

}  // namespace pawl::test
