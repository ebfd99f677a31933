#include "doctor.h"

#include "doctor_report.h"
#include "duration.h"
#include "exit_code.h"
#include "progress.h"
#include "url_option.h"
#include "usage.h"

#include <pawl/client.h>
#include <pawl/doctor.h>

#include <iostream>

namespace pawl::cli {
namespace {

[[nodiscard]] section exit_status()
{
    return {.title = "Exit status of pawl doctor",
            .blocks = {entries{{
                {"0", "nothing worse than notes"},
                {"1", "warnings: a likely event makes locks wait, fail or have two holders"},
                {"2", "faults: locks do not work, or can be lost at any time"},
                {"64", "wrong usage, or a mistake in a settings file"},
                {"69", "no server could be reached"},
                {"70", "internal error"},
                {"77", "the server refused the login"},
            }}}};
}

class doctor_command_line : public command_line {
public:
    doctor_command_line()
        : command_line{"pawl doctor",
                       "Checks whether the server, or each of them, is set up well for locks.",
                       {"pawl doctor [OPTIONS]"}}
    {
        add_url(*this, server);
        add_duration(*this, "--for",
                     "How long to measure round trips and clocks (default 1s; 100ms to 10m). A "
                     "longer time shows less drift of the clocks",
                     [this](auto length) { asked.duration = length; });
        add_option("--lock", asked.lock, "Also check that the user may use the keys of this lock")
            ->type_name("KEY");
        add_flag("-v,--verbose", verbose, "Show also what is fine");
        add_flag("--json", json, "Write one JSON object: docs/doctor.md");
        explain({{.title = "What it does",
                  .blocks = {paragraph{
                      "It asks the server for its settings and figures, measures round trips and "
                      "clocks, and tries each command that locks need. For each finding it says "
                      "what it saw, why that matters and what to do. It changes no setting and no "
                      "lock. What the user has no right to ask is not checked, and it says so. "
                      "docs/doctor.md lists all checks."}}},
                 exit_status()});
    }

    server_options server;
    doctor_options asked;
    bool verbose = false;
    bool json = false;
};

[[nodiscard]] std::vector<finding> examined(client& of, const doctor_options& options)
{
    progress line;
    line.show("pawl: examining " + of.server() + " for " + describe(options.duration) + " …");
    return examine(of, options);
}

}  // namespace

int doctor(const std::vector<std::string>& arguments)
{
    doctor_command_line app;
    std::string url;
    try {
        if (!app.understand(arguments)) return exit_code::ok;
        url = choose_server(app.server, remote::not_needed,
                            "a memory: server is private to its process; there is none to check")
                  .url;
    } catch (const CLI::ParseError& problem) {
        return usage_error(problem.what(), "pawl doctor");
    }
    client of{url};
    const doctor_report report{of.server(), examined(of, app.asked)};
    std::cout << (app.json ? report.as_json() : report.as_text(app.verbose));
    return report.exit_status();
}

page doctor_page()
{
    return doctor_command_line{}.describe();
}

}  // namespace pawl::cli
