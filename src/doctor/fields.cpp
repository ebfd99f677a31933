#include "doctor/fields.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

namespace pawl::doctor {
namespace {

using pair = std::pair<std::string_view, std::string_view>;

pair halves(std::string_view text, char separator)
{
    const auto at = text.find(separator);
    if (at == std::string_view::npos) return {text, {}};
    return {text.substr(0, at), text.substr(at + 1)};
}

}  // namespace

fields fields::of_lines(std::string_view text)
{
    fields got;
    for (std::string_view line : split(text, '\n')) {
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty() || line.starts_with('#')) continue;
        const auto [name, value] = halves(line, ':');
        got.values_.emplace(name, value);
    }
    return got;
}

fields fields::of_list(std::string_view text)
{
    fields got;
    for (const std::string& each : split(text, ',')) {
        const auto [name, value] = halves(each, '=');
        got.values_.emplace(name, value);
    }
    return got;
}

fields fields::of_pairs(const std::vector<std::string>& texts)
{
    fields got;
    for (std::size_t i = 0; i + 1 < texts.size(); i += 2) {
        got.values_.emplace(texts[i], texts[i + 1]);
    }
    return got;
}

std::optional<std::string> fields::text(std::string_view name) const
{
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional{found->second};
}

std::optional<std::int64_t> fields::number(std::string_view name) const
{
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : number_in(found->second);
}

bool fields::is(std::string_view name, std::string_view value) const
{
    const auto found = values_.find(name);
    return found != values_.end() && found->second == value;
}

std::optional<std::int64_t> number_in(std::string_view text)
{
    std::int64_t value = 0;
    const auto* const end = text.data() + text.size();
    const auto [at, problem] = std::from_chars(text.data(), end, value);
    if (problem != std::errc{} || at != end) return std::nullopt;
    return value;
}

std::vector<std::string> split(std::string_view text, char separator)
{
    std::vector<std::string> parts;
    while (!text.empty()) {
        const auto part = text.substr(0, text.find(separator));
        text.remove_prefix(std::min(part.size() + 1, text.size()));
        if (!part.empty()) parts.emplace_back(part);
    }
    return parts;
}

}  // namespace pawl::doctor
