// Runs a command under a lock, from its start to its end. `pawl run` and `pawl lead` share this,
// because the order of the steps matters: no process of the command outlives the lock.
#pragma once

#include "child.h"
#include "ending.h"
#include "guardian.h"
#include "signals.h"
#include "supervisor.h"
#include "wake_up.h"

#include <pawl/hold.h>

#include <signal.h>

namespace pawl::cli {

// How a command ended that ran under a lock.
struct supervised_end {
    enum class kind {
        never_started,  // the lock was about to end before the command could start
        cannot_run,     // there is no such command, for example; a message has been written
        ended,
    };

    kind what = kind::ended;
    ending how{};                // also of a command that cannot be run, as in a shell
    bool was_stopped = false;    // pawl ended it because of the lock
    bool came_too_late = false;  // pawl hung for so long that the guardian killed it
    bool is_lost = false;        // the lock was lost when the command had ended
    bool had_terminal = false;
    sigset_t passed_on{};

    // Whether pawl got this signal and passed it on to the command.
    [[nodiscard]] bool has_passed_on(int signal) const noexcept
    {
        return signal > 0 && ::sigismember(&passed_on, signal) == 1;
    }
    // Whether this signal came from a key like Ctrl-C.
    [[nodiscard]] bool was_typed(int signal) const noexcept
    {
        return had_terminal && (signal == SIGINT || signal == SIGQUIT);
    }
};

// What a session has. The bell must be rung whenever the state of the hold changes.
struct session_parts {
    guardian& guard;
    const signals& all_signals;
    const bell& changes;
};

// Returns when the command has ended. Throws std::system_error if there is no guardian and none can
// be started.
[[nodiscard]] supervised_end run_supervised(const hold& held, const command& what,
                                            const supervision& settings,
                                            const session_parts& parts);

// A key like Ctrl-C sends its signal to the foreground group of the terminal, which is the
// command's group. The script around pawl is in pawl's group. Without pawl it would have got the
// signal too, and ended.
void tell_own_group(const supervised_end& over) noexcept;

}  // namespace pawl::cli
