// Which grants may exist at a time, their fences, and who must not wait.
#include "sim/checker_words.h"
#include "sim/members_checker.h"

#include <algorithm>
#include <utility>

namespace pawl::sim {

using namespace std::chrono_literals;

members_checker::members_checker(const plan& plan, world& world, server& server, trace& trace)
    : checker{plan, world, server, trace}, own_(plan.locks.size())
{
}

void members_checker::check_exclusion(std::size_t index)
{
    std::uint64_t weight = 0;
    std::string who;
    auto since = world_->now();
    for (const auto* each : locks_[index].believers) {
        if (!believes(*each) || excused(index, each->holder)) continue;
        weight += each->how.weight;
        since = std::min(since, each->asked);
        who += ' ' + named(*each->who) + " (" + short_id(each->holder) + ", weight " +
               std::to_string(each->how.weight) + ')';
    }
    if (weight > greatest_capacity(index, since)) fail("exclusion", index, "these are in:" + who);
}

// That was valid at any time since then. When the last of several holders was let in, all of them fitted.
std::uint64_t members_checker::greatest_capacity(std::size_t index, nanoseconds since) const
{
    auto greatest = plan_->locks[index].capacity;
    const auto& known = own_[index].capacities;
    for (auto each = known.rbegin(); each != known.rend(); ++each) {
        if (each == known.rbegin()) greatest = each->second;
        greatest = std::max(greatest, each->second);
        if (each->first < since) break;
    }
    return greatest;
}

bool members_checker::may_refuse(std::size_t index) const
{
    return own_[index].capacities.size() > 1;
}

// The server grants it: a writer and each grant of permits get a fence that is greater than all before, a reader one
// that is not smaller.
void members_checker::grant(std::size_t index, std::string_view holder, bool reads,
                            std::uint64_t fence)
{
    auto& lock = own_[index];
    ++lock.grants;
    trace_->note(index, [&] {
        return "server grants it to " + short_id(holder) + ", fence " + std::to_string(fence);
    });
    auto& mine = lock.granted[std::string{holder.substr(0, id_digits)}];
    mine.fences.insert(fence);
    // A server that went back to old data gives the fence of an old writer to readers, until a writer comes.
    if (!reads) lock.fence_is_old = false;
    mine.old_fence = lock.fence_is_old;
    const bool grows = reads ? fence >= lock.last_fence : fence > lock.last_fence;
    if (!grows && !lock.fence_is_old) {
        fail("fence", index, std::to_string(fence) + " after " + std::to_string(lock.last_fence));
    }
    lock.last_fence = std::max(lock.last_fence, fence);
}

void members_checker::check_fence(const belief& fresh)
{
    auto& lock = own_[fresh.lock];
    auto& mine = lock.granted[fresh.holder];
    if (!mine.fences.contains(fresh.fence)) {
        fail("fence", fresh.lock, "a fence that the server did not give to this holder");
    }
    // Readers of one process share a grant.
    if (!std::exchange(mine.used, true)) {
        mine.first_used = world_->now();
    } else if (fresh.how.reads) {
        check_joined(fresh, mine);
    } else {
        fail("fence", fresh.lock, "a grant was used twice");
    }
    if (!fresh.how.reads || mine.old_fence || excused(fresh.lock, fresh.holder)) return;
    for (const auto& [when, fence] : lock.writers_left) {
        if (when >= fresh.asked || fence <= fresh.fence) continue;
        fail("fence", fresh.lock,
             "a reader has " + std::to_string(fresh.fence) + " after a writer had " +
                 std::to_string(fence));
        return;
    }
}

// A reader has joined a lease of its process. It may do so only in the first 10 ms, because a writer may wait; and only
// if the lease lasts for at least half of its time. What the reader does not know is in its favour: it may have waited
// for the grant, and its clock may be wrong by a fifth.
void members_checker::check_joined(const belief& fresh, const grant_record& shared)
{
    if (fresh.asked > shared.first_used + 10ms * 5 / 4 + 1ms) {
        fail("readers join in time", fresh.lock,
             named(*fresh.who) + " has joined a lease that was not open any more");
    }
    const auto left = fresh.held->valid_for();
    const auto joined = std::max(fresh.asked, record_of(fresh.holder).granted);
    if (left > 0ns && left + (world_->now() - joined) * 5 / 4 + 1ms < fresh.lease / 2) {
        fail("readers join in time", fresh.lock,
             named(*fresh.who) + " has joined a lease that is about to end");
    }
}

// A shared mutex guards a register, which readers read. The register refuses all but the newest fence.
void members_checker::write(const belief& which)
{
    if (plan_->locks[which.lock].what == lock_plan::kind::semaphore) return;
    auto& lock = own_[which.lock];
    if (which.fence >= lock.greatest_written) {
        if (!which.how.reads) lock.greatest_written = which.fence;
        return;
    }
    ++stale_writes_;
    const auto is = look_at(which.lock);
    if (is.member(which.holder) != nullptr && !lock.granted[which.holder].old_fence &&
        !excused(which.lock, which.holder)) {
        fail("register", which.lock, short_id(which.holder) + " is in, and is refused");
    }
}

void members_checker::data_lost(bool known)
{
    for (auto& lock : own_) lock.fence_is_old = !known;
}

// No waiter waits from one call of this to the next if it could enter, or for a holder without a hold.
void members_checker::watch_waiting()
{
    for (std::size_t index = 0; index < own_.size(); ++index) {
        auto& lock = own_[index];
        const auto& waiting = locks_[index].waiting;
        const auto last = lock.looked_at;
        const auto waits = [last](const wait* each) { return each->since() < last; };
        const bool still = lock.grants == lock.grants_seen && std::ranges::any_of(waiting, waits);
        lock.looked_at = world_->now();
        lock.grants_seen = lock.grants;
        if (!still) continue;
        const auto is = look_at(index);
        for (const auto& each : is.in()) {
            if (!is_kept_for_nobody(each.holder)) continue;
            fail("nobody is forgotten", index,
                 "there is a waiter, and " + short_id(each.holder) + " has no hold");
        }
        const auto* const first = is.first();
        const bool stuck = std::ranges::any_of(waiting, [&](const wait* each) {
            return waits(each) && first == nullptr && is.has_room_for(each->how().weight);
        });
        if (stuck || (first != nullptr && is.has_room_for(first->weight))) {
            fail("nobody is forgotten", index, "there is a waiter that fits: " + is.describe());
        }
    }
}

}  // namespace pawl::sim
