#include "store/memory/values.h"

#include <algorithm>
#include <array>

namespace pawl::store::memory {

const std::string* hash::find(std::string_view name) const noexcept
{
    for (const field& each : fields_) {
        if (each.first == name) return &each.second;
    }
    return nullptr;
}

bool hash::set(std::string_view name, std::string_view value)
{
    for (field& each : fields_) {
        if (each.first != name) continue;
        each.second = value;
        return false;
    }
    fields_.emplace_back(name, value);
    return true;
}

bool hash::erase(std::string_view name)
{
    return std::erase_if(fields_, [&](const field& each) { return each.first == name; }) > 0;
}

bool sorted_set::interval::contains(double score) const noexcept
{
    return (min_excluded ? score > min : score >= min) &&
           (max_excluded ? score < max : score <= max);
}

std::optional<std::size_t> sorted_set::rank(std::string_view name) const noexcept
{
    for (std::size_t at = 0; at < members_.size(); ++at) {
        if (members_[at].name == name) return at;
    }
    return std::nullopt;
}

void sorted_set::set(std::string_view name, double score)
{
    if (const auto at = rank(name)) erase(*at);
    const auto place = std::ranges::partition_point(members_, [&](const member& each) {
        return each.score < score || (each.score == score && each.name < name);
    });
    members_.insert(place, member{score, std::string{name}});
}

void sorted_set::erase(std::size_t rank, std::size_t count)
{
    const auto first = members_.begin() + static_cast<std::ptrdiff_t>(rank);
    members_.erase(first, first + static_cast<std::ptrdiff_t>(count));
}

std::pair<std::size_t, std::size_t> sorted_set::within(const interval& scores) const noexcept
{
    std::size_t first = 0;
    while (first < size() && !scores.contains(members_[first].score)) ++first;
    std::size_t end = first;
    while (end < size() && scores.contains(members_[end].score)) ++end;
    return {first, end};
}

std::string_view type_name(const content& what) noexcept
{
    constexpr std::array<std::string_view, std::variant_size_v<content>> names{"string", "hash",
                                                                               "list", "zset"};
    return names.at(what.index());
}

}  // namespace pawl::store::memory
