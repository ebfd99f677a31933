// Makes signals readable, instead of letting them interrupt pawl.
//
// Signals to pawl are meant for the command too. So nearly all are blocked and read from a
// descriptor. A signal that was ignored when pawl was started (nohup, a shell's background job)
// stays ignored, for pawl and for the command.
#pragma once

#include "common/unique_fd.h"

#include <signal.h>

namespace pawl::cli {

class signals {
public:
    // To be called while there is only one thread: later threads inherit the signal mask.
    signals();

    // Does not restore the mask: pending signals must not hit pawl during its last steps.
    ~signals() = default;
    signals(const signals&) = delete;
    signals& operator=(const signals&) = delete;

    // Readable when a signal is pending.
    [[nodiscard]] int fd() const noexcept { return fd_.get(); }

    // The next pending signal, 0 if there is none.
    [[nodiscard]] int next() const noexcept;

    // Restores the signal mask and actions that pawl was started with. For a forked child.
    // Async-signal-safe.
    void restore() const noexcept;

    // Lets SIGTSTP stop the calling thread, and with it the process. Returns when the process was
    // continued, or at once if nothing could continue it (an orphaned process group).
    static void stop_here() noexcept;

    // Whether this signal would have ended pawl if it were not blocked.
    [[nodiscard]] static bool ends_process(int number) noexcept;

private:
    sigset_t mask_before_{};
    struct sigaction child_before_{};
    common::unique_fd fd_;
};

}  // namespace pawl::cli
