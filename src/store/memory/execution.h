// Finds out whether a request may run, and runs it.
#pragma once

#include "store/memory/command.h"
#include "store/memory/script_limits.h"

namespace pawl::store::memory {

// A request of a client. There is at least one word.
void execute(call& what);

// A request of a script.
void execute_in_script(call& what, script_limits& limits);

}  // namespace pawl::store::memory
