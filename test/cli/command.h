// What the tests of the pawl command start from.
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

// The built command with these arguments. Neither PAWL_URL nor what a pawl around the tests might
// have set is in its environment; `environment` ("NAME=value") is. It reads no settings file, unless
// `environment` has a PAWL_CONFIG.
[[nodiscard]] process pawl(const words& arguments, const words& environment = {});

// What came of it, after its end.
struct result {
    std::optional<ending> end;  // unset: it never ended
    std::string out;
    std::string err;
};

[[nodiscard]] result finish(process running);
[[nodiscard]] result run_pawl(const words& arguments, const words& environment = {});

// As ps shows it: S for one that sleeps, T for one that is stopped, …; '-' if there is none.
[[nodiscard]] char state_of(pid_t pid);

// Whether the process is there and not just waiting to be reaped.
[[nodiscard]] bool is_alive(pid_t pid);

// A process group whose members are hard to get all at once: a shell, which ignores nothing, and its
// child. Says "shell=PID" and "sleeper=PID".
inline const std::string shell_with_child =
    "sleep 1000 & echo sleeper=$!; echo shell=$$; wait; wait; wait";

struct family {
    pid_t shell;
    pid_t sleeper;

    [[nodiscard]] bool any_alive() const { return is_alive(shell) || is_alive(sleeper); }
};

// Those that `shell_with_child` told of.
[[nodiscard]] family family_of(const process& running);

class command_test : public testing::Test {
protected:
    // `pawl run --url … ARGUMENTS`
    [[nodiscard]] process start(const words& arguments) const;
    [[nodiscard]] result run(const words& arguments) const { return finish(start(arguments)); }

    // Returns when the lock has just been renewed, so that for nearly a third of the lease nothing
    // else will happen to it.
    void wait_for_renewal(std::string_view key, std::chrono::milliseconds lease);

    // The locks that are on the server.
    [[nodiscard]] words locks();

    redis_server server_;
    redis_probe probe_ = server_.probe();
};

}  // namespace pawl::test
