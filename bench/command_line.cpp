#include "command_line.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace pawl::bench {
namespace {

constexpr int wrong_usage = 64;  // as of the pawl command
constexpr std::string_view growth_word = "w9";

std::string workload_words()
{
    std::string words;
    for (const workload& each : all_workloads()) {
        words += (words.empty() ? "" : ", ") + std::string{each.word};
    }
    return words + ", " + std::string{growth_word};
}

// Its own word, or the beginning of several: w5 is w5-greedy and w5-strict.
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
    return known ? "" : "there is no workload '" + word + "'; there are: " + workload_words();
}

// At once and not after minutes of measuring. What is there stays as it is.
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
    // Peers are reached over TCP: where they take part, all do it that way.
    return {peers && !what.peer_word.empty() ? "tcp" : "unix"};
}

std::variant<settings, int> parse_command_line(int argc, const char* const* argv)
{
    constexpr effort quick{.rounds = 3, .length = std::chrono::milliseconds{300}};
    settings wanted;
    std::optional<unsigned> rounds;
    std::optional<double> seconds;
    std::vector<std::string> words;
    CLI::App app{"Measures pawl, and what it is compared with, on a redis-server of its own."};
    app.name("pawl_bench");
    app.add_option("workload", words, "All, or of " + workload_words())
        ->check(complaint_about_workload);
    app.add_option("--only", words, "The same, with commas between them")
        ->delimiter(',')
        ->check(complaint_about_workload);
    app.add_option("--rounds", rounds, "Rounds, in which contenders alternate; 9")
        ->check(CLI::Range(1, 1000));
    app.add_option("--seconds", seconds, "Length of a round of one contender; 1")
        ->check(CLI::Range(0.05, 600.0));
    app.add_flag("--quick", wanted.quick, "3 rounds of 0.3 s: to see that it works");
    app.add_flag("--pinned", wanted.pinned, "Everything on one processor, the server too");
    app.add_flag("--peers", wanted.peers, "Other libraries, too: they are downloaded first");
    app.add_option("--over", wanted.over, "unix, tcp or both; unset: both for w1 to w4, else unix")
        ->check(CLI::IsMember({"unix", "tcp", "both"}));
    app.add_option("--json", wanted.json_file,
                   "Write every figure to this file, too; plot.py draws it")
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
