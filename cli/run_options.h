// The command line of `pawl run`, understood and checked.
#pragma once

#include "exit_code.h"
#include "page.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace pawl::cli {

struct run_options {
    std::string key;
    std::vector<std::string> command;  // with -c: the shell and its arguments
    std::string url;
    bool url_is_default = false;  // nothing named a server

    std::optional<std::chrono::milliseconds> wait;  // unset: for ever; 0: not at all
    int not_acquired_code = exit_code::not_acquired;
    std::chrono::milliseconds lease{30'000};
    std::chrono::milliseconds grace{};
    std::string on_lost;  // for the shell; empty: nothing
    std::chrono::milliseconds hold_at_least{};
    bool verbose = false;
};

// `arguments` are those after `run`. Nothing when only help was asked for, and was given. Throws
// CLI::ParseError with what is wrong.
[[nodiscard]] std::optional<run_options> parse_run_options(
    const std::vector<std::string>& arguments);

// What --help says.
[[nodiscard]] page run_page();

}  // namespace pawl::cli
