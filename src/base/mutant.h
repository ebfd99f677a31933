// Defects that other lock libraries shipped, or that would be easy to make. The simulator puts them back, one at a time, to see
// that it catches each; in the library there is none: every question is answered when it is compiled.
#pragma once

#include <cstdint>

namespace pawl::base {

// The numbers are those of docs/simulator.md. Those that are not here are changes to the scripts.
enum class mutant : std::uint8_t {
    none,
    d3_deadline_from_reply,      // validity counted from after the reply
    d3_renewal_from_reply,       // likewise for renewals
    d4_wall_clock,               // validity by the wall clock
    d5_stale_grant,              // granted although nothing is left of the lease
    d7_drift_added,              // drift added instead of subtracted
    d9_no_cleanup,               // what a failed acquire may have left is not taken back
    d13_loss_waits_for_renewal,  // lost only when the renewal returns
    d14_renewal_survives,        // renewed after the release
    d14_renewal_storm,           // renewed again as soon as it was renewed
    d15_renewal_forgotten,       // an extension during a renewal ends all renewals
    d16_renews_what_is_lost,     // a lease that is another's is renewed all the same
    d18_release_error,           // a repeated release that finds the lock gone is an error
    d19_no_timer,                // a waiter does not look for itself
    d32_waiter_stays,            // a waiter that gives up keeps its place in the queue
    d34_no_script,               // an unknown script is an error
    d34_script_in_full,          // the script's text with every call
    d38_same_holder,             // one holder for all grants of a client
    d47_only_one_is_told,        // of those who wait, that the server is silent
    d48_unprepared_for_loss,     // what tells a loss is made when it happens
    grant_from_receipt,          // a grant's deadline counted from when its message came
    grant_after_limit,           // a waiter's place is kept beyond its limit, and not left
    pass_on_stale_fence,         // a lock is passed on with the number of who had it before
    lingers_when_wanted,         // a lock lingers on though someone asks for it
    bare_overtakes,              // a bare acquire of a fair lock
    bare_fence_unchecked,        // the number of a bare acquire is good whatever it is
    bare_fence_from_old_data,    // … if it looks like one of ours
    bare_not_repeated,  // the script after a bare acquire that took the lock does not know of it
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
#else
[[nodiscard]] constexpr bool is(mutant /*which*/) noexcept
{
    return false;
}
[[nodiscard]] constexpr bool has_mutant() noexcept
{
    return false;
}
#endif

}  // namespace pawl::base
