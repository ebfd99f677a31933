#include "terminal.h"

#include <fcntl.h>
#include <unistd.h>

namespace pawl::cli {

terminal::terminal() noexcept : fd_{::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)} {}

bool terminal::is_on_stdin_and_stdout() noexcept
{
    return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
}

bool terminal::give_to(pid_t group) noexcept
{
    if (!fd_) return false;
    const pid_t foreground = ::tcgetpgrp(fd_.get());
    if (foreground == group) return true;
    if (foreground != ::getpgrp()) return false;
    if (!has_modes_) has_modes_ = ::tcgetattr(fd_.get(), &modes_) == 0;
    if (::tcsetpgrp(fd_.get(), group) != 0) return false;
    given_to_ = group;
    return true;
}

void terminal::take_back() noexcept
{
    if (given_to_ <= 0) return;
    // A shell may have taken the terminal meanwhile. Then it must not be taken back.
    if (::tcgetpgrp(fd_.get()) == given_to_) ::tcsetpgrp(fd_.get(), ::getpgrp());
    given_to_ = 0;
}

void terminal::restore_modes() const noexcept
{
    if (has_modes_ && ::tcgetpgrp(fd_.get()) == ::getpgrp()) {
        ::tcsetattr(fd_.get(), TCSANOW, &modes_);
    }
}

}  // namespace pawl::cli
