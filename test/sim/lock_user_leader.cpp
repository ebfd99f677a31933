// What a user of locks does with a leader, besides what it does with all locks.
#include "sim/lock_user.h"

#include "sync/yielding.h"

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
    const auto got = sync::yield_to(held, to);
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

}  // namespace pawl::sim
