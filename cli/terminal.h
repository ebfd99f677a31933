// The terminal, if pawl has one, between pawl's process group and the command's.
//
// A group in the background is stopped as soon as it reads from the terminal, and many programs
// behave differently there. So the command's group gets the foreground: from the start when stdin
// and stdout both are the terminal, and otherwise, as pawl may be one of a pipeline of which the
// pager needs the terminal more, only when it asks for it.
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

    // Whether there is one: and so perhaps a shell that knows how to continue what was stopped.
    [[nodiscard]] bool exists() const noexcept { return static_cast<bool>(fd_); }

    // Whether stdin and stdout both are a terminal.
    [[nodiscard]] static bool is_all_there_is() noexcept;

    // Gives it to that group, if it is ours to give. Whether that group has it now.
    bool give_to(pid_t group) noexcept;

    // No effect if the group does not have it any more.
    void take_back() noexcept;

    // Undoes what a killed program did to its modes. After take_back().
    void restore_modes() const noexcept;

    [[nodiscard]] bool is_given() const noexcept { return given_to_ > 0; }

private:
    common::unique_fd fd_;
    pid_t given_to_ = 0;
    bool has_modes_ = false;
    termios modes_{};
};

}  // namespace pawl::cli
