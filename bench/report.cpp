#include "report.h"

#include <pawl/version.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

namespace pawl::bench {
namespace {

using json = nlohmann::ordered_json;

json as_data(const summary& figures)
{
    return {{"median", figures.median}, {"least", figures.least}, {"most", figures.most}};
}

json as_data(const comparison& result, const contestant& who)
{
    json data{{"contender", word_of(who.kind)}, {"rounds_done", who.rounds.size()}};
    if (!who.failure.empty()) data["failure"] = who.failure;
    for (const metric each : result.what->metrics) {
        json& figure = data["figures"][std::string{describe(each).word}];
        figure = as_data(who.of(each));
        for (const round_result& one : who.rounds) {
            figure["rounds"].push_back(describe(each).of(one));
        }
    }
    for (const contender each : result.what->references) {
        if (each == who.kind) continue;
        data["times"][std::string{word_of(each)}] =
            as_data(who.compared_with(result.find(each), result.what->metrics.front()));
    }
    return data;
}

json as_data(const comparison& result)
{
    json data{{"workload", result.what->word},
              {"title", result.what->title},
              {"over", result.over},
              {"contenders", json::array()}};
    for (const contestant& each : result.contestants) {
        data["contenders"].push_back(as_data(result, each));
    }
    return data;
}

}  // namespace

void write_report(const std::string& path, const effort& how_much, const std::string& redis,
                  const std::vector<comparison>& results)
{
    json data{{"pawl", pawl::version()},
              {"redis", redis},
              {"processors", std::thread::hardware_concurrency()},
              {"rounds", how_much.rounds},
              {"seconds", std::chrono::duration<double>(how_much.length).count()},
              {"workloads", json::array()}};
    for (const comparison& each : results) data["workloads"].push_back(as_data(each));

    std::ofstream out{path, std::ios::trunc};
    out << data.dump(2) << '\n';
    out.close();
    if (!out) throw std::runtime_error{"cannot write " + path};
}

}  // namespace pawl::bench
