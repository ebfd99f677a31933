#include "sync/local_locks.h"

#include "sync/local_lock.h"

#include <algorithm>

namespace pawl::sync {

std::shared_ptr<local_lock> local_locks::meet(client_state& client, const lock_settings& settings)
{
    const std::scoped_lock guard{mutex_};
    if (all_.size() >= sweep_at_) sweep();
    auto& here = all_[settings.keys.lock];
    std::erase_if(here, [](const auto& each) { return each.expired(); });
    for (const auto& each : here) {
        if (auto found = each.lock(); found && found->settings().same_as(settings)) return found;
    }
    auto made = std::make_shared<local_lock>(client, settings);
    here.push_back(made);
    return made;
}

void local_locks::sweep()
{
    for (auto& each : all_) {
        std::erase_if(each.second, [](const auto& here) { return here.expired(); });
    }
    std::erase_if(all_, [](const auto& each) { return each.second.empty(); });
    sweep_at_ = std::max(fewest_to_sweep, 2 * all_.size());
}

void local_locks::let_go(std::optional<std::string_view> name)
{
    std::vector<std::shared_ptr<local_lock>> found;
    {
        const std::scoped_lock guard{mutex_};
        const auto add = [&found](const locks_of_one_name& here) {
            for (const auto& each : here) {
                if (auto one = each.lock()) found.push_back(std::move(one));
            }
        };
        if (!name) {
            for (const auto& each : all_) add(each.second);
        } else if (const auto here = all_.find(std::string{*name}); here != all_.end()) {
            add(here->second);
        }
    }
    for (const auto& each : found) each->let_go();
}

}  // namespace pawl::sync
