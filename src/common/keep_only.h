// For a process that was forked and goes on without its parent: closes its descriptors.
#pragma once

#include <fcntl.h>
#include <unistd.h>

namespace pawl::common {

inline constexpr int kept_fd = 3;

// Moves this descriptor to kept_fd, closed on exec, and closes all others: an open end of a pipe
// would make its reader wait as long as this process exists. The standard descriptors become
// /dev/null. Allocates nothing, because other threads may have been running at the fork.
inline void keep_only(int fd) noexcept
{
    if (fd == kept_fd) {
        ::fcntl(kept_fd, F_SETFD, FD_CLOEXEC);
    } else {
        ::dup3(fd, kept_fd, O_CLOEXEC);
    }
    if (::close_range(kept_fd + 1, ~0U, 0) != 0) {
        const long most = ::sysconf(_SC_OPEN_MAX);
        for (int other = kept_fd + 1; other < most; ++other) ::close(other);
    }
    const int nothing = ::open("/dev/null", O_RDWR);
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        ::dup2(nothing, standard);
    }
    if (nothing > kept_fd) ::close(nothing);
}

}  // namespace pawl::common
