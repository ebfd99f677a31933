#include "guardian.h"

#include "common/keep_only.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace pawl::cli {
namespace {

struct order {
    pid_t group = 0;  // 0: none
    boot_time kill_at = never;
};

// ── In the guardian ─────────────────────────────────────────────────────────────────────────────

constexpr int socket_fd = common::kept_fd;

// After this only SIGKILL ends the guardian.
void stand_apart(int fd) noexcept
{
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
    ::setsid();
    common::keep_only(fd);
    // So that `killall pawl` does not kill both. The guardian also keeps no file system busy.
    ::prctl(PR_SET_NAME, "pawl-guardian");
    [[maybe_unused]] const int moved = ::chdir("/");
}

void kill_group(const order& current) noexcept
{
    if (current.group > 0) ::kill(-current.group, SIGKILL);
}

[[noreturn]] void stand_guard()
{
    alarm_clock alarm;
    order current;
    for (;;) {
        wait_for_any({socket_fd, alarm.fd()});
        order news;
        const ssize_t got = ::recv(socket_fd, &news, sizeof news, MSG_DONTWAIT);
        if (got == static_cast<ssize_t>(sizeof news)) {
            current = news;
        } else if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
            kill_group(current);
            ::_exit(0);
        } else if (boot_now() >= current.kill_at) {
            kill_group(current);
            current.kill_at = never;
        }
        alarm.set(current.kill_at);
    }
}

}  // namespace

guardian::guardian()
{
    start(0, never);
}

guardian::~guardian()
{
    dismiss();
}

void guardian::start(pid_t group, boot_time kill_at)
{
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        throw std::system_error{errno, std::generic_category(), "socketpair"};
    }
    socket_ = common::unique_fd{ends[0]};
    const common::unique_fd theirs{ends[1]};
    // Before the fork, so that the guardian guards the group from its first moment.
    static_cast<void>(send(group, kill_at));
    pid_ = ::fork();
    if (pid_ < 0) throw std::system_error{errno, std::generic_category(), "fork"};
    if (pid_ > 0) return;
    stand_apart(theirs.get());
    stand_guard();
}

void guardian::dismiss() noexcept
{
    if (pid_ < 0) return;
    // Not by closing the socket: the guardian takes that as pawl's death. SIGKILL also ends a
    // process that is stopped.
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
}

bool guardian::has_ended() const noexcept
{
    if (pid_ < 0) return true;
    siginfo_t info{};
    const int result = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    return result == 0 && info.si_pid == pid_;
}

bool guardian::watch(pid_t group, boot_time kill_at) noexcept
{
    if (!has_ended() && send(group, kill_at)) return true;
    // It has ended, or it was stopped for so long that its socket is full. In that case it must not
    // wake up later and act on old orders.
    dismiss();
    try {
        start(group, kill_at);
    } catch (const std::system_error&) {
        return false;
    }
    return true;
}

void guardian::forget() noexcept
{
    if (!send(0, never)) dismiss();
}

bool guardian::send(pid_t group, boot_time kill_at) const noexcept
{
    const order news{group, kill_at};
    const ssize_t sent = ::send(socket_.get(), &news, sizeof news, MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent == static_cast<ssize_t>(sizeof news);
}

}  // namespace pawl::cli
