// Checks of pawl's own state that stay in release builds. If one fails, pawl has a bug: two callers
// may hold one lock, or a fence may not grow. That does more damage than the end of the process, so
// the process ends, with a message that asks for a report.
//
// Never for a user's argument or a server's answer: those are errors, and the caller is told.
#pragma once

#include "base/mutant.h"

#include <source_location>

namespace pawl::base {

// Writes the message to stderr, and aborts.
[[noreturn]] void end_with_internal_error(const char* what,
                                          const std::source_location& where) noexcept;

// `what` says what is wrong if the condition is false. Costs one comparison, so the condition should
// read only what is at hand.
inline void require(bool condition, const char* what,
                    const std::source_location& where = std::source_location::current()) noexcept
{
    if (condition) [[likely]]
        return;
    // A mutant breaks rules on purpose, and the simulator's own checks have to notice it.
    if (has_mutant()) return;
    end_with_internal_error(what, where);
}

}  // namespace pawl::base
