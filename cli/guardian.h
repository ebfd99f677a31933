// A process beside pawl that ends the command's process group when pawl no longer can.
//
//   pawl …                                    the guardian …
//   is killed, at any moment                  sees its socket close, and kills the group at once
//   is stopped or hangs past the deadline     hears nothing new, and kills the group at the deadline
//   is done                                   is dismissed
//
// If the guardian is killed, pawl starts another.
//
// The guardian has its own session, and only its socket is open. So it gets no signals from the
// terminal, and a reader of pawl's output does not wait for it.
#pragma once

#include "common/unique_fd.h"
#include "wake_up.h"

#include <sys/types.h>

namespace pawl::cli {

class guardian {
public:
    // Forks. Best called while there is only one thread.
    guardian();

    // Dismisses the guardian and waits until it has ended.
    ~guardian();
    guardian(const guardian&) = delete;
    guardian& operator=(const guardian&) = delete;

    // Guards this group from now on. The guardian kills it at `kill_at`, unless it is told a later
    // time before. This holds even if pawl dies right after the call. Starts another guardian if
    // this one has ended. False if none can be started: then nothing is guarded.
    [[nodiscard]] bool watch(pid_t group, boot_time kill_at) noexcept;

    // Whether the process has ended without being dismissed. SIGCHLD says when to ask.
    [[nodiscard]] bool has_ended() const noexcept;

    // Guards nothing from now on. Must be called before the group's leader is reaped: afterwards
    // another process may get its number.
    void forget() noexcept;

    // For a forked child, which must not keep the socket open.
    void close_in_child() const noexcept { ::close(socket_.get()); }

private:
    void start(pid_t group, boot_time kill_at);
    void dismiss() noexcept;
    [[nodiscard]] bool send(pid_t group, boot_time kill_at) const noexcept;

    pid_t pid_ = -1;
    common::unique_fd socket_;
};

}  // namespace pawl::cli
