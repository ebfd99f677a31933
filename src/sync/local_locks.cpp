#include "sync/local_locks.h"

#include "sync/local_lock.h"

#include <algorithm>
#include <ranges>
#include <vector>

namespace pawl::sync {

std::shared_ptr<local_lock> local_locks::meet(client_state& client, const settings_ptr& settings)
{
    // Destroyed only when the mutex is free: their destructors want it.
    std::vector<std::shared_ptr<local_lock>> others;
    const std::scoped_lock guard{mutex_};
    const auto [begin, end] = all_.equal_range(settings->keys.lock);
    for (auto each = begin; each != end; ++each) {
        auto found = each->second.lock();
        if (found && found->settings().same_as(*settings)) return found;
        if (found) others.push_back(std::move(found));
    }
    auto made = std::make_shared<local_lock>(client, settings, weak_from_this());
    all_.emplace(made->settings().keys.lock, made);
    return made;
}

void local_locks::part_from(const local_lock& which) noexcept
{
    // A thread that exists in the parent only may have held the mutex.
    if (process_mark_ != base::process_mark()) return;
    const std::scoped_lock guard{mutex_};
    const std::string_view name = which.settings().keys.lock;
    const auto [begin, end] = all_.equal_range(name);
    for (auto each = begin; each != end; ++each) {
        if (each->first.data() != name.data()) continue;
        all_.erase(each);
        return;
    }
}

void local_locks::let_go(std::optional<std::string_view> name)
{
    std::vector<std::shared_ptr<local_lock>> found;
    {
        const std::scoped_lock guard{mutex_};
        const auto [begin, end] =
            name ? all_.equal_range(*name) : std::pair{all_.begin(), all_.end()};
        for (auto each = begin; each != end; ++each) {
            if (auto one = each->second.lock()) found.push_back(std::move(one));
        }
    }
    for (const auto& each : found) each->let_go();
}

}  // namespace pawl::sync
