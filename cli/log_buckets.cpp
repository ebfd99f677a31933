#include "log_buckets.h"

#include <algorithm>
#include <array>
#include <span>

namespace pawl::cli {
namespace {

using std::chrono::nanoseconds;
using bounds = std::vector<nanoseconds>;

// Renard's preferred numbers, times ten: 20, 10 and 5 steps to a decade; then 1, 2, 5.
constexpr std::array r20{10, 11, 12, 14, 16, 18, 20, 22, 25, 28,
                         32, 36, 40, 45, 50, 56, 63, 71, 80, 90};
constexpr std::array r10{10, 12, 16, 20, 25, 32, 40, 50, 63, 80};
constexpr std::array r5{10, 16, 25, 40, 63};
constexpr std::array banknotes{10, 20, 50};
constexpr std::array decades{10};
using series = std::span<const int>;
constexpr std::array<series, 5> finest_first{r20, r10, r5, banknotes, decades};

constexpr nanoseconds longest{100'000'000'000};

// From the last bound that is not above `low` to the first that is above `high`.
[[nodiscard]] bounds bounds_of(series steps, nanoseconds low, nanoseconds high)
{
    bounds result{nanoseconds::zero()};
    for (nanoseconds::rep scale = 1; result.back() <= high; scale *= 10) {
        for (const int step : steps) {
            const nanoseconds bound{step * scale};
            if (bound <= low) {
                result.back() = bound;
            } else if (result.back() <= high) {
                result.push_back(bound);
            }
        }
    }
    return result;
}

[[nodiscard]] bounds choose(nanoseconds low, nanoseconds high, std::size_t most)
{
    for (const series steps : finest_first) {
        bounds found = bounds_of(steps, low, high);
        if (found.size() - 1 <= most) return found;
    }
    // Even whole decades need more lines than allowed.
    return {low, high + nanoseconds{1}};
}

}  // namespace

std::vector<log_bucket> log_buckets(const common::latency_histogram& times, std::size_t most)
{
    if (times.count() == 0) return {};
    const nanoseconds low = std::min(times.min(), longest);
    const nanoseconds high = std::min(times.quantile(0.99), longest);
    const bounds edges = choose(low, high, most - 1);
    std::vector<log_bucket> result;
    std::uint64_t seen = 0;
    for (std::size_t i = 1; i < edges.size(); ++i) {
        const std::uint64_t below = times.count_below(edges[i]);
        result.push_back({edges[i - 1], edges[i], below - seen});
        seen = below;
    }
    if (seen < times.count()) {
        result.push_back({edges.back(), std::max(times.max(), edges.back()), times.count() - seen});
    }
    return result;
}

}  // namespace pawl::cli
