// The functions of <pawl/metrics.h>.
#include <pawl/metrics.h>

#include <algorithm>

namespace pawl {

using std::chrono::nanoseconds;

std::string_view to_string(grant_way how) noexcept
{
    switch (how) {
    case grant_way::free: return "free";
    case grant_way::handed_over: return "handed over";
    case grant_way::passed_on: return "passed on";
    case grant_way::lingered: return "lingered";
    case grant_way::joined: return "joined";
    case grant_way::re_entered: return "re-entered";
    case grant_way::changed: return "changed";
    case grant_way::woken: return "woken";
    }
    return "unknown";
}

nanoseconds histogram::mean() const noexcept
{
    return count == 0 ? nanoseconds{0} : sum / static_cast<nanoseconds::rep>(count);
}

nanoseconds histogram::quantile(double share) const noexcept
{
    if (count == 0) return nanoseconds{0};
    const auto bounded = std::clamp(share, 0.0, 1.0);
    const auto wanted = static_cast<std::uint64_t>(bounded * static_cast<double>(count));
    std::uint64_t seen = 0;
    for (const auto& each : buckets) {
        seen += each.count;
        if (seen > wanted) return each.up_to;
    }
    return buckets.back().up_to;
}

std::uint64_t histogram::count_up_to(nanoseconds limit) const noexcept
{
    std::uint64_t seen = 0;
    for (const auto& each : buckets) {
        if (each.up_to > limit) break;
        seen += each.count;
    }
    return seen;
}

double queue_metrics::mean() const noexcept
{
    return joined == 0 ? 0 : static_cast<double>(waiters) / static_cast<double>(joined);
}

std::uint64_t lock_metrics::attempts() const noexcept
{
    const auto not_asked_for = granted[grant_way::changed] + granted[grant_way::woken];
    return granted.total() - not_asked_for + not_granted.total();
}

std::uint64_t lock_metrics::held() const noexcept
{
    // A snapshot is not made in one step, so it may have the end of a hold without its grant.
    const auto begun = granted.total() - granted[grant_way::re_entered];
    return begun - std::min(begun, hold.count);
}

}  // namespace pawl
