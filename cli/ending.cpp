#include "ending.h"

#include "exit_code.h"

#include <signal.h>
#include <sys/prctl.h>

namespace pawl::cli {
namespace {

// Only for the calling thread. This is enough: a fatal signal in one thread ends the process.
void unblock(int signal) noexcept
{
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, signal);
    ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void die_of(int signal) noexcept
{
    // The command has dumped its core already. A core file of pawl would overwrite it.
    ::prctl(PR_SET_DUMPABLE, 0);
    struct sigaction usual{};
    usual.sa_handler = SIG_DFL;
    ::sigaction(signal, &usual, nullptr);
    unblock(signal);
    ::raise(signal);
}

}  // namespace

int shell_status(const ending& how) noexcept
{
    return how.signal != 0 ? exit_code::signal_base + how.signal : how.status;
}

int end_as(const ending& how) noexcept
{
    if (how.signal != 0) die_of(how.signal);
    return shell_status(how);
}

}  // namespace pawl::cli
