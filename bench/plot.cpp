#include "plot.h"

#include "bar_chart.h"
#include "line_chart.h"
#include "svg.h"

#include <cmath>
#include <filesystem>

namespace pawl::bench {
namespace {

std::string_view colour_of(contender kind)
{
    switch (kind) {
    case contender::peer: return colour::theirs;
    case contender::raw_same:
    case contender::raw_least:
    case contender::raw_publish:
    case contender::raw_hand_off:
    case contender::std_mutex: return colour::limit;
    default: return colour::ours;
    }
}

void draw(const comparison& result, const std::string& path)
{
    const metric first = result.what->metrics.front();
    bar_chart chart{.title = std::string{result.what->title} + ", over " + result.over,
                    .unit = std::string{describe(first).heading},
                    .bars = {}};
    for (const contestant& each : result.contestants) {
        const auto found = each.of(first);
        if (!found || !each.failure.empty()) continue;
        chart.bars.push_back({.label = each.title,
                              .value = found->median,
                              .least = found->least,
                              .most = found->most,
                              .colour = colour_of(each.kind)});
    }
    if (!chart.bars.empty()) write(chart, path);
}

struct look {
    std::string_view label;
    std::string_view colour;
};

look look_of(growth_kind what)
{
    switch (what) {
    case growth_kind::held: return {.label = "held locks", .colour = colour::ours};
    case growth_kind::waiting: return {.label = "waiters, a lock each", .colour = colour::theirs};
    case growth_kind::waiting_one: return {.label = "waiters, one lock", .colour = colour::third};
    }
    return {};
}

template <class Figure>
void draw(const std::vector<growth>& all, line_chart chart, std::size_t from, const Figure& figure,
          const std::string& path)
{
    for (const growth& each : all) {
        const look drawn = look_of(each.what);
        series& line = chart.lines.emplace_back(
            series{.label = std::string{drawn.label}, .colour = drawn.colour, .points = {}});
        for (const growth_point& at : each.points) {
            const double value = figure(at);
            if (at.count < from || std::isnan(value)) continue;
            line.points.push_back({.x = static_cast<double>(at.count), .y = value});
        }
    }
    write(chart, path);
}

}  // namespace

void write_plots(const std::string& directory, const settings& wanted, const run_results& all)
{
    std::filesystem::create_directories(directory);
    const auto path = [&](const std::string& name) {
        return directory + "/" + name + (wanted.pinned ? "-pinned" : "") + ".svg";
    };
    for (const comparison& each : all.comparisons) {
        draw(each, path(std::string{each.what->word} + "-" + each.over));
    }
    if (all.growths.empty()) return;
    constexpr std::size_t enough_for_memory = 1000;
    draw(
        all.growths,
        {.title = "W9: memory of the client for each, bytes", .target = 600, .lines = {}},
        enough_for_memory, [](const growth_point& at) { return at.resident_bytes; },
        path("w9-memory"));
    draw(
        all.growths,
        {.title = "W9: cost of a cycle beside them, in that of a raw socket with the same commands",
         .target = 0,
         .lines = {}},
        1, [](const growth_point& at) { return at.cycle_times; }, path("w9-cycle"));
}

}  // namespace pawl::bench
