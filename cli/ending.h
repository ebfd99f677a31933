// How a process ended, and how pawl itself ends.
#pragma once

namespace pawl::cli {

struct ending {
    int status = 0;  // if no signal ended it
    int signal = 0;  // 0: it ended by itself

    [[nodiscard]] static ending with(int status) noexcept { return {.status = status}; }
    [[nodiscard]] static ending by(int signal) noexcept { return {.signal = signal}; }
};

// The value of $? in a shell: 128+n after signal n.
[[nodiscard]] int shell_status(const ending& how) noexcept;

// Ends pawl by the signal, if a signal ended the command or the wait. Otherwise returns the status
// for main(). After Ctrl-C a shell ends a loop or a script only if it sees that the signal ended
// the process it waits for. The status 130 would mean that pawl handled the signal. Must be called
// when nothing is left to clean up.
//
// Returns 128+n if the signal does not end the process: pawl is process 1 of a container.
[[nodiscard]] int end_as(const ending& how) noexcept;

}  // namespace pawl::cli
