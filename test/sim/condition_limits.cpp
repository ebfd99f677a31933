// Holds of a lock with a condition that end by themselves: after lock_options::longest_hold, or without a heartbeat.
#include "sim/checker_words.h"
#include "sim/condition_checker.h"

namespace pawl::sim {

using namespace std::chrono_literals;
using kind = script_call::kind;

void condition_checker::beaten(const hold& held, const process& who)
{
    if (const auto found = beats_.find(held.id()); found != beats_.end()) {
        found->second.when = who.now();
    }
}

// No hold is valid for longer than it may last. A wait ends the hold before it, and its time begins anew after it.
void condition_checker::check_longest_holds()
{
    for (const auto& each : visits_) {
        if (each.longest_hold == 0ms || each.who->is_dead()) continue;
        const auto left = each.held->valid_for();
        if (left > 0ns && each.who->now() + left > each.since + each.longest_hold) {
            fail("held too long", each.lock, short_id(each.holder) + " is valid for too long");
        }
    }
}

// A renewal is about to be sent. After a stop, or when the server did not know the script, it is sent a little later
// than it was decided.
void condition_checker::submitted(const process& who, std::span<const std::string_view> words)
{
    const auto call = read_call(words);
    if (!call || call->what != kind::renew) return;
    if (plan_->has(fault::stops) || plan_->has(fault::slow_threads)) return;
    for (std::size_t i = 0; i < call->leases(); ++i) {
        const auto found = beats_.find(call->holder(i));
        if (found == beats_.end()) continue;
        const auto& [heartbeat, when, lock] = found->second;
        if (who.now() > when + heartbeat + plan_->command_limit) {
            fail("renewed only with a beat", lock,
                 short_id(call->holder(i)) + " is renewed, and its work makes no progress");
        }
    }
}

}  // namespace pawl::sim
