#include "pseudo_terminal.h"

#include "support/eventually.h"
#include "support/restore_signals.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <pty.h>
#include <stdexcept>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace pawl::test {

pseudo_terminal::pseudo_terminal()
{
    shell_ = ::forkpty(&fd_, nullptr, nullptr, nullptr);
    if (shell_ < 0) throw std::system_error{errno, std::generic_category(), "forkpty"};
    if (shell_ == 0) {
        restore_signals();
        ::setenv("PS1", "", 1);
        ::setenv("LC_ALL", "C", 1);
        ::execlp("bash", "bash", "--norc", "--noediting", "-i", nullptr);
        ::_exit(127);
    }
    ::fcntl(fd_, F_SETFL, O_NONBLOCK);
    type("PS1=; stty -echo; echo ready$((1))\n");
    expect("ready1");
}

pseudo_terminal::~pseudo_terminal()
{
    // When the terminal is closed, the kernel sends SIGHUP to the processes that the shell started.
    ::close(fd_);
    ::kill(shell_, SIGKILL);
    while (::waitpid(shell_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

void pseudo_terminal::type(std::string_view keys)
{
    // Far less than the terminal's buffer, so one write is enough.
    if (::write(fd_, keys.data(), keys.size()) != static_cast<ssize_t>(keys.size())) {
        throw std::system_error{errno, std::generic_category(), "write to a terminal"};
    }
}

void pseudo_terminal::expect(std::string_view text)
{
    const bool shown = eventually([&] {
        read_more();
        const std::size_t at = screen_.find(text, seen_);
        if (at == std::string::npos) return false;
        seen_ = at + text.size();
        return true;
    });
    if (shown) return;
    throw std::runtime_error{"the terminal never showed '" + std::string{text} +
                             "'; it shows: " + screen_};
}

void pseudo_terminal::read_more()
{
    std::array<char, 4096> chunk;
    for (;;) {
        const ssize_t got = ::read(fd_, chunk.data(), chunk.size());
        if (got <= 0) return;
        screen_.append(chunk.data(), static_cast<std::size_t>(got));
    }
}

}  // namespace pawl::test
