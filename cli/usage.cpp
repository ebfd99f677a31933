#include "usage.h"

#include "duration.h"
#include "exit_code.h"
#include "hide_password.h"
#include "say.h"

#include <pawl/version.h>

#include <algorithm>
#include <iostream>
#include <stdexcept>

namespace pawl::cli {
namespace {

[[nodiscard]] std::vector<option_row> rows_of(const CLI::App& app)
{
    std::vector<option_row> rows;
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_positional() || option->get_group().empty()) continue;
        option_row row;
        for (const std::string& name : option->get_snames()) row.names.push_back("-" + name);
        for (const std::string& name : option->get_lnames()) row.names.push_back("--" + name);
        row.argument = option->get_items_expected_max() > 0 ? option->get_type_name() : "";
        row.help = option->get_description();
        rows.push_back(std::move(row));
    }
    // CLI11 puts --help and --version first.
    const auto own = std::ranges::find_if(rows, [](const option_row& row) {
        return row.names.back() != "--help" && row.names.back() != "--version";
    });
    std::ranges::rotate(rows, own);
    return rows;
}

[[nodiscard]] page page_of(const CLI::App& app, const std::string& name)
{
    page result;
    result.name = name;
    result.summary = app.get_description();
    result.options = rows_of(app);
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        result.commands.push_back(page_of(*command, name + ' ' + command->get_name()));
    }
    return result;
}

// The names of an option in messages: "-w,--wait" for "-w,--wait,--timeout".
[[nodiscard]] std::string first_names(const std::string& names)
{
    const auto first_long = names.find("--");
    return names.substr(0, names.find(',', first_long));
}

}  // namespace

command_line::command_line(const std::string& name, const std::string& summary,
                           std::vector<std::string> usage)
    : CLI::App{summary, name}, usage_{std::move(usage)}
{
    set_help_flag("-h,--help", "Show this help and exit");
    set_version_flag("-V,--version", version_text(), "Show the version and exit");
}

bool command_line::understand(const std::vector<std::string>& arguments)
{
    try {
        // CLI11 wants the arguments in reverse order.
        parse(std::vector<std::string>{arguments.rbegin(), arguments.rend()});
        return true;
    } catch (const CLI::CallForHelp&) {
        std::cout << help_text(describe());
    } catch (const CLI::CallForVersion&) {
        std::cout << version_text() << '\n';
    }
    return false;
}

page command_line::describe() const
{
    page result = page_of(*this, get_name());
    result.usage = usage_;
    result.sections = sections_;
    return result;
}

void add_duration(CLI::App& app, const std::string& names, const std::string& help,
                  const std::function<void(std::chrono::milliseconds)>& set)
{
    const CLI::callback_t read = [set, names](const CLI::results_t& given) {
        try {
            set(parse_duration(given.front()));
            return true;
        } catch (const std::invalid_argument& bad) {
            throw CLI::ValidationError{first_names(names), bad.what()};
        }
    };
    app.add_option(names, read, help)->type_name("DURATION");
}

void refuse(const std::string& what)
{
    throw CLI::ParseError{what, CLI::ExitCodes::InvalidError};
}

int usage_error(const std::string& what, const std::string& command)
{
    std::string line = without_passwords(what);
    std::ranges::replace(line, '\n', ' ');
    say(line + " (" + command + " --help shows the usage)");
    return exit_code::usage;
}

std::string version_text()
{
    return "pawl " + std::string{version()};
}

}  // namespace pawl::cli
