#include "store/memory/keyspace.h"

#include <algorithm>

namespace pawl::store::memory {

entry* keyspace::find(std::string_view key)
{
    const auto found = entries_.find(key);
    if (found == entries_.end()) return nullptr;
    if (!has_ended(found->second)) return &found->second;
    entries_.erase(found);
    return nullptr;
}

entry& keyspace::add(std::string_view key, content data)
{
    return entries_.emplace(key, entry{std::move(data), std::nullopt}).first->second;
}

bool keyspace::erase(std::string_view key)
{
    const auto found = entries_.find(key);
    if (found == entries_.end()) return false;
    const bool lived = !has_ended(found->second);
    entries_.erase(found);
    return lived;
}

void keyspace::expire_all()
{
    std::erase_if(entries_, [this](const auto& each) { return has_ended(each.second); });
}

std::vector<keyspace::key_info> keyspace::keys() const
{
    std::vector<key_info> all;
    for (const auto& [name, what] : entries_) {
        if (!has_ended(what)) all.push_back({name, type_name(what.data), what.ends});
    }
    std::ranges::sort(all, {}, &key_info::name);
    return all;
}

}  // namespace pawl::store::memory
