// A child process of a test: started, fed, signalled, waited for within a limit, and killed when
// its object goes.
//
// Its output goes to files, so that a child which talks a lot never blocks on a test that does not
// listen. It dies with the thread that started it (PR_SET_PDEATHSIG): start it from a thread that
// lives as long as the child should.
#pragma once

#include "support/temp_dir.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace pawl::test {

// How a process ended: one of the two.
struct ending {
    std::optional<int> code;
    std::optional<int> signal;

    [[nodiscard]] bool operator==(const ending&) const = default;
};

[[nodiscard]] inline ending exited(int code)
{
    return {.code = code, .signal = {}};
}

[[nodiscard]] inline ending killed_by(int signal)
{
    return {.code = {}, .signal = signal};
}

class process {
public:
    // Runs a command, found in PATH.
    explicit process(std::vector<std::string> command);

    // Runs a function in a fork of this process and ends with what it returns (99 when it throws).
    // Only the calling thread exists in the child.
    [[nodiscard]] static process forked(const std::function<int()>& body);

    ~process();
    process(process&& other) noexcept;
    process& operator=(process&&) = delete;
    process(const process&) = delete;
    process& operator=(const process&) = delete;

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }

    // What it has written so far.
    [[nodiscard]] std::string out() const;
    [[nodiscard]] std::string err() const;

    // Waits until it has written a line that starts with `start`, and returns the rest of that line.
    // Throws when that does not happen in time.
    [[nodiscard]] std::string line_after(std::string_view start) const;

    void write(std::string_view text);
    void close_stdin() noexcept;

    void signal(int number) noexcept;

    // How it ended, or nothing when it goes on beyond the limit.
    [[nodiscard]] std::optional<ending> wait(std::chrono::milliseconds limit);

    // Without a wait.
    [[nodiscard]] bool running();

private:
    process();
    void start(const std::function<int()>& body);

    std::unique_ptr<temp_dir> files_;
    pid_t pid_ = -1;
    int stdin_ = -1;
    std::optional<ending> ending_;
};

}  // namespace pawl::test
