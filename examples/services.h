// What the examples need besides pawl: processes that act as the services of a site, a place for
// their files, and lines of output that do not mix.
#pragma once

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace example {

// The server is the first argument; without one, this user's private server.
[[nodiscard]] inline std::string url_from(int argc, char** argv)
{
    return argc > 1 ? argv[1] : "local:";
}

// Flushed as a whole, so that the lines of several processes do not mix.
inline void say(const std::string& line)
{
    std::cout << line + '\n' << std::flush;
}

// A directory for the files that the services share. It is removed at the end.
class scratch_dir {
public:
    scratch_dir()
    {
        std::string name = std::filesystem::temp_directory_path() / "pawl-example-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr) {
            throw std::system_error{errno, std::generic_category(), name};
        }
        path_ = name;
    }

    ~scratch_dir()
    {
        std::error_code ignored;  // a file that stays in a temporary directory does no harm
        std::filesystem::remove_all(path_, ignored);
    }

    scratch_dir(const scratch_dir&) = delete;
    scratch_dir& operator=(const scratch_dir&) = delete;

    [[nodiscard]] std::string file(const std::string& name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

// Starts a process that runs `body` and ends with its result as status. Call it before this process
// creates a pawl::client: a client belongs to the process that created it, and each service creates
// its own.
[[nodiscard]] inline pid_t start_service(const std::function<int()>& body)
{
    std::cout.flush();  // otherwise the child would write it again
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0) throw std::system_error{errno, std::generic_category(), "fork"};
    if (pid > 0) return pid;

    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // so that an interrupted example leaves no service behind
    int status = EXIT_FAILURE;
    try {
        if (::getppid() == parent) status = body();
    } catch (const std::exception& problem) {
        std::cerr << std::string{problem.what()} + '\n';
    }
    std::cout.flush();
    ::_exit(status);  // without destroying the parent's objects
}

// Waits until it ends. Returns whether its status was 0.
[[nodiscard]] inline bool succeeded(pid_t service)
{
    int status = 0;
    while (::waitpid(service, &status, 0) < 0) {
        if (errno != EINTR) return false;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Runs body(1) … body(count), each in its own process, all at once. Returns whether all returned 0.
[[nodiscard]] inline bool run_services(int count, const std::function<int(int)>& body)
{
    std::vector<pid_t> services;
    for (int number = 1; number <= count; ++number) {
        services.push_back(start_service([&body, number] { return body(number); }));
    }
    bool all = true;
    for (const pid_t service : services) all = succeeded(service) && all;
    return all;
}

}  // namespace example
