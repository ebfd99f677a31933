// The sentinels of the URL, and what they say about the service.
#include "doctor/checks.h"
#include "doctor/writing.h"

#include <algorithm>
#include <chrono>
#include <set>

namespace pawl::doctor {
namespace {

using sentinels = std::vector<sentinel_facts>;

// The sentinels that answered.
std::vector<const sentinel_facts*> answering(const sentinels& all)
{
    std::vector<const sentinel_facts*> got;
    for (const auto& each : all) {
        if (each.problem.empty() && !each.primary.empty()) got.push_back(&each);
    }
    return got;
}

// The different values of a field.
std::set<std::string> values_of(const sentinels& all, std::string_view field)
{
    std::set<std::string> got;
    for (const auto* each : answering(all)) got.insert(each->primary.text(field).value_or("?"));
    return got;
}

std::string joined(const std::set<std::string>& values)
{
    return listed({values.begin(), values.end()});
}

// How many sentinels watch the service: the one that answers, and the others that it knows.
std::int64_t count_of(const sentinels& all)
{
    std::int64_t most = 0;
    for (const auto* each : answering(all)) {
        most = std::max(most, bounded(each->primary.number("num-other-sentinels").value_or(0)) + 1);
    }
    return most;
}

std::int64_t greatest(const sentinels& all, std::string_view field)
{
    std::int64_t most = 0;
    for (const auto* each : answering(all)) {
        most = std::max(most, bounded(each->primary.number(field).value_or(0)));
    }
    return most;
}

}  // namespace

findings check_sentinels(const sentinels& all)
{
    const subject about{"sentinels"};
    findings got;
    for (const auto& each : all) {
        if (each.problem.empty()) continue;
        got.push_back(
            found(severity::warning, {"sentinels", each.server}, each.problem,
                  "clients may hear too late of a failover, and the others may be too few "
                  "for one",
                  "check that this sentinel runs and can be reached; for its rights see "
                  "docs/topologies/sentinel.md"));
    }
    const auto count = count_of(all);
    if (count == 0) return got;
    const std::string seen =
        counted(static_cast<std::size_t>(count), "sentinel watches", "sentinels watch") +
        " the service";
    if (count < 3) {
        got.push_back(found(severity::warning, about, seen,
                            "a failover needs a majority of the sentinels: with one or two, the "
                            "failure of a single machine can prevent it",
                            "run three sentinels or more, on different machines"));
    } else if (static_cast<std::size_t>(count) > all.size()) {
        got.push_back(
            found(severity::note, about, seen + ", and the URL names " + std::to_string(all.size()),
                  "pawl asks and hears only those in the URL", "name all sentinels in the URL"));
    } else if (got.empty()) {
        got.push_back(fine(about, seen));
    }
    return got;
}

findings check_sentinel_agreement(const sentinels& all)
{
    const subject about{"sentinel-agreement"};
    if (answering(all).empty()) return {};
    std::set<std::string> primaries;
    for (const auto* each : answering(all)) {
        primaries.insert(each->primary.text("ip").value_or("?") + ':' +
                         each->primary.text("port").value_or("?"));
    }
    if (primaries.size() > 1) {
        return {found(severity::fault, about, "they name " + joined(primaries),
                      "clients that reach different sentinels may use different primaries",
                      "wait if a failover is under way; otherwise use SENTINEL RESET at those that "
                      "are wrong")};
    }
    for (const auto* field : {"quorum", "down-after-milliseconds", "num-other-sentinels"}) {
        const auto values = values_of(all, field);
        if (values.size() < 2) continue;
        return {
            found(severity::warning, about,
                  "they differ in " + std::string{field} + ": " + joined(values),
                  "whether and when a failover begins depends on which sentinel leads it",
                  "give all sentinels the same settings, and check that they reach each other")};
    }
    return {fine(about, "all name " + joined(primaries))};
}

findings check_sentinel_quorum(const sentinels& all)
{
    const subject about{"sentinel-quorum"};
    const auto count = count_of(all);
    if (count == 0) return {};
    const auto quorum = greatest(all, "quorum");
    const std::string seen =
        "quorum " + std::to_string(quorum) + " of " + std::to_string(count) + " sentinels";
    if (quorum > count) {
        return {found(severity::fault, about, seen,
                      "they can never agree that the primary is down, so there is no failover",
                      "lower the quorum: SENTINEL SET SERVICE quorum N")};
    }
    if (quorum * 2 <= count) {
        return {found(severity::note, about, seen,
                      "a minority that is cut off may declare the primary down. A failover still "
                      "needs a majority, but can begin without need",
                      "set the quorum to a majority: SENTINEL SET SERVICE quorum N")};
    }
    return {fine(about, seen)};
}

findings check_sentinel_timeout(const sentinels& all, const circumstances& at)
{
    const subject about{"sentinel-timeout"};
    if (answering(all).empty()) return {};
    const std::chrono::milliseconds timeout{greatest(all, "down-after-milliseconds")};
    const std::string seen =
        "down-after-milliseconds " + std::to_string(timeout.count()) + " (" + span(timeout) + ")";
    if (timeout < at.command_limit) return {fine(about, seen)};
    return {found(severity::warning, about, seen,
                  "a failover begins only after this time. Calls give up earlier, after "
                  "command_limit (" +
                      span(at.command_limit) +
                      "), and locks are lost if their lease is "
                      "not longer",
                  "lower down-after-milliseconds, or raise client_options::command_limit")};
}

findings check_sentinel_replicas(const sentinels& all)
{
    const subject about{"sentinel-replicas"};
    if (answering(all).empty()) return {};
    const auto count = greatest(all, "num-slaves");
    const std::string seen =
        counted(static_cast<std::size_t>(count), "replica", "replicas") + " of the primary";
    if (count == 0) {
        return {found(severity::fault, about, seen, "there is no server for a failover",
                      "add two replicas")};
    }
    if (count == 1) {
        return {found(severity::note, about, seen,
                      "after a failover the new primary has no replica, and min-replicas-to-write "
                      "would make it refuse locks",
                      "add a second replica")};
    }
    return {fine(about, seen)};
}

findings check_sentinel_primary(const sentinels& all)
{
    const subject about{"sentinel-primary"};
    for (const auto* each : answering(all)) {
        const auto flags = each->primary.text("flags").value_or("master");
        const bool is_down = flags.find("down") != std::string::npos;
        const bool moves = flags.find("failover") != std::string::npos;
        if (!is_down && !moves) continue;
        return {found(severity::fault, {"sentinel-primary", each->server},
                      "the sentinel says of the primary: " + flags,
                      moves ? "a failover is under way: no lock can be taken until it has ended"
                            : "a failover may begin",
                      "wait for its end, and look into the logs of the sentinels")};
    }
    if (answering(all).empty()) return {};
    return {fine(about, "no sentinel says that the primary is down")};
}

}  // namespace pawl::doctor
