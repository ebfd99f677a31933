// A process beside pawl that ends the command's process group when pawl no longer can.
//
//   pawl …                                    the guardian …
//   is killed, at any moment                  sees its socket close, and kills the group at once
//   is stopped or hangs past the deadline     hears nothing new, and kills the group at the deadline
//   is done                                   is dismissed
//
// If the guardian is killed, pawl starts another.
//
// It has a session of its own and nothing open but its socket: it neither gets the terminal's
// signals nor keeps anyone waiting for the end of a pipe.
#pragma once

#include "common/unique_fd.h"
#include "wake_up.h"

#include <sys/types.h>

namespace pawl::cli {

class guardian {
public:
    // Forks; so best while there is only one thread.
    guardian();

    // Dismisses it and waits for its end.
    ~guardian();
    guardian(const guardian&) = delete;
    guardian& operator=(const guardian&) = delete;

    // Guards this group from now on, and kills it at `kill_at` unless told of a later time before.
    // What was told counts even if pawl dies the next moment. Starts another guardian if this one
    // has ended. False if none can be started: then nothing is guarded.
    [[nodiscard]] bool watch(pid_t group, boot_time kill_at) noexcept;

    // Whether the process has ended, though nobody dismissed it. SIGCHLD tells when to ask.
    [[nodiscard]] bool has_ended() const noexcept;

    // Guards nothing from now on. To be called before the group's leader is reaped: later its number
    // may belong to someone else.
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
