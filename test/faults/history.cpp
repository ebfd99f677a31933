#include "faults/history.h"

#include "faults/clock.h"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace pawl::faults {

history::history(const std::string& path)
    : fd_{::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)}
{
    if (fd_ < 0) throw std::system_error{errno, std::generic_category(), "open " + path};
}

history::~history()
{
    ::close(fd_);
}

std::uint64_t history::begin(kind which, std::uint64_t fence)
{
    const std::uint64_t id = ++last_id_;
    write_line("b " + std::to_string(id) + " " + std::string{to_string(which)} + " " +
               std::to_string(fence) + " " + std::to_string(clock_now()) + "\n");
    return id;
}

void history::end(std::uint64_t id, std::optional<std::uint64_t> value)
{
    const nanoseconds_t now = clock_now();
    write_line("e " + std::to_string(id) + " " + std::to_string(now) + " " +
               (value ? std::to_string(*value) : std::string{"-"}) + "\n");
}

void history::write_line(const std::string& line) const
{
    // One call, so that the lines of two threads do not mix.
    if (::write(fd_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
        throw std::system_error{errno, std::generic_category(), "write the history"};
    }
}

}  // namespace pawl::faults
