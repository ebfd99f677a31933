#include "sim/workers.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace pawl::sim {
namespace {

void write_all(int fd, const std::string& text)
{
    std::size_t done = 0;
    while (done < text.size()) {
        const auto count = ::write(fd, text.data() + done, text.size() - done);
        if (count <= 0) return;
        done += static_cast<std::size_t>(count);
    }
}

std::string read_all(int fd)
{
    std::string text;
    std::array<char, 4096> buffer{};
    ssize_t count = 0;
    while ((count = ::read(fd, buffer.data(), buffer.size())) > 0) {
        text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return text;
}

struct worker {
    pid_t pid;
    int from;
};

worker start(const std::function<std::string(unsigned)>& work, unsigned number)
{
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::system_error{errno, std::system_category(), "pipe"};
    const auto pid = ::fork();
    if (pid < 0) throw std::system_error{errno, std::system_category(), "fork"};
    if (pid == 0) {
        ::close(ends[0]);
        write_all(ends[1], work(number));
        ::_exit(0);
    }
    ::close(ends[1]);
    return {pid, ends[0]};
}

}  // namespace

std::vector<std::string> in_processes(unsigned jobs,
                                      const std::function<std::string(unsigned)>& work)
{
    std::vector<worker> workers;
    for (unsigned i = 0; i < jobs; ++i) workers.push_back(start(work, i));
    std::vector<std::string> results;
    for (const auto& each : workers) {
        auto text = read_all(each.from);
        ::close(each.from);
        int status = 0;
        ::waitpid(each.pid, &status, 0);
        const bool died = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
        results.push_back(died ? std::string{} : std::move(text));
    }
    return results;
}

}  // namespace pawl::sim
