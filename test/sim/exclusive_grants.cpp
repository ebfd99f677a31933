// Which grants may exist at a time, and their fences.
#include "sim/checker_words.h"
#include "sim/exclusive_checker.h"

#include <algorithm>

namespace pawl::sim {

exclusive_checker::exclusive_checker(const plan& plan, world& world, server& server, trace& trace)
    : checker{plan, world, server, trace}, own_(plan.locks.size())
{
    // If the clock goes back, an expired key exists again, unless it was accessed.
    const bool unknown = plan.has(fault::server_back) || plan.has(fault::server_far_back);
    for (auto& lock : own_) lock.queue_unknown = unknown;
    has_stripes_ = std::ranges::any_of(
        plan.locks, [](const auto& each) { return each.what == lock_plan::kind::striped; });
}

void exclusive_checker::after_step()
{
    checker::after_step();
    if (has_stripes_) check_ids();
}

std::optional<std::string> exclusive_checker::holder_with(std::size_t lock,
                                                          std::uint64_t fence) const
{
    const auto found = own_[lock].order.find(fence);
    if (found == own_[lock].order.end()) return std::nullopt;
    return found->second.holder;
}

// Two ids that belong to one stripe exclude each other, whichever locks the clients took for them.
void exclusive_checker::check_ids()
{
    std::map<std::size_t, const belief*> in;  // by the stripe to which the id belongs
    for (std::size_t lock = 0; lock < locks_.size(); ++lock) {
        for (const auto* each : locks_[lock].believers) {
            if (!each->how.stripe || !believes(*each) || excused(lock, each->holder)) continue;
            const auto other = in.emplace(*each->how.stripe, each).first->second;
            if (other->lock == lock) continue;
            fail("exclusion", lock,
                 named(*other->who) + " and " + named(*each->who) + " both hold ids of " +
                     plan_->locks[*each->how.stripe].name + ", which is one mutex");
        }
    }
}

void exclusive_checker::write(const belief& which)
{
    auto& lock = own_[which.lock];
    if (which.fence < lock.greatest_written) {
        ++stale_writes_;
        // Unless the server was restarted with old data, from when this holder had the lock.
        if (server_->holder_of(locks_[which.lock].name) == which.holder &&
            !excused(which.lock, which.holder)) {
            fail("register", which.lock, "the holder of the lock is refused");
        }
        return;
    }
    const auto place = lock.order[which.fence].place;
    if (place < lock.last_writer) {
        fail("register", which.lock, "a stale write got past the fence");
    }
    lock.greatest_written = which.fence;
    lock.last_writer = place;
}

void exclusive_checker::check_fence(const belief& fresh)
{
    const auto index = fresh.lock;
    auto& lock = own_[index];
    auto found = lock.order.upper_bound(fresh.fence);
    if (found == lock.order.begin()) {
        fail("fence", index, "a fence that the server never gave out");
        return;
    }
    --found;
    auto& from = found->second;
    if (from.holder != fresh.holder || fresh.fence > found->first + from.reserve) {
        fail("fence", index, "a fence that the server did not give to this holder");
    } else if (!from.grows) {
        fail("fence", index, "a fence of a bare acquire that is not greater than those before");
    } else if (from.used) {
        if (fresh.fence == found->first) fail("fence", index, "a fence was used twice");
    }
    if (fresh.fence == found->first) {
        from.used = true;
    } else {
        lock.order[fresh.fence] = {.place = from.place,
                                   .holder = fresh.holder,
                                   .reserve = found->first + from.reserve - fresh.fence,
                                   .used = true};
    }
    if (from.offered || !excused(index, fresh.holder)) {
        lock.last_fence = std::max(lock.last_fence, fresh.fence);
    }
}

void exclusive_checker::watch_waiting()
{
    for (std::size_t index = 0; index < own_.size(); ++index) {
        auto& lock = own_[index];
        const bool waiting = !locks_[index].waiting.empty();
        const auto holder = server_->holder_of(locks_[index].name);
        const bool still = lock.waiting_seen && waiting && holder == lock.holder_seen &&
                           lock.grants == lock.grants_seen;
        if (still && !holder) {
            fail("nobody is forgotten", index, "there is a waiter, and the lock is free");
        } else if (still && is_kept_for_nobody(*holder)) {
            fail("nobody is forgotten", index,
                 "there is a waiter, and " + short_id(*holder) + " has no hold");
        }
        lock.waiting_seen = waiting;
        lock.holder_seen = holder;
        lock.grants_seen = lock.grants;
    }
}

}  // namespace pawl::sim
