#include "usage.h"

#include "duration.h"
#include "exit_code.h"
#include "say.h"

#include <pawl/version.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <stdexcept>

namespace pawl::cli {
namespace {

class formatter : public CLI::Formatter {
public:
    explicit formatter(std::string usage) : usage_{std::move(usage)} {}

    std::string make_usage(const CLI::App*, std::string) const override
    {
        return "Usage: " + usage_ + "\n";
    }

private:
    std::string usage_;
};

}  // namespace

command_line::command_line(const std::string& name, const std::string& description,
                           const std::string& usage)
    : CLI::App{description, name}
{
    formatter(std::make_shared<cli::formatter>(usage));
    set_help_flag("-h,--help", "Show this help and exit");
    set_version_flag("-V,--version", version_text(), "Show the version and exit");
    get_formatter()->column_width(34);
}

bool command_line::understand(const std::vector<std::string>& arguments)
{
    try {
        // CLI11 takes them from the back.
        parse(std::vector<std::string>{arguments.rbegin(), arguments.rend()});
        return true;
    } catch (const CLI::CallForHelp&) {
        std::cout << help();
    } catch (const CLI::CallForVersion&) {
        std::cout << version_text() << '\n';
    }
    return false;
}

void add_duration(CLI::App& app, const std::string& names, const std::string& help,
                  const std::function<void(std::chrono::milliseconds)>& set)
{
    const CLI::callback_t read = [set, names](const CLI::results_t& given) {
        try {
            set(parse_duration(given.front()));
            return true;
        } catch (const std::invalid_argument& bad) {
            throw CLI::ValidationError{names, bad.what()};
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
    std::string line = what;
    std::ranges::replace(line, '\n', ' ');
    say(line + " (" + command + " --help tells more)");
    return exit_code::usage;
}

std::string version_text()
{
    return "pawl " + std::string{version()};
}

}  // namespace pawl::cli
