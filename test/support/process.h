// A child process of a test. A test can start it, write to it, signal it, and wait for it with a
// limit. It is killed when its object is destroyed.
//
// Its output goes to files, so that a child with much output never blocks on a test that does not
// read it. It dies with the thread that started it (PR_SET_PDEATHSIG). So start it from a thread
// that lives as long as the child should.
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

// How a process ended. One of the two is set.
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

    // Runs a function in a fork of this process. Its result is the exit status (99 if it throws).
    // Only the calling thread exists in the child.
    [[nodiscard]] static process forked(const std::function<int()>& body);

    ~process();
    process(process&& other) noexcept;
    process& operator=(process&&) = delete;
    process(const process&) = delete;
    process& operator=(const process&) = delete;

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }

    // The output so far.
    [[nodiscard]] std::string out() const;
    [[nodiscard]] std::string err() const;

    // Waits until it has written a line that starts with `start`, and returns the rest of that
    // line. Throws if that does not happen in time.
    [[nodiscard]] std::string line_after(std::string_view start) const;

    void write(std::string_view text);
    void close_stdin() noexcept;

    void signal(int number) noexcept;

    // How it ended, or nothing if it is still running at the limit.
    [[nodiscard]] std::optional<ending> wait(std::chrono::milliseconds limit);

    // Does not wait.
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
