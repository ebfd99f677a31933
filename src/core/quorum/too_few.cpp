#include "core/quorum/too_few.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace pawl::core::quorum {
namespace {

using std::chrono::microseconds;

std::string in_seconds(std::chrono::milliseconds span)
{
    return std::to_string(std::chrono::ceil<std::chrono::seconds>(span).count()) + " s";
}

// With one digit after the point: the latencies of near nodes are less than a millisecond.
std::string with_tenths(microseconds span)
{
    constexpr std::chrono::seconds second{1};
    const bool is_long = span >= second;
    const microseconds unit = is_long ? second : std::chrono::milliseconds{1};
    const auto tenths = (span + unit / 20) / (unit / 10);
    return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10) +
           (is_long ? " s" : " ms");
}

// What is known of the node from its answers. Empty if it has never answered.
std::string figures_of(const node& which)
{
    std::string text;
    if (which.latency) text = with_tenths(*which.latency);
    if (const auto ahead = which.clock_difference) {
        if (!text.empty()) text += ", ";
        text += (ahead->count() < 0 ? '-' : '+') + with_tenths(std::chrono::abs(*ahead));
    }
    return text.empty() ? text : " (" + text + ')';
}

std::string detail_of(const failure& problem)
{
    return problem.detail.empty() ? "no answer" : problem.detail;
}

// Why the node cannot vote. Empty if it can.
std::string text_of(const node& which, const node_problem& problem)
{
    if (which.duplicate) return "the same server as another node";
    if (problem.returning) {
        // The node has not answered that try, or not its return.
        if (!which.problem) return "no answer to an earlier try, which is being given back";
        return detail_of(*which.problem) + ", and an earlier try is being given back";
    }
    if (problem.what) return detail_of(*problem.what);
    if (problem.quarantine) {
        return "in quarantine for " + in_seconds(*problem.quarantine) +
               ": it is new or was restarted";
    }
    if (problem.stepped) {
        return "its clock was stepped, so its votes do not count for " +
               in_seconds(*problem.stepped);
    }
    return problem.silent ? "no answer yet" : "";
}

// What the nodes themselves say, and which of them, if so many say it that no majority is left.
std::optional<failure> said_by_most(const nodes& all, const std::vector<node_problem>& problems,
                                    failure_kind kind)
{
    const auto is_kind = [&](const auto& each) { return each.what && each.what->what == kind; };
    if (std::ranges::count_if(problems, is_kind) <= all.size() - all.majority())
        return std::nullopt;
    auto got = *std::ranges::find_if(problems, is_kind)->what;
    for (unsigned i = 0, named = 0; i < all.size(); ++i) {
        if (is_kind(problems[i])) got.detail += (named++ == 0 ? "; at " : ", ") + all[i].shown;
    }
    return got;
}

// What is wrong at the nodes, and how many of them can vote.
struct summary {
    std::string texts;
    unsigned able = 0;
};

summary summary_of(const nodes& all, const std::vector<node_problem>& problems)
{
    summary got;
    for (unsigned i = 0; i < all.size(); ++i) {
        auto text = text_of(all[i], problems[i]);
        if (text.empty()) {
            ++got.able;
            text = problems[i].no_vote;
        }
        if (text.empty()) continue;
        got.texts += (got.texts.empty() ? "" : "; ") + all[i].shown + ": " + text;
        got.texts += figures_of(all[i]);
    }
    return got;
}

}  // namespace

std::string_view why_no_vote(hold_status said) noexcept
{
    switch (said) {
    case hold_status::done: break;
    case hold_status::vanished: return "no vote for this holder";
    case hold_status::taken: return "another holder has its vote";
    case hold_status::not_a_lock: return "its key is not a lock";
    }
    return {};
}

std::string problems_of(const nodes& all, const std::vector<node_problem>& problems)
{
    return summary_of(all, problems).texts;
}

std::string problems_if_missing(const nodes& all, const std::vector<node_problem>& problems)
{
    for (unsigned i = 0; i < all.size(); ++i) {
        if (!text_of(all[i], problems[i]).empty()) return problems_of(all, problems);
    }
    return {};
}

failure too_few(const nodes& all, const std::vector<node_problem>& problems)
{
    const auto spare = all.size() - all.majority();
    for (const auto kind : {failure_kind::refused, failure_kind::not_a_lock}) {
        if (auto said = said_by_most(all, problems, kind)) return *said;
    }
    const auto seen = summary_of(all, problems);
    const auto is_absent = [](const node_problem& each) {
        return (each.what && each.what->no_server) || each.quarantine || each.stepped;
    };
    failure got{.what = failure_kind::no_quorum,
                .detail = std::to_string(seen.able) + " of " + std::to_string(all.size()) +
                          " nodes can vote, " + std::to_string(all.majority()) + " are needed"};
    if (!seen.texts.empty()) got.detail += "; " + seen.texts;
    got.no_server = std::ranges::count_if(problems, is_absent) > spare;
    return got;
}

}  // namespace pawl::core::quorum
