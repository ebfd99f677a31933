// Waits for the lock, in a way that Ctrl-C can end.
#pragma once

#include "run_options.h"
#include "signals.h"

#include <pawl/acquirable.h>
#include <pawl/hold.h>

#include <optional>
#include <string>

namespace pawl::cli {

struct wait_result {
    std::optional<hold> held;  // unset: another holder has it, or a signal came
    int signal = 0;            // the signal that ended the wait
};

// A signal that would end a process ends the wait, and then nothing is held. Ctrl-Z stops pawl like
// any process. After a second, a user at a terminal is told which lock pawl waits for, on which
// server, and for how long. Throws pawl::error.
[[nodiscard]] wait_result wait_for_lock(acquirable& lock, const std::string& server,
                                        const run_options& options, const signals& signals);

}  // namespace pawl::cli
