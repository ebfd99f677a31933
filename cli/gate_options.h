// The command lines of `pawl latch` and `pawl barrier`, understood and checked.
#pragma once

#include "exit_code.h"
#include "page.h"
#include "server_choice.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace pawl::cli {

struct gate_options {
    std::string key;
    unsigned count = 0;  // how many arrivals open it
    server_choice server;

    unsigned down = 0;                              // latch: count down by this; 0: wait
    std::optional<std::chrono::milliseconds> wait;  // unset: forever; 0: not at all
    int not_open_code = exit_code::not_acquired;
    bool verbose = false;
};

// `arguments` are the words after `latch` or `barrier`. Returns nothing if --help or --version was
// given: the text has been printed then. Throws CLI::ParseError for a mistake.
[[nodiscard]] std::optional<gate_options> parse_latch_options(
    const std::vector<std::string>& arguments);
[[nodiscard]] std::optional<gate_options> parse_barrier_options(
    const std::vector<std::string>& arguments);

// The texts of --help.
[[nodiscard]] page latch_page();
[[nodiscard]] page barrier_page();

}  // namespace pawl::cli
