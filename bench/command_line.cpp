#include "command_line.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace pawl::bench {
namespace {

constexpr int wrong_usage = 64;  // the same as for the pawl command
constexpr std::string_view growth_word = "w9";

std::string workload_words()
{
    std::string words;
    for (const workload& each : all_workloads()) {
        words += (words.empty() ? "" : ", ") + std::string{each.word};
    }
    return words + ", " + std::string{growth_word};
}

// A word names a workload, or is the beginning of several: w5 means w5-greedy and w5-strict.
bool is_meant(const workload& what, const std::string& word)
{
    return what.word == word || what.word.starts_with(word + "-");
}

std::string complaint_about_workload(const std::string& word)
{
    const bool known =
        word == growth_word || std::ranges::any_of(all_workloads(), [&](const workload& each) {
            return is_meant(each, word);
        });
    return known ? "" : "unknown workload '" + word + "'; the workloads are: " + workload_words();
}

// Checked at once, not after minutes of measuring. An existing file is not changed.
std::string complaint_about_file(const std::string& path)
{
    return std::ofstream{path, std::ios::app} ? "" : "cannot write " + path;
}

std::vector<const workload*> choose(const std::vector<std::string>& only)
{
    std::vector<const workload*> chosen;
    for (const workload& each : all_workloads()) {
        const bool wanted = only.empty() || std::ranges::any_of(only, [&](const std::string& word) {
                                return is_meant(each, word);
                            });
        if (wanted) chosen.push_back(&each);
    }
    return chosen;
}

}  // namespace

std::vector<std::string> settings::ways_for(const workload& what) const
{
    if (over && *over != "both") return {*over};
    if (over || what.over_both) return {"unix", "tcp"};
    // Peers are reached over TCP. If they take part, all contenders use TCP.
    return {peers && !what.peer_word.empty() ? "tcp" : "unix"};
}

std::variant<settings, int> parse_command_line(int argc, const char* const* argv)
{
    constexpr effort quick{.rounds = 3, .length = std::chrono::milliseconds{300}};
    settings wanted;
    std::optional<unsigned> rounds;
    std::optional<double> seconds;
    std::vector<std::string> words;
    CLI::App app{"Compares pawl with other locks, on private redis-servers."};
    app.name("pawl_bench");
    app.add_option("workload", words, "All, or of " + workload_words())
        ->check(complaint_about_workload);
    app.add_option("--only", words, "The same, separated by commas")
        ->delimiter(',')
        ->check(complaint_about_workload);
    app.add_option("--rounds", rounds, "Rounds, in which contenders alternate (default 9)")
        ->check(CLI::Range(1, 1000));
    app.add_option("--seconds", seconds, "Seconds of one contender in a round (default 1)")
        ->check(CLI::Range(0.05, 600.0));
    app.add_flag("--quick", wanted.quick, "3 rounds of 0.3 s: to see that it works");
    app.add_flag("--pinned", wanted.pinned, "Everything on one processor, including the server");
    app.add_flag("--peers", wanted.peers,
                 "Also measure other libraries; they are downloaded first");
    app.add_option(
           "--over", wanted.over,
           "unix, tcp or both (default: both for w1 to w4, w13 and most of w8, otherwise unix)")
        ->check(CLI::IsMember({"unix", "tcp", "both"}));
    app.add_option("--json", wanted.json_file,
                   "Also write every figure to this file; plot.py draws it")
        ->check(complaint_about_file);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& problem) {
        return app.exit(problem) == 0 ? 0 : wrong_usage;
    }
    if (wanted.quick) wanted.how_much = quick;
    if (rounds) wanted.how_much.rounds = *rounds;
    if (seconds) {
        wanted.how_much.length = std::chrono::milliseconds{std::llround(*seconds * 1000)};
    }
    wanted.workloads = choose(words);
    wanted.growth = words.empty() || std::ranges::find(words, growth_word) != words.end();
    return wanted;
}

}  // namespace pawl::bench
