// Checks whether a request is allowed, and executes it.
#pragma once

#include "store/memory/command.h"
#include "store/memory/script_limits.h"

namespace pawl::store::memory {

// Executes a request of a client. There is at least one word.
void execute(call& what);

// Executes a request of a script.
void execute_in_script(call& what, script_limits& limits);

}  // namespace pawl::store::memory
