#include "growth.h"

#include "interruption.h"
#include "server_counts.h"

#include "support/process.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace pawl::bench {
namespace {

using namespace std::chrono_literals;
using json = nlohmann::json;

constexpr auto longest = 10min;

struct description {
    growth_kind what;
    std::string_view word;
    std::size_t most;
};

constexpr std::array descriptions{
    description{growth_kind::held, "held", 1'000'000},
    description{growth_kind::waiting, "waiting", 100'000},
    description{growth_kind::waiting_one, "waiting-one", 100'000},
};

std::vector<std::size_t> sizes(std::size_t most, bool quick)
{
    constexpr std::size_t most_when_quick = 10'000;
    const std::size_t step = quick ? 100 : 10;
    std::vector<std::size_t> found;
    for (std::size_t size = 1; size <= (quick ? std::min(most, most_when_quick) : most);
         size *= step) {
        found.push_back(size);
    }
    return found;
}

growth_point point_of(const std::string& text)
{
    const json data = json::parse(text);
    const auto figure = [&](const char* name) {
        return data.contains(name) && data[name].is_number() ? data[name].get<double>() : unknown;
    };
    return {.count = data.at("count").get<std::size_t>(),
            .per_second = figure("per_second"),
            .resident_bytes = figure("resident_bytes"),
            .allocated_bytes = figure("allocated_bytes"),
            .with_mutex_bytes = figure("with_mutex_bytes"),
            .commands = figure("commands"),
            .replies = figure("replies"),
            .server_us = figure("server_us"),
            .cycle_us = figure("cycle_us"),
            .cycle_p99_us = figure("cycle_p99_us"),
            .cycle_times = figure("cycle_times")};
}

growth_point measure(const growth_task& task)
{
    server_counts{task.url}.flush();
    std::vector<std::string> command{"/proc/self/exe", "growth"};
    for (std::string& word : command_line(task)) command.push_back(std::move(word));
    test::process child{std::move(command)};
    const auto end = std::chrono::steady_clock::now() + longest;
    std::optional<test::ending> ended;
    while (!ended && std::chrono::steady_clock::now() < end) {
        throw_if_interrupted();
        ended = child.wait(200ms);
    }
    if (ended == test::exited(0)) return point_of(child.out());
    std::string why = !ended ? "did not end in time" : child.err();
    while (why.ends_with('\n')) why.pop_back();
    return {.count = task.count, .failure = why.empty() ? "ended without a message" : why};
}

}  // namespace

std::string_view word_of(growth_kind what) noexcept
{
    return std::ranges::find(descriptions, what, &description::what)->word;
}

std::vector<std::string> command_line(const growth_task& task)
{
    return {std::string{word_of(task.what)}, std::to_string(task.count),
            std::to_string(task.lease.count()), std::to_string(task.slice.count()), task.url};
}

growth_task growth_task_of(const std::vector<std::string>& words)
{
    constexpr std::size_t word_count = 5;
    if (words.size() != word_count) throw std::runtime_error{"only pawl_bench starts this"};
    const auto found = std::ranges::find(descriptions, words[0], &description::word);
    if (found == descriptions.end()) throw std::runtime_error{"unknown kind of growth"};
    return {.what = found->what,
            .count = std::stoul(words[1]),
            .lease = std::chrono::milliseconds{std::stol(words[2])},
            .slice = std::chrono::milliseconds{std::stol(words[3])},
            .url = words[4]};
}

std::vector<growth> measure_growth(const std::string& url, bool quick, const progress& tell)
{
    const std::chrono::milliseconds lease = quick ? 6s : 30s;
    std::vector<growth> all;
    for (const description& each : descriptions) {
        growth& found = all.emplace_back(growth{.what = each.what, .period = lease / 3});
        for (const std::size_t size : sizes(each.most, quick)) {
            tell("w9, " + std::string{each.word} + ": " + std::to_string(size));
            found.points.push_back(measure({.what = each.what,
                                            .count = size,
                                            .lease = lease,
                                            .slice = quick ? 30ms : 100ms,
                                            .url = url}));
        }
    }
    return all;
}

}  // namespace pawl::bench
