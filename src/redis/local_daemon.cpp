#include "redis/local_daemon.h"

#include "base/interrupt.h"
#include "base/signals_blocked.h"
#include "common/keep_only.h"
#include "common/unique_fd.h"

#include <pawl/error.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace pawl::redis {
namespace {

[[noreturn]] void fail(const std::string& what, int error_number)
{
    throw error{errc::unreachable, "cannot start the local server: " + what + ": " +
                                       std::generic_category().message(error_number)};
}

[[nodiscard]] bool is_program(const std::string& path)
{
    struct stat found{};
    return ::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
           ::access(path.c_str(), X_OK) == 0;
}

[[nodiscard]] std::string search_path()
{
    const char* path = std::getenv("PATH");
    return path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
}

[[nodiscard]] std::string find_redis_server()
{
    const std::string path = search_path();
    for (std::size_t from = 0; from <= path.size();) {
        const std::size_t end = std::min(path.find(':', from), path.size());
        const std::string directory = path.substr(from, end - from);
        from = end + 1;
        // A relative entry would make the server depend on the current directory.
        if (directory.empty() || directory.front() != '/') continue;
        const std::string program = directory + "/redis-server";
        if (is_program(program)) return program;
    }
    throw error{errc::unreachable,
                "cannot start the local server: redis-server is not in PATH; install it "
                "(Debian, Ubuntu: apt install redis-server) or name a server by its URL"};
}

// Everything that the new process needs. It is prepared before the fork, because the child must not
// allocate memory.
class daemon_plan {
public:
    explicit daemon_plan(const local_paths& paths)
        : program_{find_redis_server()},
          lock_{paths.server_lock},
          // The server outlives this program, so it does not get its environment, which may contain
          // passwords.
          environment_{"PATH=" + search_path(), "LC_ALL=C"},
          words_{program_,
                 "--port",
                 "0",
                 "--unixsocket",
                 paths.socket,
                 "--unixsocketperm",
                 "700",
                 "--save",
                 "",
                 "--appendonly",
                 "no",
                 "--maxmemory-policy",
                 "noeviction",
                 "--dir",
                 paths.directory,
                 "--pidfile",
                 paths.pid_file,
                 "--logfile",
                 paths.log_file,
                 "--loglevel",
                 "warning",
                 "--daemonize",
                 "no"},
          argv_{pointers_to(words_)},
          envp_{pointers_to(environment_)}
    {
    }

    [[nodiscard]] const char* lock() const noexcept { return lock_.c_str(); }

    void execute() const noexcept { ::execve(program_.c_str(), argv_.data(), envp_.data()); }

private:
    [[nodiscard]] static std::vector<char*> pointers_to(std::vector<std::string>& texts)
    {
        std::vector<char*> pointers;
        pointers.reserve(texts.size() + 1);
        for (std::string& text : texts) pointers.push_back(text.data());
        pointers.push_back(nullptr);
        return pointers;
    }

    std::string program_;
    std::string lock_;
    std::vector<std::string> environment_;
    std::vector<std::string> words_;
    std::vector<char*> argv_;
    std::vector<char*> envp_;
};

// The report of the new process if it cannot become a server. If it can, the pipe ends without a
// report.
struct report {
    bool one_is_alive;
    int error_number;
};

// ── In the new process: async-signal-safe calls only. Other threads may have held a mutex ─────────

constexpr int report_fd = common::kept_fd;

[[noreturn]] void give_up(report what) noexcept
{
    [[maybe_unused]] const auto written = ::write(report_fd, &what, sizeof what);
    ::_exit(1);
}

void reset_signals() noexcept
{
    struct sigaction usual{};
    usual.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; ++number) ::sigaction(number, &usual, nullptr);
    sigset_t none;
    ::sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

// The lock stays with the process through exec. The file is opened here and not in the parent, so
// that no other child of the parent shares the lock.
void take_server_lock(const char* path) noexcept
{
    const int fd = ::open(path, O_RDWR | O_CREAT, S_IRUSR | S_IWUSR);
    if (fd < 0) give_up({false, errno});
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) give_up({errno == EWOULDBLOCK, errno});
}

[[noreturn]] void become_daemon(const daemon_plan& plan, int report_to) noexcept
{
    ::setsid();
    // A second fork: the program need not wait for the server as a child. The server is not a
    // session leader, so it can never get a terminal.
    const pid_t pid = ::_Fork();
    if (pid != 0) ::_exit(pid > 0 ? 0 : 1);
    common::keep_only(report_to);
    ::umask(S_IRWXG | S_IRWXO);
    take_server_lock(plan.lock());
    reset_signals();
    plan.execute();
    give_up({false, errno});
}

// ── In the parent ───────────────────────────────────────────────────────────────────────────────

// Signals are blocked meanwhile, so that no signal handler of the program runs in the child.
[[nodiscard]] common::unique_fd fork_daemon(const daemon_plan& plan)
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) fail("pipe", errno);
    common::unique_fd from_daemon{ends[0]};
    const common::unique_fd to_parent{ends[1]};

    const base::signals_blocked quiet;
    const pid_t pid = ::fork();
    if (pid < 0) fail("fork", errno);
    if (pid == 0) become_daemon(plan, to_parent.get());
    // The first child ends at once. If the program waits for all its children elsewhere, or ignores
    // SIGCHLD, the child is gone already. That is fine too.
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return from_daemon;
}

[[nodiscard]] bool read_report(int fd, report& said)
{
    for (;;) {
        const ssize_t got = ::read(fd, &said, sizeof said);
        if (got >= 0) return got == static_cast<ssize_t>(sizeof said);
        if (errno != EINTR) fail("read", errno);
    }
}

}  // namespace

daemon_start start_local_daemon(const local_paths& paths, base::boot_time until)
{
    const daemon_plan plan{paths};
    const common::unique_fd from_daemon = fork_daemon(plan);
    if (base::wait_for(from_daemon.get(), POLLIN, until, nullptr) != base::wait_end::ready) {
        fail("redis-server", ETIMEDOUT);
    }
    report said{};
    if (!read_report(from_daemon.get(), said)) return daemon_start::started;
    if (said.one_is_alive) return daemon_start::one_is_alive;
    fail("redis-server", said.error_number);
}

bool local_daemon_is_alive(const local_paths& paths)
{
    const common::unique_fd fd{::open(paths.server_lock.c_str(), O_RDWR | O_CLOEXEC)};
    if (!fd) return false;
    return ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace pawl::redis
