#include "doctor/timing.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace pawl::doctor {
namespace {

std::chrono::nanoseconds length(const sample& of)
{
    return of.received - of.sent;
}

base::boot_time middle(const sample& of)
{
    return of.sent + length(of) / 2;
}

const sample& shortest_of(std::span<const sample> samples)
{
    return *std::ranges::min_element(samples, {}, length);
}

// Half the round trip, and the µs to which the server rounds.
microseconds error_of(const sample& of)
{
    return std::chrono::ceil<microseconds>(length(of) / 2) + microseconds{1};
}

}  // namespace

std::optional<round_trips> round_trips_in(const std::vector<sample>& samples)
{
    if (samples.empty()) return std::nullopt;
    std::vector<microseconds> all;
    all.reserve(samples.size());
    for (const sample& each : samples) {
        all.push_back(std::chrono::round<microseconds>(length(each)));
    }
    std::ranges::sort(all);
    const auto at = [&](std::size_t percent) { return all[(all.size() - 1) * percent / 100]; };
    return round_trips{all.front(), at(50), at(99), all.back()};
}

std::optional<estimate> clock_difference(const std::vector<sample>& samples)
{
    if (samples.empty()) return std::nullopt;
    const sample& best = shortest_of(samples);
    return estimate{best.server_time - best.local_time, error_of(best)};
}

// The best sample of the first third is compared with the best one of the last third.
std::optional<drift> drift_in(const std::vector<sample>& samples)
{
    constexpr std::size_t enough = 6;
    if (samples.size() < enough) return std::nullopt;
    const std::span<const sample> all{samples};
    const sample& first = shortest_of(all.first(all.size() / 3));
    const sample& last = shortest_of(all.last(all.size() / 3));
    const auto here = std::chrono::duration<double>{middle(last) - middle(first)}.count();
    if (here <= 0) return std::nullopt;
    const auto there = std::chrono::duration<double>{last.server_time - first.server_time}.count();
    const auto error = std::chrono::duration<double>{error_of(first) + error_of(last)}.count();
    return drift{there / here - 1, error / here};
}

}  // namespace pawl::doctor
