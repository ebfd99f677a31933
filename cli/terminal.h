// Moves the terminal, if pawl has one, between pawl's process group and the command's.
//
// A background group is stopped when it reads from the terminal, and many programs behave
// differently there. So the command's group gets the foreground. If stdin and stdout both are the
// terminal, it gets it at the start. Otherwise pawl may be part of a pipeline whose pager needs the
// terminal, so the command gets it only when it asks for it.
#pragma once

#include "common/unique_fd.h"

#include <sys/types.h>
#include <termios.h>

namespace pawl::cli {

class terminal {
public:
    terminal() noexcept;
    ~terminal() { take_back(); }
    terminal(const terminal&) = delete;
    terminal& operator=(const terminal&) = delete;

    // Whether there is a terminal, and so perhaps a shell that can continue a stopped process.
    [[nodiscard]] bool exists() const noexcept { return static_cast<bool>(fd_); }

    // Whether stdin and stdout both are a terminal.
    [[nodiscard]] static bool is_on_stdin_and_stdout() noexcept;

    // Gives the terminal to that group, if pawl's group has it. Returns whether that group has it
    // now.
    bool give_to(pid_t group) noexcept;

    // No effect if the group does not have the terminal any more.
    void take_back() noexcept;

    // Restores the terminal modes, which a killed program may have changed. To be called after
    // take_back().
    void restore_modes() const noexcept;

    [[nodiscard]] bool is_given() const noexcept { return given_to_ > 0; }

private:
    common::unique_fd fd_;
    pid_t given_to_ = 0;
    bool has_modes_ = false;
    termios modes_{};
};

}  // namespace pawl::cli
