// What the operator's commands have in common: pawl ls, show, top and wait.
#pragma once

#include "page.h"
#include "url_option.h"

#include <pawl/inspect.h>

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace pawl::cli {

// The argument PATTERN and the option --foreign.
void add_pattern(CLI::App& app, list_options& to);

void add_json(CLI::App& app, bool& to, const std::string& help);

// The URL of the server. Throws CLI::ParseError.
[[nodiscard]] std::string operator_url(const server_options& given);

// Says on stderr what is missing in a list. Returns the exit status.
[[nodiscard]] int tell_missing(const list_summary& summary);

// Parts of --help.
[[nodiscard]] section operator_notes();
[[nodiscard]] section operator_status(const std::string& command, std::vector<entry> rows);

}  // namespace pawl::cli
