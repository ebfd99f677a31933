#include "bench_options.h"

#include "duration.h"
#include "say.h"
#include "url_option.h"
#include "usage.h"

#include <algorithm>
#include <array>

namespace pawl::cli {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

[[nodiscard]] std::vector<section> explanation()
{
    return {
        {.title = "Parts, each measured for --seconds, one after the other",
         .blocks = {entries{{
             {"ping", "a round trip to the server and back"},
             {"lock", "acquire and release a lock that is free, one at a time"},
             {"hand-off", "from the release of one client to the grant of another that waits"},
             {"threads", "acquire and release by many threads at once, each its own lock"},
             {"linger", "lock and unlock a lock that stays with this process: no round trip"},
         }}}},
        {.title = "What it does to the server",
         .blocks = {paragraph{
                        "Only locks of its own are used, whose names nobody can guess; no other "
                        "key is read, changed or deleted. They are given back, or end with their "
                        "lease of 10 s; of each a small key (pawl:fence:...) stays on the server "
                        "and expires within a day."},
                    paragraph{"Ctrl-C ends it early, with the figures so far; a second one at "
                              "once, without."}}},
        {.title = "Exit status of pawl bench",
         .blocks = {paragraph{"0; ended by signal n it ends by that, 128+n in a shell;"},
                    entries{{
                        {"64", "wrong usage"},
                        {"69", "server unreachable"},
                        {"70", "internal error"},
                        {"77", "refused by the server (ACL, TLS, memory)"},
                        {"79", "a lock was lost: the server forgot it"},
                    }}}},
    };
}

constexpr const char* no_memory =
    "memory: is within this process, so there is no server to measure; for one on this machine, "
    "use local:";

constexpr milliseconds shortest = 10ms;
constexpr milliseconds longest = 10min;
constexpr int most_threads = 1024;  // each needs a connection, and a client has no more
constexpr std::size_t longest_prefix = 400;

constexpr std::array all_parts{bench_part::ping, bench_part::lock, bench_part::hand_off,
                               bench_part::threads, bench_part::linger};

struct line_values {
    bench_options options;
    server_options server;
    std::string only;
};

class bench_command_line : public command_line {
public:
    bench_command_line()
        : command_line{"pawl bench",
                       "Measures how fast locks are on a server, from here.",
                       {"pawl bench [OPTIONS]"}}
    {
        define(*this, given);
        explain(explanation());
    }

    line_values given;

private:
    static void define(CLI::App& app, line_values& to);
};

void bench_command_line::define(CLI::App& app, line_values& to)
{
    add_url(app, to.server);
    add_duration(app, "-s,--seconds", "How long each part takes; 2 unless given",
                 [&to](milliseconds value) { to.options.per_part = value; });
    app.add_option("-t,--threads", to.options.threads,
                   "How many threads the part of that name has; 16 unless given")
        ->type_name("N")
        ->check(CLI::Range(1, most_threads).description(""));
    app.add_option("--only", to.only, "Measure these parts only")->type_name("PART[,PART...]");
    app.add_option("--name", to.options.prefix,
                   "What the names of the locks begin with; pawl-bench: unless given")
        ->type_name("PREFIX");
    app.add_flag("--json", to.options.json, "Write one JSON object, durations in nanoseconds");
    app.add_flag("--histogram", to.options.histogram,
                 "Draw the histograms even if stdout is not a terminal");
}

void check_duration(milliseconds per_part)
{
    if (per_part >= shortest && per_part <= longest) return;
    refuse("--seconds of " + describe(per_part) + ": from 0.01 to 600 (ten minutes)");
}

void check_prefix(const std::string& prefix)
{
    if (!prefix.empty() && prefix.size() <= longest_prefix) return;
    refuse("--name of " + std::to_string(prefix.size()) + " bytes: from 1 to " +
           std::to_string(longest_prefix));
}

[[nodiscard]] std::string all_words()
{
    std::string text;
    for (const bench_part each : all_parts) {
        if (!text.empty()) text += ", ";
        text += word_of(each);
    }
    return text;
}

[[nodiscard]] bench_part part_of(std::string_view word)
{
    const auto* const found = std::ranges::find(all_parts, word, word_of);
    if (found == all_parts.end()) {
        refuse("--only: " + in_quotes(word) + " is not a part; they are " + all_words());
    }
    return *found;
}

[[nodiscard]] std::vector<bench_part> parts_of(std::string_view list)
{
    std::vector<bench_part> result;
    for (;;) {
        const std::size_t comma = list.find(',');
        result.push_back(part_of(list.substr(0, comma)));
        if (comma == std::string_view::npos) break;
        list.remove_prefix(comma + 1);
    }
    std::ranges::sort(result);
    const auto twice = std::ranges::unique(result);
    result.erase(twice.begin(), twice.end());
    return result;
}

}  // namespace

std::string_view word_of(bench_part part) noexcept
{
    switch (part) {
    case bench_part::ping: return "ping";
    case bench_part::lock: return "lock";
    case bench_part::hand_off: return "hand-off";
    case bench_part::threads: return "threads";
    case bench_part::linger: return "linger";
    }
    return {};
}

page bench_page()
{
    return bench_command_line{}.describe();
}

std::optional<bench_options> parse_bench_options(const std::vector<std::string>& arguments)
{
    bench_command_line app;
    if (!app.understand(arguments)) return std::nullopt;
    bench_options& options = app.given.options;
    options.parts = app.count("--only") > 0
                        ? parts_of(app.given.only)
                        : std::vector<bench_part>{all_parts.begin(), all_parts.end()};
    check_duration(options.per_part);
    check_prefix(options.prefix);
    if (options.json && options.histogram) refuse("--json and --histogram do not go together");
    const server_choice server = choose_server(app.given.server, remote::not_needed, no_memory);
    options.url = server.url;
    options.url_is_default = server.is_default;
    return std::move(options);
}

}  // namespace pawl::cli
