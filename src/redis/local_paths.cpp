#include "redis/local_paths.h"

#include <pawl/error.h>

#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace pawl::redis {
namespace {

// Without the terminating NUL.
constexpr std::size_t longest_socket_path = sizeof(sockaddr_un::sun_path) - 1;

constexpr mode_t owner_only = S_IRWXU;

// The same for all programs of a user, unless PAWL_LOCAL_DIR is set. XDG_RUNTIME_DIR would differ:
// it exists in a login session but not in a cron job, and the two must exclude each other.
[[nodiscard]] std::string directory_of_this_user()
{
    // NOLINTNEXTLINE(concurrency-mt-unsafe): safe unless another thread calls setenv().
    const char* const chosen = std::getenv("PAWL_LOCAL_DIR");
    if (chosen == nullptr) return "/tmp/pawl-" + std::to_string(::geteuid());
    if (chosen[0] != '/') {
        throw error{errc::bad_argument,
                    "PAWL_LOCAL_DIR: '" + std::string{chosen} + "' (allowed: an absolute path)"};
    }
    return chosen;
}

[[noreturn]] void refuse(const std::string& directory, const std::string& why)
{
    throw error{errc::refused, "the local server's directory " + directory + " " + why};
}

[[nodiscard]] std::string words_of(int error)
{
    return std::generic_category().message(error);
}

// lstat, because a symbolic link could be changed after the check.
void check(const std::string& directory, const struct stat& found)
{
    if (S_ISLNK(found.st_mode)) refuse(directory, "is a symbolic link; remove it");
    if (!S_ISDIR(found.st_mode)) refuse(directory, "is not a directory; remove it");
    if (found.st_uid != ::geteuid()) {
        refuse(directory, "belongs to user " + std::to_string(found.st_uid) +
                              "; set PAWL_LOCAL_DIR to a directory of your own");
    }
    if ((found.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO)) != owner_only) {
        refuse(directory, "does not have mode 0700, so other users may have changed it: remove it");
    }
}

}  // namespace

local_paths find_local_paths()
{
    local_paths paths;
    paths.directory = directory_of_this_user();
    paths.socket = paths.directory + "/redis.sock";
    paths.start_lock = paths.directory + "/start.lock";
    paths.server_lock = paths.directory + "/server.lock";
    paths.pid_file = paths.directory + "/redis.pid";
    paths.log_file = paths.directory + "/redis.log";
    if (paths.socket.size() > longest_socket_path) {
        throw error{errc::bad_argument,
                    "the local server's socket " + paths.socket + " has a path of " +
                        std::to_string(paths.socket.size()) + " bytes; the system allows " +
                        std::to_string(longest_socket_path) +
                        ": set PAWL_LOCAL_DIR to a shorter path"};
    }
    return paths;
}

bool has_safe_directory(const local_paths& paths)
{
    struct stat found{};
    if (::lstat(paths.directory.c_str(), &found) != 0) {
        if (errno == ENOENT) return false;
        refuse(paths.directory, "cannot be checked: " + words_of(errno));
    }
    check(paths.directory, found);
    return true;
}

void make_safe_directory(const local_paths& paths)
{
    if (has_safe_directory(paths)) return;
    if (::mkdir(paths.directory.c_str(), owner_only) != 0 && errno != EEXIST) {
        refuse(paths.directory, "cannot be created: " + words_of(errno));
    }
    // Another process may have created it first, and not safely.
    if (!has_safe_directory(paths))
        refuse(paths.directory, "disappeared while it was being created");
}

}  // namespace pawl::redis
