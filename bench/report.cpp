#include "report.h"

#include "growth_report.h"
#include "verdict.h"

#include <pawl/version.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

namespace pawl::bench {
namespace {

using json = nlohmann::ordered_json;

// null if it was not measured.
json as_data(const std::optional<summary>& figures)
{
    if (!figures) return nullptr;
    return {{"median", figures->median}, {"least", figures->least}, {"most", figures->most}};
}

// pawl, a peer, or a baseline without a library.
std::string_view kind_of(const contestant& who)
{
    switch (who.kind) {
    case contender::peer: return "peer";
    case contender::raw_same:
    case contender::raw_least:
    case contender::raw_publish:
    case contender::raw_hand_off:
    case contender::raw_retry:
    case contender::raw_readers:
    case contender::raw_permits:
    case contender::raw_latch:
    case contender::raw_condition:
    case contender::std_mutex:
    case contender::std_shared_mutex: return "baseline";
    default: return "pawl";
    }
}

json as_data(const comparison& result, const contestant& who)
{
    json data{{"contender", who.word},
              {"title", who.title},
              {"kind", kind_of(who)},
              {"rounds_done", who.rounds.size()}};
    if (!who.failure.empty()) data["failure"] = who.failure;
    for (const metric each : result.what->metrics) {
        json& figure = data["figures"][std::string{describe(each).word}];
        figure = as_data(who.of(each));
        if (figure.is_null()) continue;
        for (const round_result& one : who.rounds) {
            figure["rounds"].push_back(describe(each).of(one));
        }
    }
    for (const contender each : result.what->references) {
        if (each == who.kind) continue;
        data["times"][std::string{word_of(each)}] =
            as_data(who.compared_with(result.find(each), result.what->metrics.front()));
    }
    for (const contestant& each : result.contestants) {
        if (!each.is_peer() || who.is_peer()) continue;
        data["times"][each.word] = as_data(who.compared_with(each, result.what->metrics.front()));
    }
    return data;
}

json as_data(const verdict& what)
{
    json data{{"target", what.text}, {"reached", nullptr}, {"met", nullptr}};
    if (!what.reached) return data;
    data["reached"] = *what.reached;
    data["met"] = what.met();
    return data;
}

json as_data(const comparison& result)
{
    json data{{"workload", result.what->word},
              {"title", result.what->title},
              {"over", result.over},
              {"contenders", json::array()},
              {"targets", json::array()}};
    for (const contestant& each : result.contestants) {
        data["contenders"].push_back(as_data(result, each));
    }
    for (const verdict& each : judge(result)) data["targets"].push_back(as_data(each));
    return data;
}

json as_data(const growth_point& at)
{
    json data{{"count", at.count}};
    if (!at.failure.empty()) data["failure"] = at.failure;
    data["acquired_per_second"] = at.per_second;
    data["resident_bytes_each"] = at.resident_bytes;
    data["allocated_bytes_each"] = at.allocated_bytes;
    data["allocated_bytes_each_with_mutex"] = at.with_mutex_bytes;
    data["commands_per_period"] = at.commands;
    data["replies_written_per_period"] = at.replies;
    data["server_us_per_period"] = at.server_us;
    data["cycle_p50_us"] = at.cycle_us;
    data["cycle_p99_us"] = at.cycle_p99_us;
    data["cycle_times_raw_same"] = at.cycle_times;
    return data;
}

json as_data(const growth& what)
{
    json data{{"workload", "w9"},
              {"grows", word_of(what.what)},
              {"period_seconds", std::chrono::duration<double>(what.period).count()},
              {"points", json::array()},
              {"targets", json::array()}};
    for (const growth_point& each : what.points) data["points"].push_back(as_data(each));
    for (const verdict& each : judge(what)) data["targets"].push_back(as_data(each));
    return data;
}

}  // namespace

bool run_results::failed() const
{
    const auto point_failed = [](const growth_point& at) { return !at.failure.empty(); };
    return std::ranges::any_of(comparisons, &comparison::failed) ||
           std::ranges::any_of(growths, [&](const growth& each) {
               return std::ranges::any_of(each.points, point_failed);
           });
}

void write_report(const std::string& path, const settings& wanted, const run_results& all)
{
    json data{{"pawl", pawl::version()},
              {"redis", all.redis},
              {"processors", std::thread::hardware_concurrency()},
              {"pinned", wanted.pinned},
              {"rounds", wanted.how_much.rounds},
              {"seconds", std::chrono::duration<double>(wanted.how_much.length).count()},
              {"workloads", json::array()}};
    for (const comparison& each : all.comparisons) data["workloads"].push_back(as_data(each));
    for (const growth& each : all.growths) data["workloads"].push_back(as_data(each));

    std::ofstream out{path, std::ios::trunc};
    out << data.dump(2) << '\n';
    out.close();
    if (!out) throw std::runtime_error{"cannot write " + path};
}

}  // namespace pawl::bench
