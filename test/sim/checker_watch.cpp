// What must be true as time passes, and what must be gone at the end.
#include "sim/checker.h"

#include "sim/checker_words.h"
#include "store/redis/keys.h"

#include <algorithm>

namespace pawl::sim {

using namespace std::chrono_literals;

namespace {

constexpr nanoseconds tolerance = 2ms;  // between a deadline and telling the holder

}  // namespace

// ── All the time ────────────────────────────────────────────────────────────────────────────────

bool checker::believes(const belief& which) const
{
    return !which.over && !which.who->is_dead() && which.held->valid_for() > 0ns;
}

void checker::after_step()
{
    for (std::size_t i = 0; i < locks_.size(); ++i) {
        if (locks_[i].believers.size() > 1) check_exclusion(i);
    }
}

void checker::check_one_holder(std::size_t lock)
{
    const belief* first = nullptr;
    for (const auto* each : locks_[lock].believers) {
        if (!believes(*each) || excused(lock, each->holder)) continue;
        if (first != nullptr) {
            fail("exclusion", lock,
                 named(*first->who) + " (" + short_id(first->holder) + ") and " +
                     named(*each->who) + " (" + short_id(each->holder) + ") both hold it");
            return;
        }
        first = each;
    }
}

bool checker::server_has(const belief& which) const
{
    const auto holders = server_->holders_of(locks_[which.lock].name);
    return std::ranges::find(holders, which.holder) != holders.end();
}

// Until the deadline, the server has the lock for the holder.
void checker::check_lease_outlives(const belief& which)
{
    if (!believes(which) || may_have_lost(which.lock, which.holder)) return;
    if (!server_has(which)) {
        fail("the lease outlives the deadline", which.lock,
             named(*which.who) + " believes to hold a lock that the server has freed");
    }
}

// At the deadline the holder is told, whatever the network does. After the deadline the hold only says that no time is
// left, and a renewal may have moved the deadline since the last look. So the time counts from the first look that
// finds no time left.
void checker::watch_deadline(std::size_t number)
{
    const auto found = std::ranges::find(beliefs_, number, &belief::number);
    if (found == beliefs_.end() || found->over || found->who->is_dead()) return;
    if (found->told.stop_requested()) return;
    const auto& who = *found->who;
    check_longest_hold(*found);
    const auto left = found->held->valid_for();
    if (left > 0ns) {
        found->passed_at.reset();
    } else if (!found->passed_at) {
        found->passed_at = world_->now();
    }
    const auto due = found->passed_at.value_or(who.true_time_of(who.now() + left));
    // A process that was stopped until just now has not had time yet.
    const auto earliest = std::max(due, who.last_stop_end());
    if (left <= 0ns && earliest + tolerance <= world_->now()) {
        fail("told in time", found->lock, "the deadline has passed, and its holder was not told");
        return;
    }
    world_->at(earliest + tolerance, [this, number] { watch_deadline(number); });
    world_->at(earliest - 2us, [this, number] {
        const auto again = std::ranges::find(beliefs_, number, &belief::number);
        if (again != beliefs_.end()) check_lease_outlives(*again);
    });
}

// Nothing will release it, although its process is alive.
bool checker::is_kept_for_nobody(std::string_view holder) const
{
    if (may_be_left_behind()) return false;
    const auto found = holders_.find(holder.substr(0, id_digits));
    const bool known = found != holders_.end() && found->second.who != nullptr;
    return known && !found->second.who->is_dead() && found->second.left.has_value() &&
           std::ranges::none_of(beliefs_, [&](const auto& each) { return each.holder == holder; });
}

nanoseconds checker::voted_since(std::string_view holder) const
{
    const auto found = holders_.find(holder.substr(0, id_digits));
    return found == holders_.end() ? nanoseconds::min() : found->second.granted;
}

bool checker::is_of_living_waiter(std::string_view holder) const
{
    const auto found = holders_.find(holder.substr(0, id_digits));
    return found != holders_.end() && found->second.who != nullptr &&
           !found->second.who->is_dead() && !found->second.left;
}

bool checker::is_forgotten(std::string_view holder) const
{
    const auto found = holders_.find(holder.substr(0, id_digits));
    if (found == holders_.end() || found->second.who == nullptr) return false;
    const auto& record = found->second;
    return record.left && !record.granted_late && !record.who->is_dead() &&
           *record.left + time_to_clean_up() <= world_->now();
}

// ── At the end ──────────────────────────────────────────────────────────────────────────────────

// Locks that come back with old data are unknown to all clients. Also, a client tries to give a
// lock back only as long as the lease. A server whose clock is set back keeps it for longer, and
// accepts a request that is late.
bool checker::may_be_left_behind() const
{
    return plan_->has(fault::old_restarts) || plan_->has(fault::server_back) ||
           plan_->has(fault::server_far_back);
}

void checker::check_orphans()
{
    if (may_be_left_behind()) return;
    for (std::size_t i = 0; i < locks_.size(); ++i) {
        const auto is_forgotten = [&](const holder_record& record) {
            return record.left && !record.granted_late && !record.who->is_dead() &&
                   std::max(*record.left, record.taken_late + 4s) + time_to_clean_up() +
                           plan_->locks[i].linger <=
                       world_->now();
        };
        for (const auto& holder : server_->holders_of(locks_[i].name)) {
            const auto found = holders_.find(std::string_view{holder}.substr(0, id_digits));
            if (found == holders_.end() || !is_forgotten(found->second)) continue;
            fail("nothing is left behind", i,
                 short_id(holder) + " was given up, and still holds the lock");
        }
        for (const auto& waiter : server_->waiters_in(store::queue_key(locks_[i].name))) {
            const auto& who = record_of(waiter.holder);
            if (who.left && who.who != nullptr && !who.who->is_dead() &&
                *who.left + time_to_clean_up() <= world_->now()) {
                fail("nothing is left behind", i,
                     short_id(waiter.holder) + " gave up, and is in the queue");
            }
        }
    }
}

}  // namespace pawl::sim
