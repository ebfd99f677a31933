// Which grants of sets and of single locks may exist at a time, and their fences.
#include "sim/checker_words.h"
#include "sim/many_checker.h"

#include <algorithm>

namespace pawl::sim {

many_checker::many_checker(const plan& plan, world& world, server& server, trace& trace)
    : checker{plan, world, server, trace}, seen_(plan.locks.size())
{
    for (const auto& each : plan.locks) {
        names_.push_back(each.what == lock_plan::kind::set ? each.parts : std::vector{each.name});
        for (const auto& name : names_.back()) own_[name];
    }
}

const std::vector<std::string>& many_checker::names_of(std::size_t index) const
{
    return names_[index];
}

bool many_checker::is_excused(const std::string& lock, std::string_view holder)
{
    return !plan_->leases_are_kept() || record_of(holder).granted <= own_[lock].forgotten;
}

// A set is lost with any of its locks.
void many_checker::server_forgot(std::optional<std::size_t> only_lock)
{
    if (only_lock && plan_->locks[*only_lock].what == lock_plan::kind::set) return;  // no key
    for (auto& [name, record] : own_) {
        if (only_lock && names_of(*only_lock).front() != name) continue;
        record.forgotten = world_->now();
        for (std::size_t i = 0; i < locks_.size(); ++i) {
            if (std::ranges::find(names_of(i), name) != names_of(i).end()) {
                locks_[i].forgotten = world_->now();
            }
        }
    }
}

bool many_checker::server_has(const belief& which) const
{
    return std::ranges::all_of(names_of(which.lock), [&](const auto& name) {
        return server_->holder_of(name) == which.holder;
    });
}

// For each lock of the set: all that believe to hold it, alone or in a set.
void many_checker::check_exclusion(std::size_t index)
{
    for (const auto& name : names_of(index)) {
        const belief* first = nullptr;
        for (std::size_t i = 0; i < locks_.size(); ++i) {
            if (std::ranges::find(names_of(i), name) == names_of(i).end()) continue;
            for (const auto* each : locks_[i].believers) {
                if (!believes(*each) || is_excused(name, each->holder)) continue;
                if (first != nullptr) {
                    fail("exclusion", index,
                         short_id(first->holder) + " and " + short_id(each->holder) +
                             " both hold " + name);
                    return;
                }
                first = each;
            }
        }
    }
}

void many_checker::grows(const std::string& lock, std::uint64_t fence)
{
    auto& own = own_[lock];
    ++own.grants;
    if (fence <= own.last_fence) {
        fail("fence", index_of(lock),
             std::to_string(fence) + " after " + std::to_string(own.last_fence));
    }
    own.last_fence = fence;
}

void many_checker::check_fence(const belief& fresh)
{
    if (granted_[fresh.holder].erase(fresh.fence) == 0) {
        fail("fence", fresh.lock,
             "a fence that the server did not give to this holder, or that was used before");
    }
}

void many_checker::write(const belief& which)
{
    for (const auto& name : names_of(which.lock)) {
        auto& own = own_[name];
        if (which.fence >= own.greatest_written) {
            own.greatest_written = which.fence;
            continue;
        }
        ++stale_writes_;
        if (server_->holder_of(name) == which.holder && !is_excused(name, which.holder)) {
            fail("register", which.lock, "the holder of " + name + " is refused");
        }
    }
}

void many_checker::watch_waiting()
{
    for (std::size_t index = 0; index < locks_.size(); ++index) {
        seen_record now{.waiting = !locks_[index].waiting.empty()};
        for (const auto& name : names_of(index)) {
            now.holders.push_back(server_->holder_of(name));
            now.grants += own_[name].grants;
        }
        const auto& before = seen_[index];
        const bool still = before.waiting && now.waiting && before.holders == now.holders &&
                           before.grants == now.grants;
        const auto is_kept = [this](const auto& holder) {
            return holder && !is_kept_for_nobody(*holder);
        };
        if (still && std::ranges::none_of(now.holders, is_kept)) {
            fail("nobody is forgotten", index, "there is a waiter, and nobody has a lock");
        }
        seen_[index] = std::move(now);
    }
}

}  // namespace pawl::sim
