#include "ls.h"

#include "exit_code.h"
#include "lock_text.h"
#include "operator_options.h"
#include "usage.h"

#include <pawl/client.h>
#include <pawl/inspect.h>

#include <algorithm>
#include <iostream>
#include <vector>

namespace pawl::cli {
namespace {

class ls_command_line : public command_line {
public:
    ls_command_line()
        : command_line{"pawl ls",
                       "Lists the locks in use: kind, holder, for how long, lease, waiters.",
                       {"pawl ls [OPTIONS] [PATTERN]"}}
    {
        add_pattern(*this, which);
        add_json(*this, json, "One JSON object on a line for each lock, in no order");
        add_url(*this, server);
        explain({operator_notes(),
                 operator_status("pawl ls", {{"0", "all servers were listed"},
                                             {"69", "a server could not be listed"}})});
    }

    list_options which;
    bool json = false;
    server_options server;
};

// Sorted by name. Those of a large store need some memory here: about 1 kB each.
void show_table(const inspector& eye, const list_options& which, list_summary& summary)
{
    std::vector<common::row> rows;
    summary = eye.list(which, [&](const lock_info& lock) {
        rows.push_back(row_of(lock));
        return true;
    });
    std::ranges::sort(rows, {}, [](const auto& cells) { return cells.front(); });
    if (rows.empty()) return;
    rows.insert(rows.begin(), heading());
    std::cout << common::lay_out(rows);
}

void show_json(const inspector& eye, const list_options& which, list_summary& summary)
{
    summary = eye.list(which, [](const lock_info& lock) {
        std::cout << json_of(lock) << '\n';
        return static_cast<bool>(std::cout);
    });
}

}  // namespace

int ls(const std::vector<std::string>& arguments)
{
    ls_command_line app;
    std::string url;
    try {
        if (!app.understand(arguments)) return exit_code::ok;
        url = operator_url(app.server);
    } catch (const CLI::ParseError& problem) {
        return usage_error(problem.what(), "pawl ls");
    }
    client store{url};
    const inspector eye{store};
    list_summary summary;
    (app.json ? show_json : show_table)(eye, app.which, summary);
    std::cout << std::flush;
    return tell_missing(summary);
}

page ls_page()
{
    return ls_command_line{}.describe();
}

}  // namespace pawl::cli
