// How a process ended, and how pawl itself ends.
#pragma once

namespace pawl::cli {

struct ending {
    int status = 0;  // if no signal ended it
    int signal = 0;  // 0: it ended by itself

    [[nodiscard]] static ending with(int status) noexcept { return {.status = status}; }
    [[nodiscard]] static ending by(int signal) noexcept { return {.signal = signal}; }
};

// As a shell has it in $?: 128+n after signal n.
[[nodiscard]] int shell_status(const ending& how) noexcept;

// Ends pawl if a signal is to end it, and otherwise returns the status for main(). A shell ends a
// loop or a script after Ctrl-C only if it sees that the signal ended what it waits for; a status
// of 130 says that pawl dealt with the signal. To be called when nothing is left to clean up.
//
// Returns 128+n where signals do not end a process: it is process 1 of a container.
[[nodiscard]] int end_as(const ending& how) noexcept;

}  // namespace pawl::cli
