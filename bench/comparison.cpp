#include "comparison.h"

#include "interruption.h"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace pawl::bench {
namespace {

constexpr std::chrono::milliseconds longest_listening{300};

// Runs one step of a contestant, who is out when it fails.
template <class Step>
void attempt(contestant& who, const Step& step)
{
    if (!who.failure.empty()) return;
    try {
        step();
    } catch (const interrupted&) {
        throw;
    } catch (const std::exception& problem) {
        who.failure = problem.what();
    }
}

}  // namespace

summary contestant::of(metric what) const
{
    std::vector<double> values;
    for (const round_result& each : rounds) values.push_back(describe(what).of(each));
    return summarize(std::move(values));
}

summary contestant::compared_with(const contestant& other, metric what) const
{
    std::vector<double> values;
    for (std::size_t i = 0; i < std::min(rounds.size(), other.rounds.size()); ++i) {
        const double below = describe(what).of(other.rounds[i]);
        if (below > 0) values.push_back(describe(what).of(rounds[i]) / below);
    }
    return summarize(std::move(values));
}

const contestant& comparison::find(contender kind) const
{
    const auto found = std::ranges::find(contestants, kind, &contestant::kind);
    if (found == contestants.end()) throw std::logic_error{"a reference that takes no part"};
    return *found;
}

bool comparison::failed() const
{
    return std::ranges::any_of(contestants,
                               [](const contestant& each) { return !each.failure.empty(); });
}

comparison compare(const workload& what, const std::string& over, const std::string& url,
                   const effort& how_much, const std::function<void(const std::string&)>& progress)
{
    comparison result{.what = &what, .over = over, .contestants = {}};
    for (const entry& each : what.entries) {
        result.contestants.push_back({.kind = each.kind, .rounds = {}, .failure = {}});
    }

    server_counts server{url};
    std::map<contender, sent_by_clients> sent;
    const auto label = std::string{what.word} + " over " + over;
    progress(label + ", warming up");
    for (contestant& each : result.contestants) {
        attempt(each, [&] {
            sent[each.kind] = round{what, each.kind, url, server}.listen(
                std::min(how_much.length, longest_listening));
        });
    }
    for (unsigned number = 1; number <= how_much.rounds; ++number) {
        for (contestant& each : result.contestants) {
            progress(label + ", round " + std::to_string(number) + " of " +
                     std::to_string(how_much.rounds) + ": " +
                     std::string{title_in(what, each.kind)});
            attempt(each, [&] {
                each.rounds.push_back(round{what, each.kind, url, server}.measure(
                    how_much.length, sent.at(each.kind)));
            });
        }
    }
    return result;
}

}  // namespace pawl::bench
