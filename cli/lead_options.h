// The command line of `pawl lead`, understood and checked.
#pragma once

#include "page.h"
#include "server_choice.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace pawl::cli {

struct lead_options {
    enum class task {
        lead,   // campaign, and run the command while leading
        who,    // print who leads
        watch,  // print each leader
    };
    task what = task::lead;

    std::string key;
    std::vector<std::string> command;
    server_choice server;

    std::string payload;
    std::string candidate;  // empty: the payload is the name
    std::chrono::milliseconds lease{30'000};
    std::chrono::milliseconds grace{};
    bool verbose = false;
};

// `arguments` are the words after `lead`. Returns nothing if --help or --version was given: the text has been printed
// then. Throws CLI::ParseError for a mistake.
[[nodiscard]] std::optional<lead_options> parse_lead_options(
    const std::vector<std::string>& arguments);

// The text of --help.
[[nodiscard]] page lead_page();

}  // namespace pawl::cli
