#include "growth_report.h"

#include "table.h"
#include "text.h"

#include "common/columns.h"

#include <algorithm>
#include <cmath>
#include <ostream>

namespace pawl::bench {
namespace {

// With fewer, the memory of the client itself would be counted as that of its locks.
constexpr std::size_t enough_for_memory = 1000;

constexpr target no_more_than_600{.which = target::bound::at_most, .value = 600};
constexpr target one_per_thousand{.which = target::bound::at_most, .value = 1};
constexpr target flat{.which = target::bound::at_most, .value = 1.2};

std::string cell(double value, int digits)
{
    return std::isnan(value) ? "–" : number(value, digits);
}

std::string_view title(growth_kind what)
{
    switch (what) {
    case growth_kind::held: return "W9: locks held by one client";
    case growth_kind::waiting: return "W9: waiters in one client, each for another lock";
    case growth_kind::waiting_one: return "W9: waiters in one client, all for one lock";
    }
    return "";
}

double per_thousand(const growth_point& at, double value)
{
    return value * 1000 / static_cast<double>(at.count);
}

common::row figures(growth_kind what, const growth_point& at)
{
    const bool enough = at.count >= enough_for_memory;
    const auto bytes = [&](double value) { return enough ? cell(value, 0) : "–"; };
    common::row cells{std::to_string(at.count), bytes(at.resident_bytes), bytes(at.allocated_bytes),
                      bytes(at.with_mutex_bytes)};
    cells.push_back(cell(at.commands, 0));
    cells.push_back(cell(at.replies, 0));
    cells.push_back(enough ? cell(per_thousand(at, at.replies), 2) : "–");
    cells.push_back(cell(at.server_us / static_cast<double>(at.count), 2));
    cells.push_back(cell(at.cycle_us, 0));
    cells.push_back(cell(at.cycle_p99_us, 0));
    cells.push_back(cell(at.cycle_times, 2));
    if (what == growth_kind::held) cells.push_back(cell(at.per_second, 0));
    return cells;
}

// The largest figure of all points with enough locks or waiters.
template <class Figure>
std::optional<double> worst(const growth& what, const Figure& figure)
{
    std::optional<double> found;
    for (const growth_point& each : what.points) {
        const double value = figure(each);
        if (each.count < enough_for_memory || std::isnan(value)) continue;
        found = std::max(found.value_or(value), value);
    }
    return found;
}

std::optional<double> steepest(const growth& what)
{
    if (what.points.empty() || std::isnan(what.points.front().cycle_times)) return std::nullopt;
    const double first = what.points.front().cycle_times;
    return worst(what, [&](const growth_point& at) { return at.cycle_times / first; });
}

}  // namespace

void print_table(std::ostream& out, const growth& what)
{
    const std::string period = number(std::chrono::duration<double>(what.period).count(), 0) + " s";
    out << '\n' << title(what.what) << "; over unix\n";
    common::row heading{"count",      "resident bytes each",   "allocated",
                        "with mutex", "commands in " + period, "replies written",
                        "per 1000",   "server µs each",        "cycle p50 µs",
                        "p99",        "× raw, same commands"};
    if (what.what == growth_kind::held) heading.emplace_back("acquired/s");
    std::vector<common::row> rows{heading};
    for (const growth_point& each : what.points) {
        if (each.failure.empty()) rows.push_back(figures(what.what, each));
    }
    out << common::lay_out(rows);
    for (const growth_point& each : what.points) {
        if (!each.failure.empty()) out << each.count << " failed: " << each.failure << '\n';
    }
    print_targets(out, judge(what));
    out.flush();
}

std::vector<verdict> judge(const growth& what)
{
    const bool held = what.what == growth_kind::held;
    std::vector<verdict> all{
        {.what = &no_more_than_600,
         .text = held ? "≤ 600 bytes per held lock" : "≤ 600 bytes per waiter",
         .reached = worst(what, [](const growth_point& at) { return at.resident_bytes; })}};
    if (held) {
        all.push_back({.what = &one_per_thousand,
                       .text = "renewal ≤ 1 round trip per 1,000 locks",
                       .reached = worst(what, [](const growth_point& at) {
                           return per_thousand(at, at.replies);
                       })});
    }
    all.push_back({.what = &flat,
                   .text = "a cycle at the same time costs ≤ 1.2 × that with one",
                   .reached = steepest(what)});
    return all;
}

}  // namespace pawl::bench
