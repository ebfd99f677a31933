#include "support/process.h"

#include "support/eventually.h"
#include "support/restore_signals.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace pawl::test {

namespace {

constexpr int body_threw = 99;
constexpr int command_not_found = 127;

[[noreturn]] void fail(const char* what)
{
    throw std::system_error{errno, std::generic_category(), what};
}

int open_for_writing(const std::string& path)
{
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0) fail("open the output of a child");
    return fd;
}

int run_guarded(const std::function<int()>& body) noexcept
{
    try {
        return body();
    } catch (const std::exception& problem) {
        ::dprintf(STDERR_FILENO, "%s\n", problem.what());
        return body_threw;
    }
}

}  // namespace

process::process() : files_{std::make_unique<temp_dir>()} {}

process::process(std::vector<std::string> command) : process{}
{
    // All memory is allocated before the fork: the child of a process with threads must only exec.
    std::vector<char*> words;
    for (std::string& word : command) words.push_back(word.data());
    words.push_back(nullptr);
    start([&words] {
        ::execvp(words.front(), words.data());
        return command_not_found;
    });
}

process process::forked(const std::function<int()>& body)
{
    process child;
    child.start(body);
    return child;
}

void process::start(const std::function<int()>& body)
{
    const int out = open_for_writing(files_->file("out"));
    const int err = open_for_writing(files_->file("err"));
    int in[2];
    if (::pipe2(in, O_CLOEXEC) != 0) fail("pipe2");

    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ < 0) fail("fork");
    if (pid_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) ::_exit(body_threw);  // the parent died before prctl
        restore_signals();
        ::dup2(in[0], STDIN_FILENO);
        ::dup2(out, STDOUT_FILENO);
        ::dup2(err, STDERR_FILENO);
        ::_exit(run_guarded(body));
    }
    ::close(in[0]);
    ::close(out);
    ::close(err);
    stdin_ = in[1];
}

process::process(process&& other) noexcept
    : files_{std::move(other.files_)},
      pid_{std::exchange(other.pid_, -1)},
      stdin_{std::exchange(other.stdin_, -1)},
      ending_{other.ending_}
{
}

process::~process()
{
    close_stdin();
    if (pid_ <= 0 || ending_) return;
    signal(SIGKILL);  // ends a stopped process too
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
}

std::string process::out() const
{
    return read_file(files_->file("out"));
}

std::string process::err() const
{
    return read_file(files_->file("err"));
}

std::string process::line_after(std::string_view start) const
{
    std::optional<std::string> rest;
    const auto find_line = [&] {
        const std::string text = out();
        std::size_t at = 0;
        for (std::size_t end = 0; (end = text.find('\n', at)) != text.npos; at = end + 1) {
            if (!std::string_view{text}.substr(at, end - at).starts_with(start)) continue;
            rest = text.substr(at + start.size(), end - at - start.size());
            return true;
        }
        return false;
    };
    if (eventually(find_line)) return *rest;
    throw std::runtime_error{"the child never said '" + std::string{start} +
                             "'; it said: " + out() + err()};
}

void process::write(std::string_view text)
{
    while (!text.empty()) {
        const ssize_t written = ::write(stdin_, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail("write to a child");
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

void process::close_stdin() noexcept
{
    if (stdin_ >= 0) ::close(std::exchange(stdin_, -1));
}

void process::signal(int number) noexcept
{
    if (pid_ > 0 && !ending_) ::kill(pid_, number);
}

bool process::running()
{
    if (pid_ <= 0 || ending_) return false;
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) != pid_) return true;
    ending_ = WIFSIGNALED(status) ? killed_by(WTERMSIG(status)) : exited(WEXITSTATUS(status));
    return false;
}

std::optional<ending> process::wait(std::chrono::milliseconds limit)
{
    (void)eventually(limit, [this] { return !running(); });
    return ending_;
}

}  // namespace pawl::test
