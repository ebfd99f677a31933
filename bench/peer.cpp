#include "peer.h"

#include "support/process.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

namespace pawl::bench {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;
using json = nlohmann::json;

constexpr int status_does_not_apply = 3;
constexpr auto longest_install = 15min;
constexpr auto longest_overhead = 120s;  // for start, warm-up and end

std::string last_line(std::string text)
{
    while (text.ends_with('\n')) text.pop_back();
    const std::size_t at = text.rfind('\n');
    return at == text.npos ? text : text.substr(at + 1);
}

void check(const test::process& program, const std::optional<test::ending>& end)
{
    if (end == test::exited(0)) return;
    if (end == test::exited(status_does_not_apply)) throw does_not_apply{};
    const std::string said = last_line(program.err());
    throw std::runtime_error{!end            ? "did not end in time"
                             : !said.empty() ? said
                                             : "failed without a message"};
}

// Returns when it has ended with status 0. `meanwhile` is called about every 20 ms.
template <class Meanwhile>
void attend(test::process& program, std::chrono::milliseconds limit, const Meanwhile& meanwhile)
{
    const auto end = clock::now() + limit;
    std::optional<test::ending> ended;
    while (!ended && clock::now() < end) {
        throw_if_interrupted();
        meanwhile();
        ended = program.wait(100ms);
    }
    check(program, ended);
}

struct sample {
    clock::time_point at;
    server_load load;
};

// The load of the server in `length`. It is computed from most of the last `length` before the
// clients stopped: that was the round. Before that were start and warm-up.
server_load load_in_round(const std::vector<sample>& samples, std::chrono::milliseconds length)
{
    const server_load not_known{
        .commands = unknown, .us = unknown, .replies = unknown, .cpu_us = unknown};
    if (samples.empty()) return not_known;
    const auto busy_until =
        std::ranges::find(samples, samples.back().load.commands,
                          [](const sample& each) { return each.load.commands; });
    if (busy_until == samples.begin()) return not_known;
    const auto last = std::prev(busy_until);
    const auto first = std::ranges::find_if(
        samples, [&](const sample& each) { return each.at + length * 9 / 10 >= busy_until->at; });
    if (first >= last) return not_known;
    const double share = std::chrono::duration<double>(length) / (last->at - first->at);
    return {.commands = (last->load.commands - first->load.commands) * share,
            .us = (last->load.us - first->load.us) * share,
            .replies = unknown,
            .cpu_us = (last->load.cpu_us - first->load.cpu_us) * share};
}

durations as_durations(const json& told, const char* name)
{
    const json percentiles = told.value(name, json::object());
    return {.p50_us = percentiles.value("p50", unknown),
            .p99_us = percentiles.value("p99", unknown),
            .max_us = unknown};
}

round_result as_result(const std::string& text)
{
    const json told = json::parse(text);
    round_result result;
    result.seconds = told.at("seconds").get<double>();
    result.grants = told.value("grants_per_process", std::vector<std::uint64_t>{});
    if (result.grants.empty()) result.grants.push_back(told.at("cycles").get<std::uint64_t>());
    result.hand_offs = told.value("hand_offs", unknown);
    result.wait = as_durations(told, "wait_us");
    result.hand_off = as_durations(told, "hand_off_us");
    result.cycle = as_durations(told, "cycle_us");
    return result;
}

}  // namespace

std::vector<peer> all_peers()
{
    std::vector<peer> found;
    std::error_code none;
    for (const auto& each : std::filesystem::directory_iterator{PAWL_BENCH_PEERS, none}) {
        const std::filesystem::path program = each.path() / "run";
        if (!std::filesystem::exists(program)) continue;
        found.push_back({.name = each.path().filename(), .program = program});
    }
    std::ranges::sort(found, {}, &peer::name);
    return found;
}

void install(const peer& who)
{
    test::process program{{who.program, "install"}};
    attend(program, longest_install, [] {});
}

std::vector<std::string> peer_round::command(std::chrono::milliseconds how_long) const
{
    return {who_.program, word_, "127.0.0.1", ports_,
            std::to_string(std::chrono::duration<double>(how_long).count())};
}

sent_by_clients peer_round::listen(std::chrono::milliseconds how_long)
{
    server_.flush();
    test::process program{command(how_long)};
    sent_by_clients sent = server_.listen([&] {
        throw_if_interrupted();
        return !program.running();
    });
    attend(program, longest_overhead + how_long, [] {});
    return sent;
}

round_result peer_round::measure(std::chrono::milliseconds how_long, const sent_by_clients& sent)
{
    server_.flush();
    server_.reset();
    std::vector<sample> samples;
    test::process program{command(how_long)};
    attend(program, longest_overhead + how_long,
           [&] { samples.push_back({.at = clock::now(), .load = server_.load(sent)}); });
    round_result result = as_result(last_line(program.out()));
    result.load = load_in_round(samples, how_long);
    return result;
}

}  // namespace pawl::bench
