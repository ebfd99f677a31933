#include "operator_options.h"

#include "exit_code.h"
#include "lock_text.h"
#include "say.h"

#include <algorithm>

namespace pawl::cli {

void add_pattern(CLI::App& app, list_options& to)
{
    app.add_option("PATTERN", to.pattern,
                   "Which locks: * for any characters, ? for one, [a-z] for one of these (default: "
                   "all)")
        ->type_name("");
    app.add_flag("--foreign", to.foreign, "Also strings that look like locks of other libraries");
}

void add_json(CLI::App& app, bool& to, const std::string& help)
{
    app.add_flag("--json", to, help);
}

std::string operator_url(const server_options& given)
{
    return choose_server(given, remote::not_needed,
                         "a memory: server is private to its process, so there is nothing to see")
        .url;
}

int tell_missing(const list_summary& summary)
{
    for (const auto& note : summary.notes) say(printable(note));
    if (summary.refused > 0) {
        say("the server refused to show " + std::to_string(summary.refused) +
            (summary.refused == 1 ? " key" : " keys"));
    }
    return summary.complete ? exit_code::ok : exit_code::unreachable;
}

section operator_notes()
{
    return {.title = "What is shown",
            .blocks = {
                paragraph{"A holder is shown as HOST:PID of its process, if the server lists its "
                          "connections and the process is connected; otherwise by its id. A lock "
                          "is held at most for the time that is shown: since the server last gave "
                          "out a fence by its clock."},
                paragraph{"These commands only read. They ask for a bounded number of keys at a "
                          "time, so the server goes on serving its clients."},
            }};
}

section operator_status(const std::string& command, std::vector<entry> rows)
{
    rows.push_back({"64", "wrong usage, or a mistake in a settings file"});
    rows.push_back({"70", "internal error"});
    rows.push_back({"77", "refused by the server (ACL, TLS)"});
    std::ranges::sort(rows, {}, &entry::term);
    return {.title = "Exit status of " + command, .blocks = {entries{std::move(rows)}}};
}

}  // namespace pawl::cli
