// The common part of the subcommands' command lines.
#pragma once

#include "page.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace pawl::cli {

// A command line with --help and --version. CLI11's option table is the only one: --help, the
// manual page and the completions are made from it.
class command_line : public CLI::App {
public:
    command_line(const std::string& name, const std::string& summary,
                 std::vector<std::string> usage);

    // Sets the text of --help after the options.
    void explain(std::vector<section> sections) { sections_ = std::move(sections); }

    // False if --help or --version was given: the text has been printed then. Throws
    // CLI::ParseError.
    [[nodiscard]] bool understand(const std::vector<std::string>& arguments);

    // To be called when all options are defined.
    [[nodiscard]] page describe() const;

private:
    std::vector<std::string> usage_;
    std::vector<section> sections_;
};

// An option whose value is a duration, see parse_duration().
void add_duration(CLI::App& app, const std::string& names, const std::string& help,
                  const std::function<void(std::chrono::milliseconds)>& set);

// Throws a CLI::ParseError.
[[noreturn]] void refuse(const std::string& what);

// Prints one line that says what was wrong, without passwords. Returns the exit code for it.
[[nodiscard]] int usage_error(const std::string& what, const std::string& command);

[[nodiscard]] std::string version_text();

}  // namespace pawl::cli
