#include "redis/local_turn.h"

#include "base/interrupt.h"

#include <pawl/error.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace pawl::redis {
namespace {

constexpr std::chrono::milliseconds short_pause{5};

}  // namespace

local_turn::local_turn(const local_paths& paths, base::boot_time until)
    : fd_{::open(paths.start_lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR)}
{
    if (!fd_) {
        throw error{errc::refused, "cannot open " + paths.start_lock + ": " +
                                       std::generic_category().message(errno)};
    }
    while (::flock(fd_.get(), LOCK_EX | LOCK_NB) != 0) {
        if (pause(until)) continue;
        throw error{errc::unreachable,
                    "another process is starting or stopping the local server and does not "
                    "finish; it holds " +
                        paths.start_lock};
    }
}

// Unlocked explicitly, not just by closing: a process that another thread forked meanwhile has the
// file open too.
local_turn::~local_turn()
{
    ::flock(fd_.get(), LOCK_UN);
}

bool pause(base::boot_time until)
{
    const base::boot_time now = base::boot_clock::now();
    if (now >= until) return false;
    static_cast<void>(base::wait_for(-1, 0, std::min(until, now + short_pause), nullptr));
    return true;
}

}  // namespace pawl::redis
