#include "show.h"

#include "exit_code.h"
#include "lock_text.h"
#include "operator_options.h"
#include "usage.h"

#include <pawl/client.h>
#include <pawl/inspect.h>

#include <iostream>

namespace pawl::cli {
namespace {

class show_command_line : public command_line {
public:
    show_command_line()
        : command_line{"pawl show",
                       "Shows all about one lock: its holders, its queue, and their processes.",
                       {"pawl show [OPTIONS] KEY"}}
    {
        add_option("KEY", key, "The name of the lock")->type_name("")->required();
        add_json(*this, json, "One JSON object");
        add_url(*this, server);
        explain({operator_notes(),
                 operator_status("pawl show", {{"0", "shown, whether it is held or free"},
                                               {"65", "the key is something else"},
                                               {"69", "no server answered"}})});
    }

    std::string key;
    bool json = false;
    server_options server;
};

}  // namespace

int show(const std::vector<std::string>& arguments)
{
    show_command_line app;
    std::string url;
    try {
        if (!app.understand(arguments)) return exit_code::ok;
        url = operator_url(app.server);
    } catch (const CLI::ParseError& problem) {
        return usage_error(problem.what(), "pawl show");
    }
    client store{url};
    const auto lock = inspector{store}.look(app.key);
    std::cout << (app.json ? json_of(lock) + "\n" : page_of(lock)) << std::flush;
    if (lock.kind == lock_kind::not_a_lock) return exit_code::not_a_lock;
    return lock.kind == lock_kind::unknown ? exit_code::refused : exit_code::ok;
}

page show_page()
{
    return show_command_line{}.describe();
}

}  // namespace pawl::cli
