#include "gate_options.h"

#include "shared_options.h"
#include "url_option.h"
#include "usage.h"

#include <pawl/waitable.h>

#include <cstdint>

namespace pawl::cli {
namespace {

constexpr const char* no_memory =
    "memory: is private to each process, so no other process could arrive; for this machine only, "
    "use local:";

[[nodiscard]] section exit_status(const std::string& command, const std::string& not_open)
{
    return {.title = "Exit status of " + command,
            .blocks = {paragraph{"When a signal ended the wait, pawl ends by the same signal, "
                                 "which a shell shows as 128+n. Otherwise:"},
                       entries{{
                           {"0", "success"},
                           {"64", "wrong usage, or a mistake in a settings file"},
                           {"65", "the key is something else"},
                           {"69", "server unreachable"},
                           {"70", "internal error"},
                           {"75", not_open + " (see -E)"},
                           {"77",
                            "refused by the server (another --count, too many arrivals, ACL, "
                            "TLS, memory)"},
                       }}}};
}

[[nodiscard]] std::vector<section> latch_explanation()
{
    return {{.title = "How a latch works",
             .blocks = {paragraph{"It opens when it has been counted down N times, and stays open. "
                                  "The server forgets it 24 hours after its last use. So give each "
                                  "use a KEY of its own, for example with the date:"},
                        example{"./load part1 && pawl latch --count 2 --down load:2026-11-16\n"
                                "./load part2 && pawl latch --count 2 --down load:2026-11-16\n"
                                "pawl latch --count 2 -w 1h load:2026-11-16 && ./report"}}},
            exit_status("pawl latch", "not open in time")};
}

[[nodiscard]] std::vector<section> barrier_explanation()
{
    return {{.title = "How a barrier works",
             .blocks = {paragraph{"Each of N participants arrives and waits. When the last one has "
                                  "arrived, all go on, and the next phase begins:"},
                        example{"./import && pawl barrier --count 4 -w 1h batch:17 && ./publish"},
                        paragraph{"An arrival counts even if the wait ends early. A barrier cannot "
                                  "see that a participant has crashed, so use -w, and a KEY of its "
                                  "own for each run. The server forgets a barrier 24 hours after "
                                  "its last use."}}},
            exit_status("pawl barrier", "not all have arrived in time; the arrival counts")};
}

struct line_values {
    gate_options options;
    server_options server;
    bool no_wait = false;
    std::int64_t down = 0;
    CLI::Option* down_option = nullptr;
};

// Without --url and the other options that come last.
void define_gate(CLI::App& app, line_values& to)
{
    app.add_option("KEY", to.options.key, "The name")->type_name("")->required();
    app.add_option("--count", to.options.count, "How many arrivals it waits for (required)")
        ->type_name("N")
        ->check(CLI::Range(1U, most_arrivals).description(""))
        ->required();
}

void define_waiting(CLI::App& app, line_values& to)
{
    add_wait_limit(app, to.options.wait, to.options.not_open_code, "the wait ended early");
    add_url(app, to.server);
    add_require_remote(app, to.server);
    app.add_flag("-v,--verbose", to.options.verbose, "Report on stderr what happens");
}

class latch_command_line : public command_line {
public:
    latch_command_line()
        : command_line{
              "pawl latch",
              "Waits until a latch has been counted down N times, or counts it down.",
              {"pawl latch --count N [OPTIONS] KEY", "pawl latch --count N --down[=K] KEY"}}
    {
        define_gate(*this, given);
        given.down_option = add_flag("--down", given.down,
                                     "Count down once, or K times with --down=K; do not wait");
        add_flag("-n,--nonblock,--nb", given.no_wait, "Do not wait: say whether it is open");
        define_waiting(*this, given);
        explain(latch_explanation());
    }

    line_values given;
};

class barrier_command_line : public command_line {
public:
    barrier_command_line()
        : command_line{"pawl barrier",
                       "Arrives at a barrier, and waits until N participants have arrived.",
                       {"pawl barrier --count N [OPTIONS] KEY"}}
    {
        define_gate(*this, given);
        define_waiting(*this, given);
        explain(barrier_explanation());
    }

    line_values given;
};

void take_down(line_values& to)
{
    if (to.down_option == nullptr || to.down_option->count() == 0) return;
    if (to.down < 1 || to.down > most_arrivals) {
        refuse("--down=" + std::to_string(to.down) + ": allowed are 1 to " +
               std::to_string(most_arrivals));
    }
    if (to.options.wait) refuse("--down does not wait: -n and -w cannot be used with it");
    to.options.down = static_cast<unsigned>(to.down);
}

template <class CommandLine>
[[nodiscard]] std::optional<gate_options> parse(const std::vector<std::string>& arguments)
{
    CommandLine app;
    if (!app.understand(arguments)) return std::nullopt;
    gate_options& options = app.given.options;
    take_no_wait(app.given.no_wait, options.wait);
    take_down(app.given);
    options.server = choose_server(app.given.server, remote::as_required, no_memory);
    return std::move(options);
}

}  // namespace

std::optional<gate_options> parse_latch_options(const std::vector<std::string>& arguments)
{
    return parse<latch_command_line>(arguments);
}

std::optional<gate_options> parse_barrier_options(const std::vector<std::string>& arguments)
{
    return parse<barrier_command_line>(arguments);
}

page latch_page()
{
    return latch_command_line{}.describe();
}

page barrier_page()
{
    return barrier_command_line{}.describe();
}

}  // namespace pawl::cli
