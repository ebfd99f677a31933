#include "redis/local_processes.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace pawl::redis {
namespace {

namespace fs = std::filesystem;

// The path as the kernel shows it for an open file: with all symbolic links resolved.
[[nodiscard]] std::string shown_lock(const local_paths& paths)
{
    std::error_code failed;
    const fs::path resolved = fs::weakly_canonical(paths.server_lock, failed);
    return failed ? paths.server_lock : resolved.string();
}

// Other processes may have the file open too, for a short time, to see whether it is locked.
[[nodiscard]] bool has_locked(const fs::path& process, const std::string& fd)
{
    std::ifstream info{process / "fdinfo" / fd};
    for (std::string line; std::getline(info, line);) {
        const bool is_lock = line.starts_with("lock:") && line.find("FLOCK") != std::string::npos;
        if (is_lock && line.find("WRITE") != std::string::npos) return true;
    }
    return false;
}

[[nodiscard]] bool holds_lock(const fs::path& process, const std::string& lock)
{
    // At each step the process may end, or turn out to belong to another user. Then it is not the
    // server.
    std::error_code failed;
    for (fs::directory_iterator fd{process / "fd", failed}, end; !failed && fd != end;
         fd.increment(failed)) {
        std::error_code gone;
        const std::string target = fs::read_symlink(fd->path(), gone).string();
        if (gone || (target != lock && target != lock + " (deleted)")) continue;
        if (has_locked(process, fd->path().filename())) return true;
    }
    return false;
}

}  // namespace

std::vector<pid_t> find_local_daemons(const local_paths& paths)
{
    const std::string lock = shown_lock(paths);
    std::vector<pid_t> found;
    std::error_code failed;
    for (fs::directory_iterator process{"/proc", failed}, end; !failed && process != end;
         process.increment(failed)) {
        const std::string number = process->path().filename();
        const bool is_process =
            std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
        if (is_process && holds_lock(process->path(), lock)) found.push_back(std::stoi(number));
    }
    return found;
}

}  // namespace pawl::redis
