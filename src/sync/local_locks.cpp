#include "sync/local_locks.h"

#include "sync/local_lock.h"

#include <algorithm>
#include <ranges>
#include <vector>

namespace pawl::sync {
namespace {

std::string_view name_of(const local_lock* lock) noexcept
{
    return lock->settings()->what.name;
}

}  // namespace

std::size_t local_locks::name_hash::operator()(std::string_view name) const noexcept
{
    return std::hash<std::string_view>{}(name);
}

std::size_t local_locks::name_hash::operator()(const local_lock* lock) const noexcept
{
    return (*this)(name_of(lock));
}

bool local_locks::same_name::operator()(const local_lock* one,
                                        const local_lock* other) const noexcept
{
    return name_of(one) == name_of(other);
}

bool local_locks::same_name::operator()(const local_lock* one, std::string_view name) const noexcept
{
    return name_of(one) == name;
}

bool local_locks::same_name::operator()(std::string_view name, const local_lock* one) const noexcept
{
    return name_of(one) == name;
}

std::shared_ptr<local_lock> local_locks::meet(client_state& client, const settings_ptr& settings)
{
    // Destroyed only when the mutex is free: their destructors want it.
    std::vector<std::shared_ptr<local_lock>> others;
    std::shared_ptr<local_lock> made;
    const common::scoped_lock guard{mutex_};
    const auto [begin, end] = all_.equal_range(std::string_view{settings->what.name});
    for (auto each = begin; each != end; ++each) {
        auto found = (*each)->weak_from_this().lock();
        if (found && *found->settings() == *settings) return found;
        if (found) others.push_back(std::move(found));
    }
    made = std::make_shared<local_lock>(client, settings, weak_from_this());
    all_.insert(made.get());
    return made;
}

void local_locks::part_from(const local_lock& which) noexcept
{
    // A thread that exists in the parent only may have held the mutex.
    if (process_mark_ != base::process_mark()) return;
    const common::scoped_lock guard{mutex_};
    const auto [begin, end] = all_.equal_range(name_of(&which));
    const auto found = std::find(begin, end, &which);
    if (found != end) all_.erase(found);
}

void local_locks::wanted(std::optional<std::string_view> name)
{
    std::vector<std::shared_ptr<local_lock>> found;
    {
        const common::scoped_lock guard{mutex_};
        const auto [begin, end] =
            name ? all_.equal_range(*name) : std::pair{all_.begin(), all_.end()};
        for (auto each = begin; each != end; ++each) {
            if (auto one = (*each)->weak_from_this().lock()) found.push_back(std::move(one));
        }
    }
    for (const auto& each : found) each->wanted();
}

}  // namespace pawl::sync
