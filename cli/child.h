// The command: a child of pawl in a process group of its own.
//
//   state      how it gets there
//   waiting    forked, but runs nothing yet; if pawl dies now, it just ends
//   running    start() let it go; if pawl dies now, the guardian ends its group
//   ended      it has a status, and its process id is still its own
//   reaped     reap() took the status; another process may get the process id now
#pragma once

#include "common/unique_fd.h"
#include "ending.h"
#include "guardian.h"
#include "signals.h"

#include <sys/types.h>

#include <string>
#include <vector>

namespace pawl::cli {

// What to run: the words of a command, and "NAME=value" lines that are added to pawl's own
// environment.
struct command {
    std::vector<std::string> words;
    std::vector<std::string> environment;
};

class child {
public:
    // Forks. The child waits for start(). Must be called in the main thread: the kernel kills the
    // child when the thread that forked it ends.
    child(const command& what, const signals& signals, const guardian& guard);

    // Kills the group and reaps the child, if it was not reaped.
    ~child();
    child(const child&) = delete;
    child& operator=(const child&) = delete;

    // Lets it run. Returns 0, or the error number if the command cannot be run. The child has ended
    // then.
    [[nodiscard]] int start();

    // The id of the process and of its group.
    [[nodiscard]] pid_t group() const noexcept { return pid_; }

    // Sends a signal to all processes of the group.
    void signal(int number) const noexcept;

    // The signal that stopped it, 0 if it was not stopped since the last call.
    [[nodiscard]] int stopped_by() const noexcept;

    [[nodiscard]] bool has_ended() const noexcept;

    // Waits until it ends.
    ending reap() noexcept;

private:
    pid_t pid_ = -1;
    bool reaped_ = false;
    common::unique_fd go_;           // a byte lets the child run; if closed without one, it ends
    common::unique_fd exec_failed_;  // an error number; closed without one when the command runs
};

// The exit code that a shell uses for a command that cannot be run.
[[nodiscard]] int exit_code_of_exec_failure(int error_number) noexcept;

}  // namespace pawl::cli
