// What the subcommands' command lines have in common.
#pragma once

#include "page.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace pawl::cli {

// With --help and --version. Its options, as CLI11 knows them, are the one table from which --help,
// the manual page and the completions are made.
class command_line : public CLI::App {
public:
    command_line(const std::string& name, const std::string& summary,
                 std::vector<std::string> usage);

    // What --help says after the options.
    void explain(std::vector<section> sections) { sections_ = std::move(sections); }

    // False when only --help or --version was asked for, and was given. Throws CLI::ParseError.
    [[nodiscard]] bool understand(const std::vector<std::string>& arguments);

    // To be called when all options are defined.
    [[nodiscard]] page describe() const;

private:
    std::vector<std::string> usage_;
    std::vector<section> sections_;
};

// An option that takes a duration as parse_duration() has it.
void add_duration(CLI::App& app, const std::string& names, const std::string& help,
                  const std::function<void(std::chrono::milliseconds)>& set);

// Throws a CLI::ParseError.
[[noreturn]] void refuse(const std::string& what);

// Tells what was wrong in one line, without passwords, and returns the exit code for it.
[[nodiscard]] int usage_error(const std::string& what, const std::string& command);

[[nodiscard]] std::string version_text();

}  // namespace pawl::cli
