// Signals as something to read, instead of something that strikes.
//
// Those that reach pawl are meant for the command as well, so nearly all are blocked and read from a
// descriptor. What was ignored when pawl was started (nohup, a shell's background job) is left
// alone: it stays ignored, for pawl and for the command.
#pragma once

#include "common/unique_fd.h"

#include <signal.h>

namespace pawl::cli {

class signals {
public:
    // In the only thread: those that come later inherit what is blocked.
    signals();

    // Puts nothing back: what waits unread must not strike pawl on its last steps.
    ~signals() = default;
    signals(const signals&) = delete;
    signals& operator=(const signals&) = delete;

    // Readable when a signal waits.
    [[nodiscard]] int fd() const noexcept { return fd_.get(); }

    // The next one that waits, 0 if none does.
    [[nodiscard]] int next() const noexcept;

    // Makes it as it was when pawl was started; for a forked child. Async-signal-safe.
    void restore() const noexcept;

    // Lets the calling thread, and with it the process, be stopped by a SIGTSTP. Returns when it was
    // continued, or at once if nobody could ever continue it (an orphaned process group).
    static void stop_here() noexcept;

    // Whether it would have ended pawl, had it not been blocked.
    [[nodiscard]] static bool ends_process(int number) noexcept;

private:
    sigset_t mask_before_{};
    struct sigaction child_before_{};
    common::unique_fd fd_;
};

}  // namespace pawl::cli
