// Holds that end by themselves: after lock_options::longest_hold, or without a heartbeat.
#include "sim/checker.h"
#include "sim/checker_words.h"

#include <pawl/error.h>

#include <algorithm>

namespace pawl::sim {

using namespace std::chrono_literals;

void checker::beaten(const belief& which)
{
    record_of(which.holder).beaten_at = which.who->now();
}

void checker::resized(const process& who, std::size_t lock, bool executed, std::error_code why)
{
    if (who.is_dead()) return;
    const bool silent = why == errc::unreachable && plan_->server_may_be_silent();
    if (why && !silent) fail("no error without a cause", lock, "resize: " + why.message());
    if (!why && !executed) fail("weights", lock, "a resize that succeeded was not executed");
}

// No hold is valid for longer than it may last.
void checker::check_longest_hold(const belief& which)
{
    if (which.longest_hold == 0ms || !believes(which)) return;
    const auto end = which.who->now() + which.held->valid_for();
    if (end > which.since + which.longest_hold) {
        fail("held too long", which.lock, short_id(which.holder) + " is valid for too long");
    }
}

// When the hold must have ended, its lease at the server ends too. A request that comes late may make it longer.
void checker::watch_end_of_hold(const belief& which)
{
    if (which.longest_hold == 0ms || plan_->server_may_be_silent()) return;
    const auto drift =
        std::chrono::duration_cast<nanoseconds>(which.longest_hold * 2 * plan_->drift);
    const auto end =
        which.who->true_time_of(which.since + which.longest_hold) + drift + 4 * plan_->delay + 10ms;
    const auto holder = which.holder;
    const auto lock = which.lock;
    world_->at(end, [this, holder, lock, holds = record_of(holder).holds] {
        // It may have been passed on inside the process, or lingers.
        if (record_of(holder).holds != holds || plan_->locks[lock].linger > 0ms) return;
        const auto there = server_->holders_of(locks_[lock].name);
        if (std::ranges::find(there, holder) != there.end() && !excused(lock, holder)) {
            fail("held too long", lock, short_id(holder) + " still holds it at the server");
        }
    });
}

// A renewal is about to be sent. After a stop, or when the server did not know the script, it is sent a little later
// than it was decided.
void checker::check_beat(const process& who, std::string_view holder)
{
    const auto& record = record_of(holder);
    if (record.heartbeat == 0ms || record.open_holds == 0 || record.given_up) return;
    if (plan_->has(fault::stops) || plan_->has(fault::slow_threads)) return;
    if (who.now() > record.beaten_at + record.heartbeat + plan_->command_limit) {
        fail("renewed only with a beat", record.lock,
             short_id(holder) + " is renewed, and its work makes no progress");
    }
}

}  // namespace pawl::sim
