// Where the private server of `local:` keeps its few files, and whether that place can be trusted.
#pragma once

#include <string>

namespace pawl::redis {

struct local_paths {
    std::string directory;
    std::string socket;
    std::string start_lock;   // held by whoever is about to start the server
    std::string server_lock;  // held by the server itself, as long as it lives
    std::string pid_file;
    std::string log_file;
};

// Throws pawl::error (bad_argument) when the path is too long for a socket.
[[nodiscard]] local_paths find_local_paths();

// Whether the directory is there. Throws pawl::error (refused) when it is, but someone else could
// have put a server of his own into it.
[[nodiscard]] bool has_safe_directory(const local_paths& paths);

// Makes the directory if need be. Throws pawl::error (refused) when it cannot be made or is not safe.
void make_safe_directory(const local_paths& paths);

}  // namespace pawl::redis
