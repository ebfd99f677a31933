// What the subcommands' command lines have in common.
#pragma once

#include <CLI/CLI.hpp>

#include <chrono>
#include <functional>
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

// An option that takes a duration as parse_duration() has it.
void add_duration(CLI::App& app, const std::string& names, const std::string& help,
                  const std::function<void(std::chrono::milliseconds)>& set);

// Throws a CLI::ParseError.
[[noreturn]] void refuse(const std::string& what);

// Tells what was wrong in one line and returns the exit code for it.
[[nodiscard]] int usage_error(const std::string& what, const std::string& command);

[[nodiscard]] std::string version_text();

}  // namespace pawl::cli
