#include "bench_options.h"

#include "duration.h"
#include "say.h"
#include "server_url.h"
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
             {"ping", "one round trip to the server"},
             {"lock", "acquire and release a lock that is free, one at a time"},
             {"hand-off",
              "from a release by one client to the grant for another client that waits"},
             {"threads", "acquire and release by many threads at once, each with its own lock"},
             {"linger",
              "lock and unlock a lock that stays with this process, without a round trip (not on "
              "a quorum)"},
         }}}},
        {.title = "What it does to the server",
         .blocks = {paragraph{
                        "pawl bench uses only locks of its own, with random names. It does not "
                        "read, change or delete any other key. It releases its locks. If it is "
                        "killed, they end with their lease of 10 s. For each lock a small key "
                        "(pawl:fence:...) stays on the server, and expires within a day."},
                    paragraph{"Ctrl-C ends it early, and the figures so far are shown. A second "
                              "Ctrl-C ends it at once, without figures."}}},
        {.title = "Exit status of pawl bench",
         .blocks = {paragraph{"0 on success. A signal ends pawl bench, and a shell then shows "
                              "128+n. Otherwise:"},
                    entries{{
                        {"64", "wrong usage"},
                        {"69", "server unreachable, or no quorum"},
                        {"70", "internal error"},
                        {"77", "refused by the server (ACL, TLS, memory)"},
                        {"79", "a lock was lost: the server forgot it"},
                    }}}},
    };
}

constexpr const char* no_memory =
    "memory: is inside this process, so there is no server to measure; to measure a server on "
    "this machine, use local:";

constexpr milliseconds shortest = 10ms;
constexpr milliseconds longest = 10min;
constexpr int most_threads = 1024;  // each needs a connection, and a client opens no more
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
    add_duration(app, "-s,--seconds", "How long to measure each part (default 2)",
                 [&to](milliseconds value) { to.options.per_part = value; });
    app.add_option("-t,--threads", to.options.threads,
                   "Number of threads of the part threads (default 16)")
        ->type_name("N")
        ->check(CLI::Range(1, most_threads).description(""));
    app.add_option("--only", to.only, "Measure these parts only")->type_name("PART[,PART...]");
    app.add_option("--name", to.options.prefix, "Prefix of the lock names (default pawl-bench:)")
        ->type_name("PREFIX");
    app.add_flag("--json", to.options.json, "Write one JSON object, with durations in nanoseconds");
    app.add_flag("--histogram", to.options.histogram,
                 "Draw the histograms even if stdout is not a terminal");
}

void check_duration(milliseconds per_part)
{
    if (per_part >= shortest && per_part <= longest) return;
    refuse("--seconds of " + describe(per_part) + ": allowed are 0.01 to 600 (ten minutes)");
}

void check_prefix(const std::string& prefix)
{
    if (!prefix.empty() && prefix.size() <= longest_prefix) return;
    refuse("--name of " + std::to_string(prefix.size()) + " bytes: allowed are 1 to " +
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
        refuse("--only: " + in_quotes(word) + " is not a part; the parts are " + all_words());
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

// The locks of a quorum do not linger.
void check_linger(bench_options& options, bool parts_were_chosen)
{
    const auto linger = std::ranges::find(options.parts, bench_part::linger);
    if (!is_quorum(options.server.url) || linger == options.parts.end()) return;
    if (parts_were_chosen) {
        refuse("--only: linger cannot be measured on a quorum, whose locks do not linger");
    }
    options.parts.erase(linger);
    options.leaves_out_linger = true;
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
    const bool parts_were_chosen = app.count("--only") > 0;
    options.parts = parts_were_chosen ? parts_of(app.given.only)
                                      : std::vector<bench_part>{all_parts.begin(), all_parts.end()};
    check_duration(options.per_part);
    check_prefix(options.prefix);
    if (options.json && options.histogram) refuse("--json and --histogram cannot be used together");
    options.server = choose_server(app.given.server, remote::not_needed, no_memory);
    check_linger(options, parts_were_chosen);
    return std::move(options);
}

}  // namespace pawl::cli
