// Defects that other lock libraries have shipped, or that are easy to make. The simulator and
// test/mutants enable them one at a time, to check that a test detects each. In the library none is
// enabled: the compiler removes the checks.
#pragma once

#include <cstdint>
#include <string_view>

namespace pawl::base {

// The numbers are those of docs/simulator.md. The mutants that are missing here are changes to the
// scripts.
enum class mutant : std::uint8_t {
    none,
    d3_deadline_from_reply,      // validity counted from after the reply
    d3_renewal_from_reply,       // the same for renewals
    d4_wall_clock,               // validity by the wall clock
    d5_stale_grant,              // granted although the lease has run out
    d7_drift_added,              // drift added instead of subtracted
    d9_no_cleanup,               // a lock that a failed acquire may have left is not given back
    d13_loss_waits_for_renewal,  // lost only when the renewal returns
    d14_renewal_survives,        // renewed after the release
    d14_renewal_storm,           // renewed again as soon as it was renewed
    d15_renewal_forgotten,       // an extension during a renewal ends all renewals
    d16_renews_what_is_lost,     // a lease that belongs to another holder is renewed
    d18_release_error,           // a repeated release that finds the lock gone is an error
    d19_no_timer,                // a waiter does not look by itself
    d19_no_timer_of_watcher,     // the same for a watcher of a leader
    d32_waiter_stays,            // a waiter that gives up keeps its place in the queue
    d34_no_script,               // an unknown script is an error
    d34_script_in_full,          // the whole text of the script with every call
    d38_same_holder,             // one holder for all grants of a client
    d47_only_one_is_told,        // only one waiter is told that the server is silent
    d48_unprepared_for_loss,     // the thread that reports a loss is started when it happens
    grant_from_receipt,          // a deadline is counted from the arrival of the grant
    grant_after_limit,           // a waiter's place is kept beyond its limit, and not left
    pass_on_stale_fence,         // a lock is passed on with the fence of the former holder
    lingers_when_wanted,         // a lock lingers on although another client asks for it
    bare_overtakes,              // a bare acquire of a fair lock
    bare_fence_unchecked,        // any number is accepted as the fence of a bare acquire
    bare_fence_from_old_data,    // … if it looks like a fence of pawl
    bare_not_repeated,           // the script after a successful bare acquire does not know of it
    part_is_whole,               // a waiter for many locks takes one of them for all
    part_has_whole_lease,        // one of many locks is handed over for the whole lease
    once_taken_back,             // a run that has begun is taken back as if it had not
    condition_in_two_steps,      // a waiter gives the lock back, and then joins the condition
    condition_waits_on,          // a waiter that the server does not have in the condition waits on
    condition_stays,             // a waiter whose limit has passed stays in the condition
    condition_leaves_briefly,    // a waiter that gave up tries to leave only while its lease lasts
    condition_repeat_is_lost,    // a repeated wait that finds its waiter nowhere is lost
    arrival_numbered_anew,       // an arrival at a gate gets a new number when it is repeated
    hold_without_end,            // longest_hold does not end a hold
    lease_beyond_hold,           // a lease is asked for that lasts longer than longest_hold allows
    renewed_without_beat,        // a heartbeat that stopped does not end the renewals
    reader_joins_old_lease,      // a reader joins a lease of its process that is not open any more
    resize_tried_once,           // a resize that was not executed is reported as done
    reader_joins_weak_lease,     // a reader joins a lease of its process that is not sound any more
    stripe_by_process,           // the hash of an id depends on the process
    stripe_off_in_one_client,    // some clients use the next stripe
    bare_after_replica,          // a bare acquire of a server that was a replica meanwhile
    d6_majority_of_reachable,    // a quorum is counted over the nodes that answer
    d8_error_ends_return,  // votes are returned only to the nodes before the first one with an error
    d10_failed_extend_releases,  // an extension without a majority returns all votes of the hold
    d26_greatest_number,  // the fence is the greatest number of the votes, and they are not raised
    d43_best_vote,        // the deadline of a hold is that of its best vote
    d43_first_request,    // the lease of a vote is counted from the first request for it
    late_restore,         // a restore is executed as long as the hold is valid
    restores_briefly,     // a short extension restores a vote for less than the hold is valid
    never_hands_back,     // a waiter keeps its votes although they are no majority
    passed_on_twice,      // the metrics count a lock twice that is passed on
    // The simulator has no Sentinel, no Cluster and no WAIT. These are for test/mutants.
    d11_even_quorum,            // a quorum may have an even number of nodes
    d35_slots_in_one_call,      // one call renews locks of several slots, and its refusal is final
    stays_with_old_primary,     // sentinels are believed only while the primary cannot be reached
    role_ignored,               // a connection to a replica is used
    readonly_is_final,          // READONLY is an error of the request, and the connection stays
    unwritten_is_acknowledged,  // a lock that was handed over counts as acknowledged
    tryagain_is_final,          // TRYAGAIN is an error of the request
};

#ifdef PAWL_MUTANTS
inline mutant active_mutant = mutant::none;
[[nodiscard]] inline bool is(mutant which) noexcept
{
    return active_mutant == which;
}
[[nodiscard]] inline bool has_mutant() noexcept
{
    return active_mutant != mutant::none;
}
// Changes the text of a script before it is sent. The simulator does not need it: its server changes
// the scripts.
inline std::string_view (*script_change)(std::string_view) = nullptr;
[[nodiscard]] inline bool changes_scripts() noexcept
{
    return script_change != nullptr;
}
[[nodiscard]] inline std::string_view changed(std::string_view script)
{
    return changes_scripts() ? script_change(script) : script;
}
#else
[[nodiscard]] constexpr bool is(mutant /*which*/) noexcept
{
    return false;
}
[[nodiscard]] constexpr bool has_mutant() noexcept
{
    return false;
}
[[nodiscard]] constexpr bool changes_scripts() noexcept
{
    return false;
}
[[nodiscard]] constexpr std::string_view changed(std::string_view script) noexcept
{
    return script;
}
#endif

}  // namespace pawl::base
