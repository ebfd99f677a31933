#include "lead_options.h"

#include "shared_options.h"
#include "url_option.h"
#include "usage.h"

#include <unistd.h>

#include <algorithm>
#include <array>

namespace pawl::cli {
namespace {

using std::chrono::milliseconds;

constexpr const char* no_memory =
    "memory: is private to each process, so each would lead; for this machine only, use local:";

[[nodiscard]] section how_it_works()
{
    return {
        .title = "How it works",
        .blocks = {
            paragraph{"pawl waits until it leads, and then runs the command. When the lead is "
                      "about to be lost, the command's process group gets SIGTERM and, after the "
                      "grace period, SIGKILL, so that it has ended before another one leads. Then "
                      "pawl waits again, and starts the command again when it leads again. It "
                      "does so for as long as it takes, also when the server cannot be reached "
                      "or refuses it because its memory is full."},
            example{"pawl lead --payload \"$(hostname):8080\" primary -- ./serve\n"
                    "curl \"http://$(pawl lead --who primary)/\""},
            paragraph{"When the command ends by itself, pawl resigns and ends with its status. "
                      "Signals go to the command's group: on SIGTERM the command ends, and pawl "
                      "resigns. When pawl is killed, the group is killed at once, and another "
                      "one leads when the lease ends."},
            paragraph{"The command has PAWL_KEY, PAWL_FENCE, PAWL_HOLDER and PAWL_PAYLOAD in its "
                      "environment, as pawl run has the first three."},
            paragraph{"--who prints the payload of the leader, and ends with status 75 if nobody "
                      "leads. --watch prints it too, and then a line for each change, until a "
                      "signal comes. The line is empty while nobody leads."},
        }};
}

[[nodiscard]] section exit_status()
{
    return {.title = "Exit status of pawl lead",
            .blocks = {
                paragraph{"The status of the command. When a signal ended the command or the wait, "
                          "pawl ends by the same signal, which a shell shows as 128+n. Otherwise:"},
                entries{{
                    {"0", "success of --who"},
                    {"64", "wrong usage, or a mistake in a settings file"},
                    {"65", "the key is something else"},
                    {"69", "server unreachable at the start"},
                    {"70", "internal error"},
                    {"75", "nobody leads (--who)"},
                    {"77", "refused by the server at the start (ACL, TLS, memory)"},
                    {"126", "the command cannot be run"},
                    {"127", "the command was not found"},
                }}}};
}

struct line_values {
    lead_options options;
    server_options server;
    std::optional<std::string> payload;
    std::optional<milliseconds> grace;
    bool who = false;
    bool watch = false;
};

class lead_command_line : public command_line {
public:
    lead_command_line()
        : command_line{"pawl lead",
                       "Runs a command on one machine: on the one that leads.",
                       {"pawl lead [OPTIONS] KEY -- COMMAND [ARG...]",
                        "pawl lead --who | --watch [OPTIONS] KEY"}}
    {
        define(*this, given);
        explain({how_it_works(), exit_status()});
    }

    line_values given;

private:
    static void define(CLI::App& app, line_values& to);
};

void lead_command_line::define(CLI::App& app, line_values& to)
{
    app.add_option("KEY", to.options.key, "The name of the election")->type_name("")->required();
    app.add_option("--payload", to.payload,
                   "What others see of the leader (default: the name of this machine)")
        ->type_name("TEXT");
    app.add_option("--candidate", to.options.candidate,
                   "The name of this candidate (default: the payload)")
        ->type_name("NAME");
    app.add_flag("--who", to.who, "Print the payload of the leader");
    app.add_flag("--watch", to.watch, "Print the payload of each leader from now on");
    add_url(app, to.server);
    add_require_remote(app, to.server);
    add_duration(app, "--lease", "How long a leader that crashed leads at most (default 30s)",
                 [&to](milliseconds value) { to.options.lease = value; });
    add_grace(app, to.grace);
    app.add_flag("-v,--verbose", to.options.verbose, "Report on stderr what happens");
}

[[nodiscard]] std::string machine_name()
{
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
    return name.data();
}

void take_task(line_values& to, std::vector<std::string> command)
{
    lead_options& options = to.options;
    if (to.who && to.watch) refuse("--who and --watch cannot be used together");
    if (to.who) options.what = lead_options::task::who;
    if (to.watch) options.what = lead_options::task::watch;
    const bool leads = options.what == lead_options::task::lead;
    if (leads && command.empty()) refuse("the command is missing: KEY -- COMMAND [ARG...]");
    if (!leads && !command.empty()) refuse("--who and --watch run no command");
    options.command = std::move(command);
    options.payload = to.payload.value_or(machine_name());
}

}  // namespace

std::optional<lead_options> parse_lead_options(const std::vector<std::string>& arguments)
{
    // The command begins after `--`. Its words are not examined.
    const auto end = std::ranges::find(arguments, "--");
    std::vector<std::string> command;
    if (end != arguments.end()) command.assign(end + 1, arguments.end());
    lead_command_line app;
    if (!app.understand({arguments.begin(), end})) return std::nullopt;
    take_task(app.given, std::move(command));
    lead_options& options = app.given.options;
    options.grace = choose_grace(app.given.grace, options.lease);
    options.server = choose_server(app.given.server, remote::as_required, no_memory);
    return std::move(options);
}

page lead_page()
{
    return lead_command_line{}.describe();
}

}  // namespace pawl::cli
