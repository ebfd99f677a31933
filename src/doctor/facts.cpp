#include "doctor/facts.h"

namespace pawl::doctor {

std::optional<std::string> settings::text(std::string_view name) const
{
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional{found->second};
}

std::optional<std::int64_t> settings::number(std::string_view name) const
{
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : number_in(found->second);
}

std::int64_t server_facts::major_version() const
{
    const auto version =
        hello.values.text("version").value_or(info.values.text("redis_version").value_or(""));
    const auto parts = split(version, '.');
    return parts.empty() ? 0 : number_in(parts.front()).value_or(0);
}

}  // namespace pawl::doctor
