#include "signals.h"

#include <sys/signalfd.h>

#include <array>

namespace pawl::cli {
namespace {

constexpr std::array to_read{SIGHUP,  SIGINT,   SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2,
                             SIGALRM, SIGWINCH, SIGTSTP, SIGCONT, SIGCHLD};

[[nodiscard]] bool is_ignored(int number) noexcept
{
    struct sigaction now{};
    return ::sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

void change_mask(int how, const sigset_t& set) noexcept
{
    ::pthread_sigmask(how, &set, nullptr);
}

}  // namespace

signals::signals()
{
    // If SIGCHLD were ignored, the kernel would throw the child's status away.
    struct sigaction usual{};
    usual.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &usual, &child_before_);

    sigset_t set;
    ::sigemptyset(&set);
    for (const int number : to_read) {
        if (!is_ignored(number)) ::sigaddset(&set, number);
    }
    fd_ = common::unique_fd{::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd"};
    // These are not read, but must not end or stop pawl: SIGPIPE of a closed stderr, and SIGTTOU
    // when it takes the terminal back from the background.
    ::sigaddset(&set, SIGPIPE);
    ::sigaddset(&set, SIGTTOU);
    ::pthread_sigmask(SIG_BLOCK, &set, &mask_before_);
}

int signals::next() const noexcept
{
    signalfd_siginfo info{};
    const ssize_t got = ::read(fd_.get(), &info, sizeof info);
    return got == static_cast<ssize_t>(sizeof info) ? static_cast<int>(info.ssi_signo) : 0;
}

void signals::restore() const noexcept
{
    ::sigaction(SIGCHLD, &child_before_, nullptr);
    change_mask(SIG_SETMASK, mask_before_);
}

void signals::stop_here() noexcept
{
    sigset_t stop;
    ::sigemptyset(&stop);
    ::sigaddset(&stop, SIGTSTP);
    ::raise(SIGTSTP);
    change_mask(SIG_UNBLOCK, stop);
    change_mask(SIG_BLOCK, stop);
}

bool signals::ends_process(int number) noexcept
{
    switch (number) {
    case SIGHUP:
    case SIGINT:
    case SIGQUIT:
    case SIGTERM:
    case SIGUSR1:
    case SIGUSR2:
    case SIGALRM: return true;
    default: return false;
    }
}

}  // namespace pawl::cli
