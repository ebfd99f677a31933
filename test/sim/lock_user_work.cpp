// What a thread does while it holds a lock.
#include "sim/async_calls.h"
#include "sim/lock_user.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace pawl::sim {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {

way_in other_side(const way_in& how)
{
    return how.reads ? way_in{.weight = writer_weight} : way_in{.reads = true};
}

}  // namespace

void lock_user::critical_section(dice& dice, const wish& what, hold held)
{
    auto& mine = checker_->granted(*process_, held, entry_of(what));
    work(dice, mine, held);
    if (auto changed = change_sides(dice, what, mine, held)) {
        auto other = what;
        other.by.how = other_side(what.by.how);
        checker_->releasing(mine);
        checker_->ended(mine);
        critical_section(dice, other, std::move(*changed));
        return;
    }
    give_back(dice, mine, held);
    checker_->ended(mine);
}

// A writer becomes a reader, or a reader the writer. Returns the new hold.
std::optional<hold> lock_user::change_sides(dice& dice, const wish& what, belief& mine, hold& held)
{
    auto& lock = locks_[what.lock]->shared;
    if (!lock || process_->is_dead() || !dice.chance(0.2)) return std::nullopt;
    const auto id_before = process_->last_id();
    std::optional<hold> changed;
    std::error_code ec;
    checker_->changing(mine);
    if (what.by.how.reads) {
        changed = lock->try_upgrade(held, ec);
    } else if (auto reader = lock->downgrade(std::move(held), ec); !ec) {
        changed = std::move(reader);
    }
    if (changed) {
        seen_.ended({});
        return changed;
    }
    if (process_->last_id() != id_before) checker_->gave_up(*process_, what.lock);
    checker_->not_changed(mine, ec);
    return std::nullopt;
}

void lock_user::work(dice& dice, belief& mine, hold& held)
{
    const bool careful = dice.chance(0.5);
    const auto steps = dice.between(1, 4);
    const auto whole = dice.every(stage_->what.work);
    std::error_code ec;
    for (std::int64_t i = 0; i < steps && !process_->is_dead(); ++i) {
        sleep(whole / steps);
        if (process_->is_dead() || (careful && mine.told.stop_requested())) return;
        checker_->write(mine);
        if (mine.heartbeat > 0ms && dice.chance(0.7) && held.beat()) checker_->beaten(mine);
        auto extension = in_ms(dice.spread(10ms, 3 * mine.lease));
        switch (dice.below(10)) {
        case 0:
        case 1:
            checker_->lease_asked(extension);
            if (mine.heartbeat == 0ms && dice.chance(0.3)) {
                extend_async(*process_, held, std::max(extension, 10ms), ec);
            } else {
                held.extend(std::max(extension, 10ms), ec);
            }
            checker_->answered(mine, "extend", ec);
            break;
        case 2:
            if (const auto& plan = stage_->what; plan.nodes > 1) {
                extension = std::min(extension, plan.longest_lease / 2);
            }
            checker_->lease_asked(extension + extension / 5 + 50ms +
                                  2 * stage_->what.command_limit);
            held.ensure(std::max(extension, 10ms), ec);
            checker_->answered(mine, "ensure", ec);
            break;
        case 3:
            static_cast<void>(held.confirm(ec));
            checker_->answered(mine, "confirm", ec);
            break;
        case 4:
        case 5: enter_again(dice, mine); break;
        case 6: read_leader(mine); break;
        default: break;
        }
    }
}

void lock_user::enter_again(dice& dice, const belief& outer)
{
    auto& here = *locks_[outer.lock];
    if (!here.recursive || outer.held->valid_for() <= 0ns) return;
    std::error_code ec;
    auto inner = here.recursive->try_acquire(ec);
    if (!inner) {
        seen_.ended(ec);
        checker_->answered(outer, "enter again", ec);
        return;
    }
    if (inner->id() != outer.holder) {
        seen_.ended({});
        // The outer hold was lost meanwhile, so this is a separate grant.
        critical_section(dice, {outer.lock, here.doors.front(), stage_->world.now()},
                         std::move(*inner));
        return;
    }
    ++seen_.re_entered;
    checker_->entered_again(outer, *inner);
    sleep(dice.every(stage_->what.work / 4));
    inner->release(ec);
}

void lock_user::give_back(dice& dice, belief& mine, hold& held)
{
    if (yield(dice, mine, held)) return;
    const auto valid_until = process_->now() + held.valid_for();
    checker_->releasing(mine);
    if (dice.chance(0.2)) {
        held = hold{};
        return;
    }
    std::error_code ec;
    if (dice.chance(0.3)) {
        release_async(*process_, std::move(held), ec);
    } else {
        held.release(ec);
    }
    checker_->released(mine, ec, valid_until);
}

}  // namespace pawl::sim
