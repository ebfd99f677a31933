// The exit codes of pawl itself. Otherwise it returns the status of the command it ran. The numbers
// follow sysexits.h where that has a fitting one.
#pragma once

#include <system_error>

namespace pawl::cli::exit_code {

inline constexpr int ok = 0;
inline constexpr int not_running = 1;    // pawl local status
inline constexpr int nothing = 1;        // pawl break: nobody has the lock
inline constexpr int warnings = 1;       // pawl doctor: the worst that it found
inline constexpr int faults = 2;         // pawl doctor, likewise
inline constexpr int usage = 64;         // a wrong option or value; a nested run of the same lock
inline constexpr int not_a_lock = 65;    // the key has another type
inline constexpr int unreachable = 69;   // no server answered, or no quorum
inline constexpr int internal = 70;      // the system or pawl itself failed
inline constexpr int not_acquired = 75;  // another holder has the lock; -E changes the code
inline constexpr int refused = 77;       // the server refused: ACL, TLS, memory
inline constexpr int lost = 79;          // the lock was lost before it was released
inline constexpr int cannot_run = 126;   // the command is there but cannot be run
inline constexpr int not_found = 127;    // there is no such command
inline constexpr int signal_base = 128;  // plus the number of the signal

// For the errors of the library; `internal` for any other error.
[[nodiscard]] int of(const std::error_code& error) noexcept;

}  // namespace pawl::cli::exit_code
