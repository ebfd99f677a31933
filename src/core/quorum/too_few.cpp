#include "core/quorum/too_few.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace pawl::core::quorum {
namespace {

std::string in_seconds(std::chrono::milliseconds span)
{
    return std::to_string(std::chrono::ceil<std::chrono::seconds>(span).count()) + " s";
}

// Why the node cannot vote. Empty if it can.
std::string text_of(const node& which, const node_problem& problem)
{
    if (which.duplicate) return "the same server as another node";
    if (problem.returning) return "an earlier try is being given back";
    if (problem.what) return problem.what->detail.empty() ? "no answer" : problem.what->detail;
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

// Why the node has no vote for the holder. Empty if it has one.
std::string text_of(hold_status status)
{
    switch (status) {
    case hold_status::done: return "";
    case hold_status::not_a_lock: return "the key is not a lock";
    case hold_status::vanished:
    case hold_status::taken: break;
    }
    return "no vote for this holder";
}

void append(std::string& list, const node& which, const std::string& text)
{
    list += (list.empty() ? "" : "; ") + which.shown + ": " + text;
}

}  // namespace

std::string problems_of(const nodes& all, const std::vector<node_problem>& problems)
{
    std::string list;
    for (unsigned i = 0; i < all.size(); ++i) {
        auto text = text_of(all[i], problems[i]);
        if (text.empty() && problems[i].status) text = text_of(*problems[i].status);
        if (!text.empty()) append(list, all[i], text);
    }
    return list;
}

failure too_few(const nodes& all, const std::vector<node_problem>& problems)
{
    const auto spare = all.size() - all.majority();
    for (const auto kind : {failure_kind::refused, failure_kind::not_a_lock}) {
        if (auto said = said_by_most(all, problems, kind)) return *said;
    }
    unsigned good = 0;
    unsigned absent = 0;
    std::string texts;
    for (unsigned i = 0; i < all.size(); ++i) {
        const auto text = text_of(all[i], problems[i]);
        if (text.empty()) {
            ++good;
        } else {
            append(texts, all[i], text);
        }
        const bool no_server = problems[i].what && problems[i].what->no_server;
        if (no_server || problems[i].quarantine || problems[i].stepped) ++absent;
    }
    failure got{.what = failure_kind::no_quorum,
                .detail = std::to_string(good) + " of " + std::to_string(all.size()) +
                          " nodes can vote, " + std::to_string(all.majority()) + " are needed"};
    if (!texts.empty()) got.detail += "; " + texts;
    got.no_server = absent > spare;
    return got;
}

}  // namespace pawl::core::quorum
