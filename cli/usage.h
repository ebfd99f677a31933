// What the subcommands' command lines have in common.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace pawl::cli {

// With a usage line of our own, --help and --version.
class command_line : public CLI::App {
public:
    command_line(const std::string& name, const std::string& description, const std::string& usage);

    // False when only --help or --version was asked for, and was given. Throws CLI::ParseError.
    [[nodiscard]] bool understand(const std::vector<std::string>& arguments);
};

// Tells what was wrong in one line and returns the exit code for it.
[[nodiscard]] int usage_error(const std::string& what, const std::string& command);

[[nodiscard]] std::string version_text();

}  // namespace pawl::cli
