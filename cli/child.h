// The command: a child of pawl in a process group of its own.
//
//   state      how it gets there
//   waiting    forked, but runs nothing yet; if pawl dies now, it just ends
//   running    start() let it go; if pawl dies now, the guardian ends its group
//   ended      it has a status, and its number is still its own
//   reaped     reap() took the status; the number may be someone else's from now on
#pragma once

#include "common/unique_fd.h"
#include "ending.h"
#include "guardian.h"
#include "signals.h"

#include <sys/types.h>

#include <string>
#include <vector>

namespace pawl::cli {

// What to run: the words of a command, and "NAME=value" lines for its environment besides those
// that pawl itself has.
struct command {
    std::vector<std::string> words;
    std::vector<std::string> environment;
};

class child {
public:
    // Forks; the child waits. To be called in the main thread: it is killed when the thread that
    // made it ends.
    child(const command& what, const signals& signals, const guardian& guard);

    // If it was not reaped, kills its group and reaps it.
    ~child();
    child(const child&) = delete;
    child& operator=(const child&) = delete;

    // Lets it run. 0, or the error number for which the command cannot be run; it has ended then.
    [[nodiscard]] int start();

    // The number of the process and of its group.
    [[nodiscard]] pid_t group() const noexcept { return pid_; }

    // Sends a signal to everyone in the group.
    void signal(int number) const noexcept;

    // The signal that stopped it, 0 if none did since the last call.
    [[nodiscard]] int stopped_by() const noexcept;

    [[nodiscard]] bool has_ended() const noexcept;

    // Waits for its end.
    ending reap() noexcept;

private:
    pid_t pid_ = -1;
    bool reaped_ = false;
    common::unique_fd go_;           // a byte lets the child run; closed without one, it ends
    common::unique_fd exec_failed_;  // an error number, or just closed when the command runs
};

// The exit code of a shell for a command that cannot be run.
[[nodiscard]] int exit_code_of_exec_failure(int error_number) noexcept;

}  // namespace pawl::cli
