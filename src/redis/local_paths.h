// The paths of the files of the `local:` server, and whether their directory can be trusted.
#pragma once

#include <string>

namespace pawl::redis {

struct local_paths {
    std::string directory;
    std::string socket;
    std::string start_lock;   // held while a process starts or stops the server
    std::string server_lock;  // held by the server process as long as it exists
    std::string pid_file;
    std::string log_file;
};

// Throws pawl::error (bad_argument) if the path is too long for a socket.
[[nodiscard]] local_paths find_local_paths();

// Whether the directory exists. Throws pawl::error (refused) if it does, but another user could
// have put a server into it.
[[nodiscard]] bool has_safe_directory(const local_paths& paths);

// Creates the directory if it does not exist. Throws pawl::error (refused) if it cannot be created
// or is not safe.
void make_safe_directory(const local_paths& paths);

}  // namespace pawl::redis
