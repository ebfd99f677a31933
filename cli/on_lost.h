// The command that --on-lost names.
#pragma once

#include "child.h"
#include "guardian.h"
#include "signals.h"

namespace pawl::cli {

// Runs it to its end, or for a minute: then it is killed. Signals go to it as they went to the
// command before. Says so if it fails; its status counts for nothing else.
void run_on_lost(const command& what, const signals& signals, guardian& guard);

}  // namespace pawl::cli
