// Helpers for the tests of the pawl command.
#pragma once

#include "support/eventually.h"
#include "support/process.h"
#include "support/redis_probe.h"
#include "support/redis_server.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <sys/types.h>
#include <vector>

namespace pawl::test {

using namespace std::chrono_literals;

using words = std::vector<std::string>;

// Starts the built command with these arguments. PAWL_URL, and variables that a pawl around the
// tests might have set, are not in its environment. The lines `environment` ("NAME=value") are. It
// reads no settings file, unless `environment` has a PAWL_CONFIG.
[[nodiscard]] process pawl(const words& arguments, const words& environment = {});

// The output and the end of a process.
struct result {
    std::optional<ending> end;  // unset: it did not end
    std::string out;
    std::string err;
};

[[nodiscard]] result finish(process running);
[[nodiscard]] result run_pawl(const words& arguments, const words& environment = {});

// The state as ps shows it: S sleeping, T stopped, …; '-' if there is no such process.
[[nodiscard]] char state_of(pid_t pid);

// Whether the process exists and is not a zombie.
[[nodiscard]] bool is_alive(pid_t pid);

// A process group with two members: a shell, which ignores no signal, and its child. Prints
// "shell=PID" and "sleeper=PID".
inline const std::string shell_with_child =
    "sleep 1000 & echo sleeper=$!; echo shell=$$; wait; wait; wait";

struct family {
    pid_t shell;
    pid_t sleeper;

    [[nodiscard]] bool any_alive() const { return is_alive(shell) || is_alive(sleeper); }
};

// The process ids that `shell_with_child` printed.
[[nodiscard]] family family_of(const process& running);

class command_test : public testing::Test {
protected:
    // `pawl run --url … ARGUMENTS`
    [[nodiscard]] process start(const words& arguments) const;
    [[nodiscard]] result run(const words& arguments) const { return finish(start(arguments)); }

    // Returns when the lock has just been renewed, so that nothing else happens to it for nearly a
    // third of the lease.
    void wait_for_renewal(std::string_view key, std::chrono::milliseconds lease);

    // The locks on the server.
    [[nodiscard]] words locks();

    redis_server server_;
    redis_probe probe_ = server_.probe();
};

}  // namespace pawl::test
