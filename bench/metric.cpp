#include "metric.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

namespace pawl::bench {
namespace {

// Nothing out of nothing is nothing, and not "not a number": JSON has no word for that.
double ratio(double above, double below)
{
    return below > 0 ? above / below : 0;
}

double grants(const round_result& round)
{
    return static_cast<double>(
        std::accumulate(round.grants.begin(), round.grants.end(), std::uint64_t{0}));
}

template <histogram round_result::* Which>
double p50(const round_result& round)
{
    return static_cast<double>((round.*Which).quantile(0.5)) / 1000;
}

template <histogram round_result::* Which>
double p99(const round_result& round)
{
    return static_cast<double>((round.*Which).quantile(0.99)) / 1000;
}

template <histogram round_result::* Which>
double max(const round_result& round)
{
    return static_cast<double>((round.*Which).max()) / 1000;
}

double fairness(const round_result& round)
{
    const auto [least, most] = std::ranges::minmax(round.grants);
    return ratio(static_cast<double>(least), static_cast<double>(most));
}

double wait_p50_in_round_trips(const round_result& round)
{
    return ratio(p50<&round_result::wait>(round), p50<&round_result::round_trip>(round));
}

double wait_p99_in_round_trips(const round_result& round)
{
    return ratio(p99<&round_result::wait>(round), p50<&round_result::round_trip>(round));
}

constexpr bool median = false;
constexpr bool largest = true;

const std::array descriptions{
    metric_description{metric::grants_per_second, "grants_per_second", "grants/s", 0, median,
                       [](const round_result& r) { return ratio(grants(r), r.seconds); }},
    metric_description{
        metric::hand_offs_per_second, "hand_offs_per_second", "hand-offs/s", 0, median,
        [](const round_result& r) { return ratio(static_cast<double>(r.hand_offs), r.seconds); }},
    metric_description{metric::commands_per_grant, "commands_per_grant", "commands/grant", 2,
                       median,
                       [](const round_result& r) { return ratio(r.load.commands, grants(r)); }},
    metric_description{metric::server_us_per_grant, "server_us_per_grant", "server µs/grant", 1,
                       median, [](const round_result& r) { return ratio(r.load.us, grants(r)); }},
    metric_description{metric::fairness, "fairness", "min/max", 2, median, fairness},
    metric_description{metric::wait_p50, "wait_p50_us", "wait p50 µs", 0, median,
                       p50<&round_result::wait>},
    metric_description{metric::wait_p99, "wait_p99_us", "p99", 0, median, p99<&round_result::wait>},
    metric_description{metric::wait_max, "wait_max_us", "max", 0, largest,
                       max<&round_result::wait>},
    metric_description{metric::hand_off_p50, "hand_off_p50_us", "hand-off p50 µs", 0, median,
                       p50<&round_result::hand_off>},
    metric_description{metric::hand_off_p99, "hand_off_p99_us", "p99", 0, median,
                       p99<&round_result::hand_off>},
    metric_description{metric::hand_off_max, "hand_off_max_us", "max", 0, largest,
                       max<&round_result::hand_off>},
    metric_description{metric::round_trip_p50, "round_trip_p50_us", "PING p50 µs", 0, median,
                       p50<&round_result::round_trip>},
    metric_description{metric::wait_p50_in_round_trips, "wait_p50_round_trips",
                       "wait p50, round trips", 2, median, wait_p50_in_round_trips},
    metric_description{metric::wait_p99_in_round_trips, "wait_p99_round_trips", "p99", 2, median,
                       wait_p99_in_round_trips},
};

}  // namespace

const metric_description& describe(metric what)
{
    const auto found = std::ranges::find(descriptions, what, &metric_description::what);
    if (found == descriptions.end()) throw std::logic_error{"a metric that nobody describes"};
    return *found;
}

summary summarize(std::vector<double> values)
{
    if (values.empty()) return {};
    std::ranges::sort(values);
    const std::size_t half = values.size() / 2;
    const double middle =
        values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
    return {.median = middle, .least = values.front(), .most = values.back()};
}

}  // namespace pawl::bench
