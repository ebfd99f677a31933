#include "core/quorum/nodes.h"

#include <algorithm>
#include <utility>

namespace pawl::core::quorum {

using base::boot_time;
using std::chrono::microseconds;
using std::chrono::milliseconds;

namespace {

// Other clients may have heard of a clock that is ahead of all that this one knows, by about a round trip.
constexpr microseconds ahead{5'000};

// Before a clock was heard of: after all other waiters. A score of a sorted set holds it exactly.
constexpr ticket last_in_line{node_time{9'000'000'000'000'000}};

constexpr microseconds shortest_limit{50'000};

}  // namespace

milliseconds quarantine(milliseconds longest_lease, double drift)
{
    constexpr milliseconds more{1'000};
    return std::chrono::ceil<milliseconds>(longest_lease * (1 + drift)) + more;
}

nodes::nodes(std::vector<std::string> shown, double drift, milliseconds quarantine)
    : drift_{drift}, quarantine_{quarantine}
{
    for (auto& each : shown) {
        node one;
        one.shown = std::move(each);
        all_.push_back(std::move(one));
    }
}

void nodes::answered(unsigned index, node_time then, boot_time sent, boot_time now)
{
    auto& one = all_[index];
    if (!one.clock.heard(then, sent, now)) {
        one.stepped_until = now + quarantine_;
        warnings_.push_back({.what = node_warning::about::clock_step,
                             .node = one.shown,
                             .text = "the clock of " + one.shown +
                                     " was stepped: its votes do not count for " +
                                     std::to_string(quarantine_.count()) + " ms"});
    }
    answered_without_time(index, sent, now);
}

void nodes::answered_without_time(unsigned index, boot_time sent, boot_time now)
{
    auto& one = all_[index];
    one.answered = true;
    one.problem.reset();
    const auto took = std::chrono::ceil<microseconds>(now - sent);
    one.latency = one.latency ? (*one.latency * 7 + took) / 8 : took;
}

void nodes::compare_clock(unsigned index, node_time then, boot_time sent, boot_time now,
                          node_time wall)
{
    // The node executed the request about half-way.
    const auto since = std::chrono::duration_cast<microseconds>(now - sent) / 2;
    all_[index].clock_difference = then - (wall - since);
}

void nodes::failed(unsigned index, const failure& why)
{
    all_[index].problem = why;
}

void nodes::connected(unsigned index, const std::string& run_id)
{
    auto& one = all_[index];
    if (run_id.empty() || one.run_id == run_id) return;
    // Another process. Its clock may be another one too: it is not compared with the old one.
    if (!one.run_id.empty()) {
        one.clock = {};
        one.clock_difference.reset();
    }
    one.run_id = run_id;
    find_duplicates();
}

void nodes::find_duplicates()
{
    for (unsigned i = 0; i < size(); ++i) {
        const auto same = [&](const node& other) { return other.run_id == all_[i].run_id; };
        const auto before = all_.begin() + i;
        const auto found = std::find_if(all_.begin(), before, same);
        const bool duplicate = !all_[i].run_id.empty() && found != before;
        if (duplicate && !all_[i].duplicate) {
            warnings_.push_back({.what = node_warning::about::same_server,
                                 .node = all_[i].shown,
                                 .text = found->shown + " and " + all_[i].shown +
                                         " are the same server: its vote counts once"});
        }
        all_[i].duplicate = duplicate;
    }
}

void nodes::quarantined(unsigned index, milliseconds left, boot_time now)
{
    all_[index].quarantined_until = left.count() > 0 ? now + left : boot_time{};
}

void nodes::seen(std::uint64_t number) noexcept
{
    last_number_ = std::max(last_number_, number);
}

std::vector<node_warning> nodes::take_warnings()
{
    return std::exchange(warnings_, {});
}

bool nodes::may_elect(unsigned index, boot_time now) const
{
    return is_counted(index) && now >= all_[index].stepped_until;
}

unsigned nodes::reachable() const noexcept
{
    const auto answers = [](const node& each) { return !each.problem; };
    return static_cast<unsigned>(std::ranges::count_if(all_, answers));
}

std::optional<node_time> nodes::greatest_clock(boot_time now) const
{
    std::optional<node_time> greatest;
    for (const auto& each : all_) greatest = std::max(greatest, each.clock.at(now));
    return greatest;
}

std::uint64_t nodes::proposal(boot_time now) const
{
    const auto clock = greatest_clock(now);
    if (!clock) return 0;
    const auto number = std::max<node_time::rep>((*clock + ahead).count(), 1);
    return std::max(static_cast<std::uint64_t>(number), last_number_ + 1);
}

ticket nodes::new_ticket(boot_time now) const
{
    const auto clock = greatest_clock(now);
    return clock ? ticket{*clock} : last_in_line;
}

microseconds nodes::limit(milliseconds lease) const
{
    return std::max({microseconds{lease} / 200, shortest_limit, 4 * round_trip()});
}

microseconds nodes::round_trip() const
{
    std::vector<microseconds> all;
    for (const auto& each : all_) {
        if (each.latency && !each.problem) all.push_back(*each.latency);
    }
    if (all.empty()) return {};
    std::ranges::sort(all);
    return all[std::min<std::size_t>(majority(), all.size()) - 1];
}

}  // namespace pawl::core::quorum
