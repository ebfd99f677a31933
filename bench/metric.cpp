#include "metric.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace pawl::bench {
namespace {

double ratio(double above, double below)
{
    return below > 0 ? above / below : unknown;
}

double grants(const round_result& round)
{
    return static_cast<double>(
        std::accumulate(round.grants.begin(), round.grants.end(), std::uint64_t{0}));
}

double fairness(const round_result& round)
{
    if (round.grants.size() < 2) return unknown;
    const auto [least, most] = std::ranges::minmax(round.grants);
    return ratio(static_cast<double>(least), static_cast<double>(most));
}

constexpr bool median = false;
constexpr bool largest = true;

using result = round_result;

const std::array descriptions{
    metric_description{metric::grants_per_second, "grants_per_second", "grants/s", 0, median,
                       [](const result& r) { return ratio(grants(r), r.seconds); }},
    metric_description{metric::ns_per_grant, "ns_per_grant", "ns/grant", 0, median,
                       [](const result& r) { return ratio(r.seconds * 1e9, grants(r)); }},
    metric_description{metric::hand_offs_per_second, "hand_offs_per_second", "hand-offs/s", 0,
                       median, [](const result& r) { return ratio(r.hand_offs, r.seconds); }},
    metric_description{metric::commands_per_grant, "commands_per_grant", "commands/grant", 2,
                       median, [](const result& r) { return ratio(r.load.commands, grants(r)); }},
    metric_description{metric::server_us_per_grant, "server_us_per_grant", "server µs/grant", 1,
                       median, [](const result& r) { return ratio(r.load.us, grants(r)); }},
    metric_description{metric::server_cpu_us_per_grant, "server_cpu_us_per_grant", "server CPU µs",
                       1, median, [](const result& r) { return ratio(r.load.cpu_us, grants(r)); }},
    metric_description{metric::client_cpu_us_per_grant, "client_cpu_us_per_grant", "client CPU µs",
                       1, median,
                       [](const result& r) { return ratio(r.client_cpu_us, grants(r)); }},
    metric_description{metric::fairness, "fairness", "min/max", 2, median, fairness},
    metric_description{metric::cycle_p50, "cycle_p50_us", "cycle p50 µs", 0, median,
                       [](const result& r) { return r.cycle.p50_us; }},
    metric_description{metric::cycle_p99, "cycle_p99_us", "p99", 0, median,
                       [](const result& r) { return r.cycle.p99_us; }},
    metric_description{metric::wait_p50, "wait_p50_us", "wait p50 µs", 0, median,
                       [](const result& r) { return r.wait.p50_us; }},
    metric_description{metric::wait_p99, "wait_p99_us", "p99", 0, median,
                       [](const result& r) { return r.wait.p99_us; }},
    metric_description{metric::wait_max, "wait_max_us", "max", 0, largest,
                       [](const result& r) { return r.wait.max_us; }},
    metric_description{metric::hand_off_p50, "hand_off_p50_us", "hand-off p50 µs", 0, median,
                       [](const result& r) { return r.hand_off.p50_us; }},
    metric_description{metric::hand_off_p99, "hand_off_p99_us", "p99", 0, median,
                       [](const result& r) { return r.hand_off.p99_us; }},
    metric_description{metric::hand_off_max, "hand_off_max_us", "max", 0, largest,
                       [](const result& r) { return r.hand_off.max_us; }},
    metric_description{metric::round_trip_p50, "round_trip_p50_us", "PING p50 µs", 0, median,
                       [](const result& r) { return r.round_trip.p50_us; }},
    metric_description{metric::wait_p50_in_round_trips, "wait_p50_round_trips",
                       "wait p50, round trips", 2, median,
                       [](const result& r) { return ratio(r.wait.p50_us, r.round_trip.p50_us); }},
    metric_description{metric::wait_p99_in_round_trips, "wait_p99_round_trips", "p99", 2, median,
                       [](const result& r) { return ratio(r.wait.p99_us, r.round_trip.p50_us); }},
    metric_description{metric::last_released_p50, "last_released_p50_us", "last p50 µs", 0, median,
                       [](const result& r) { return r.cycle.p50_us; }},
    metric_description{metric::last_released_p99, "last_released_p99_us", "p99", 0, median,
                       [](const result& r) { return r.cycle.p99_us; }},
    metric_description{metric::each_released_p50, "each_released_p50_us", "each p50 µs", 0, median,
                       [](const result& r) { return r.hand_off.p50_us; }},
};

}  // namespace

const metric_description& describe(metric what)
{
    const auto found = std::ranges::find(descriptions, what, &metric_description::what);
    if (found == descriptions.end()) throw std::logic_error{"a metric without a description"};
    return *found;
}

std::optional<summary> summarize(std::vector<double> values)
{
    std::erase_if(values, [](double value) { return std::isnan(value); });
    if (values.empty()) return std::nullopt;
    std::ranges::sort(values);
    const std::size_t half = values.size() / 2;
    const double middle =
        values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
    return summary{.median = middle, .least = values.front(), .most = values.back()};
}

}  // namespace pawl::bench
