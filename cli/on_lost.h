// The command that --on-lost names.
#pragma once

#include "child.h"
#include "guardian.h"
#include "signals.h"

namespace pawl::cli {

// Runs it until it ends, at most for a minute: then it is killed. Signals are passed on to it, as
// they were to the command before. Prints a message if it fails. Its status has no other effect.
void run_on_lost(const command& what, const signals& signals, guardian& guard);

}  // namespace pawl::cli
