#include "child.h"

#include "exit_code.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

namespace pawl::cli {
namespace {

struct pipe_ends {
    common::unique_fd from;
    common::unique_fd to;
};

[[nodiscard]] pipe_ends make_pipe()
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        throw std::system_error{errno, std::generic_category(), "pipe"};
    }
    return {common::unique_fd{ends[0]}, common::unique_fd{ends[1]}};
}

[[nodiscard]] std::string_view name_of(std::string_view assignment)
{
    return assignment.substr(0, assignment.find('='));
}

// Everything that the new process needs. It is prepared before the fork: pawl has threads by then,
// so the child must not allocate memory.
class plan {
public:
    explicit plan(const command& what) : words_{what.words}, environment_{what.environment}
    {
        const auto ours = [&what](std::string_view variable) {
            return std::ranges::any_of(what.environment, [&](const std::string& own) {
                return name_of(own) == name_of(variable);
            });
        };
        for (char** variable = ::environ; *variable != nullptr; ++variable) {
            if (!ours(*variable)) environment_.emplace_back(*variable);
        }
        for (std::string& word : words_) argv_.push_back(word.data());
        argv_.push_back(nullptr);
        for (std::string& variable : environment_) envp_.push_back(variable.data());
        envp_.push_back(nullptr);
    }

    void execute() const noexcept { ::execvpe(argv_[0], argv_.data(), envp_.data()); }

private:
    std::vector<std::string> words_;
    std::vector<std::string> environment_;
    std::vector<char*> argv_;
    std::vector<char*> envp_;
};

// Reads one value, and repeats a read that a signal interrupts. False if the pipe ended.
template <class T>
[[nodiscard]] bool read_one(int fd, T& value) noexcept
{
    ssize_t got = -1;
    do {
        got = ::read(fd, &value, sizeof value);
    } while (got < 0 && errno == EINTR);
    return got == static_cast<ssize_t>(sizeof value);
}

// The child gets the byte after the guardian knows its process group. If pawl dies before that, the
// pipe ends without a byte.
void wait_for_go(int fd) noexcept
{
    char go{};
    if (!read_one(fd, go)) ::_exit(exit_code::cannot_run);
}

[[noreturn]] void become(const plan& what, const signals& signals, int go, int failed) noexcept
{
    ::setpgid(0, 0);
    // In case pawl and the guardian are killed at the same time. It applies to this process only,
    // not to the processes that it starts.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    wait_for_go(go);
    signals.restore();
    what.execute();
    const int error_number = errno;
    [[maybe_unused]] const auto written = ::write(failed, &error_number, sizeof error_number);
    ::_exit(exit_code_of_exec_failure(error_number));
}

[[nodiscard]] ending ending_of(const siginfo_t& info) noexcept
{
    return info.si_code == CLD_EXITED ? ending::with(info.si_status) : ending::by(info.si_status);
}

}  // namespace

child::child(const command& what, const signals& signals, const guardian& guard)
{
    const plan plan{what};
    pipe_ends go = make_pipe();
    pipe_ends failed = make_pipe();
    pid_ = ::fork();
    if (pid_ < 0) throw std::system_error{errno, std::generic_category(), "fork"};
    if (pid_ == 0) {
        // These descriptors would tell the guardian, and the child itself, that pawl is alive.
        guard.close_in_child();
        ::close(go.to.get());
        become(plan, signals, go.from.get(), failed.to.get());
    }
    // The child does this too. After the first of the two calls the group exists.
    ::setpgid(pid_, pid_);
    go_ = std::move(go.to);
    exec_failed_ = std::move(failed.from);
}

child::~child()
{
    if (reaped_) return;
    signal(SIGKILL);
    reap();
}

int child::start()
{
    const char go = 1;
    // The child reads until it gets this byte or the end of the pipe. So the write fails only when
    // the child is dead, and SIGPIPE is blocked.
    [[maybe_unused]] const auto written = ::write(go_.get(), &go, sizeof go);
    go_.reset();
    int error_number = 0;
    const bool failed = read_one(exec_failed_.get(), error_number);
    exec_failed_.reset();
    return failed ? error_number : 0;
}

void child::signal(int number) const noexcept
{
    if (!reaped_) ::kill(-pid_, number);
}

int child::stopped_by() const noexcept
{
    siginfo_t info{};
    const int result = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WSTOPPED | WNOHANG);
    return result == 0 && info.si_pid == pid_ ? info.si_status : 0;
}

bool child::has_ended() const noexcept
{
    siginfo_t info{};
    const int result = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    return result == 0 && info.si_pid == pid_;
}

ending child::reap() noexcept
{
    siginfo_t info{};
    while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED) != 0 && errno == EINTR) {
    }
    reaped_ = true;
    return ending_of(info);
}

int exit_code_of_exec_failure(int error_number) noexcept
{
    return error_number == ENOENT || error_number == ENOTDIR ? exit_code::not_found
                                                             : exit_code::cannot_run;
}

}  // namespace pawl::cli
