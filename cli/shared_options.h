// Options that several subcommands have.
#pragma once

#include <CLI/CLI.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace pawl::cli {

// The options -w and -E. `when` says when the exit status of -E is used.
void add_wait_limit(CLI::App& app, std::optional<std::chrono::milliseconds>& wait,
                    int& conflict_code, const std::string& when);

// -n is the same as a limit of 0. Throws CLI::ParseError if -w was given too.
void take_no_wait(bool no_wait, std::optional<std::chrono::milliseconds>& wait);

// The option --grace.
void add_grace(CLI::App& app, std::optional<std::chrono::milliseconds>& grace);

// Returns the given grace period, or the default one. Throws CLI::ParseError if the given one does
// not fit into the lease.
[[nodiscard]] std::chrono::milliseconds choose_grace(std::optional<std::chrono::milliseconds> given,
                                                     std::chrono::milliseconds lease);

}  // namespace pawl::cli
