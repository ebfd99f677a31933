#include "local.h"

#include "exit_code.h"
#include "usage.h"

#include <pawl/local_server.h>

#include <iostream>

namespace pawl::cli {
namespace {

[[nodiscard]] int show_status()
{
    const local::status found = local::query();
    if (!found.running) {
        std::cout << "not running; it would listen on " << found.socket << '\n';
        return exit_code::not_running;
    }
    std::cout << "running\n"
              << "process  " << found.pid << '\n'
              << "socket   " << found.socket << '\n'
              << "locks    " << found.locks << '\n';
    return exit_code::ok;
}

[[nodiscard]] int stop(bool force)
{
    local::stop(force);
    return exit_code::ok;
}

class local_command_line : public command_line {
public:
    local_command_line()
        : command_line{"pawl local",
                       "Manages this user's private server: the one that the URL local: names.",
                       {"pawl local status", "pawl local stop [--force]"}}
    {
        status = add_subcommand("status", "Show whether it is running (status 1 if not)");
        auto* stop = add_subcommand("stop", "Stop it; fails with status 75 if locks are held");
        stop->add_flag("-f,--force", force, "Stop it even if locks are held or it does not answer");
        require_subcommand(1);
    }

    CLI::App* status = nullptr;
    bool force = false;
};

}  // namespace

int local(const std::vector<std::string>& arguments)
{
    local_command_line app;
    try {
        if (!app.understand(arguments)) return exit_code::ok;
    } catch (const CLI::ParseError& problem) {
        return usage_error(problem.what(), "pawl local");
    }
    return app.status->parsed() ? show_status() : stop(app.force);
}

page local_page()
{
    return local_command_line{}.describe();
}

}  // namespace pawl::cli
