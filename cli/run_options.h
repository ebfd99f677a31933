// The command line of `pawl run`, understood and checked.
#pragma once

#include "exit_code.h"
#include "page.h"
#include "server_choice.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace pawl::cli {

// What KEY is: a lock with one holder, or one side of a lock that has readers and writers.
enum class lock_side { only, reader, writer };

struct run_options {
    std::string key;
    std::vector<std::string> also;  // further locks that are taken together with it
    lock_side side = lock_side::only;
    std::vector<std::string> command;  // with -c: the shell and its arguments
    server_choice server;

    std::optional<std::chrono::milliseconds> wait;  // unset: forever; 0: not at all
    std::optional<unsigned> capacity;  // unset: a lock; set: a semaphore with this capacity
    unsigned permits = 1;
    std::optional<std::chrono::milliseconds> every;  // set: a run once per period
    bool aligned = false;                            // periods by the clock
    bool retry_failed = false;
    int not_acquired_code = exit_code::not_acquired;
    std::chrono::milliseconds lease{30'000};  // not longer than longest_hold
    std::chrono::milliseconds grace{};
    std::string on_lost;  // for the shell; empty: nothing
    std::chrono::milliseconds hold_at_least{};
    std::chrono::milliseconds longest_hold{};  // 0: no limit
    bool verbose = false;
};

// What is acquired, for messages.
[[nodiscard]] std::string name_of(const run_options& options);

// `arguments` are the words after `run`. Returns nothing if --help or --version was given: the text
// has been printed then. Throws CLI::ParseError for a mistake.
[[nodiscard]] std::optional<run_options> parse_run_options(
    const std::vector<std::string>& arguments);

// The same for the words after `once`.
[[nodiscard]] std::optional<run_options> parse_once_options(
    const std::vector<std::string>& arguments);

// The texts of --help.
[[nodiscard]] page run_page();
[[nodiscard]] page once_page();

}  // namespace pawl::cli
