// What a user of locks does with a leader, besides what it does with all locks.
#include "sim/lock_user.h"

#include "sim/async_calls.h"
#include "sync/async_access.h"
#include "sync/yielding.h"

#include <pawl/error.h>
#include <pawl/time_limit.h>

#include <string>
#include <system_error>
#include <variant>

namespace pawl::sim {

std::string lock_user::candidate_name(unsigned process)
{
    return "process " + std::to_string(process);
}

// A leader hands over to a process, if that one waits. Returns whether it did.
bool lock_user::yield(dice& dice, belief& mine, hold& held)
{
    if (!locks_[mine.lock]->leader || process_->is_dead() || !dice.chance(0.4)) return false;
    const auto to = candidate_name(static_cast<unsigned>(dice.below(stage_->what.processes)));
    checker_->changing(mine);
    const auto got = sync::yield_to(async_access::look_at(held), to);
    const auto* const failed = std::get_if<sync::trouble>(&got);
    if (failed == nullptr && std::get<bool>(got)) {
        checker_->releasing(mine);
        return true;
    }
    checker_->not_changed(mine, failed != nullptr ? failed->code : std::error_code{});
    return false;
}

void lock_user::read_leader(const belief& mine)
{
    auto& where = locks_[mine.lock]->leader;
    if (!where) return;
    std::error_code ec;
    if (const auto seen = where->current(ec)) {
        checker_->read(mine.lock, seen->fence, seen->payload);
    }
    checker_->answered(mine, "current", ec);
}

// Some watchers go on when the faults have ended. The leader that they have seen ends too, and they must learn of it.
void lock_user::watch_leader(dice& dice, std::size_t lock)
{
    auto& where = *locks_[lock]->leader;
    std::error_code ec;
    std::uint64_t seen = 0;
    if (dice.chance(0.8)) {
        if (const auto now = where.current(ec)) {
            checker_->read(lock, now->fence, now->payload);
            seen = now->fence;
        }
        if (ec || process_->is_dead()) return;
    }
    const auto change = where.changed_since(seen);
    const checker::watch mine{.who = process_.get(), .lock = lock, .seen = seen};
    const auto stop = stop_token_for(dice);
    const auto limit = time_limit::after(dice.spread(stage_->what.delay, 5 * stage_->what.lease));
    checker_->begins_to_watch(mine);
    switch (dice.below(seen == 0 ? 4 : 6)) {
    case 0:
        if (!change.try_wait(ec) && !ec) ec = errc::busy;
        break;
    case 1: wait_async(*process_, change, limit, stop, ec); break;
    case 2:
        if (!change.wait_for(limit.wait(), stop, ec) && !ec) ec = errc::timed_out;
        break;
    case 3: change.wait(stop, ec); break;
    case 4: wait_async(*process_, change, time_limit::never(), {}, ec); break;
    default: change.wait(ec); break;
    }
    checker_->watched(mine, ec);
}

}  // namespace pawl::sim
