#include "doctor/patient.h"

#include "doctor/reading.h"
#include "doctor/side_lines.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace pawl::doctor {
namespace {

circumstances circumstances_of(const redis::deployment& where, const client_options& options,
                               const std::string& lock)
{
    using address = redis::address;
    const auto& config = where.what == store_kind::sentinel || where.what == store_kind::cluster
                             ? where.found
                             : where.servers.front();
    return {.kind = where.what,
            .is_local = config.where.what == address::kind::local,
            .database = config.database,
            .wants_acknowledgements = config.acknowledged.is_on(),
            .wants_majority = config.acknowledged.is_majority(),
            .clock_drift = options.clock_drift,
            .command_limit = options.command_limit,
            .lock = lock};
}

}  // namespace

patient::patient(sync::client_state& state, const doctor_options& options)
    : state_{&state},
      duration_{options.duration},
      where_{redis::read_deployment(state.options())},
      at_{circumstances_of(where_, state.options(), options.lock)}
{
}

std::vector<store::server_answer> patient::ask(
    const subjects& servers, const std::vector<std::vector<store::command>>& commands)
{
    std::vector<store::server_question> questions;
    questions.reserve(servers.size());
    for (std::size_t i = 0; i < servers.size(); ++i) {
        questions.push_back({servers[i]->server, commands[i]});
    }
    return state_->ask_servers(questions);
}

std::vector<server_facts> patient::examine_servers()
{
    const auto names = state_->servers({});
    if (names.problem) return {{.server = state_->server(), .problem = names.problem}};
    std::vector<server_facts> all;
    all.reserve(names.names.size());
    for (const auto& name : names.names) all.push_back({.server = name});
    subjects everyone;
    for (auto& each : all) everyone.push_back(&each);
    const auto asked = first_questions(at_.kind);
    const auto answers = ask(everyone, {everyone.size(), asked});
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] = read_first(all[i].server, asked, answers[i]);
    }
    std::erase_if(everyone, [](const auto* each) { return each->problem.has_value(); });
    if (everyone.empty()) return all;
    try_rights(everyone);
    measure(everyone);
    return all;
}

void patient::try_rights(const subjects& servers)
{
    const auto random = state_->platform().random_id();
    const trial_names names{.key = "pawl:doctor:" + random,
                            .channel = "pawl:client:" + random.substr(0, 16)};
    std::vector<right_trials> trials;
    std::vector<std::vector<store::command>> commands;
    for (const auto* each : servers) {
        const auto config = config_of(where_, each->server);
        const auto user = config.user.empty() ? "default" : config.user;
        trials.emplace_back(at_, each->major_version(),
                            each->rights.user.empty() ? user : each->rights.user, names);
        commands.push_back(trials.back().first());
    }
    auto answers = ask(servers, commands);
    for (std::size_t i = 0; i < trials.size(); ++i) {
        trials[i].read_first(answers[i]);
        commands[i] = trials[i].second();
    }
    answers = ask(servers, commands);
    for (std::size_t i = 0; i < trials.size(); ++i) trials[i].read_second(answers[i]);
    try_listening(servers, trials, names.channel);
    for (std::size_t i = 0; i < trials.size(); ++i) servers[i]->rights = trials[i].result();
}

void patient::try_listening(const subjects& servers, std::vector<right_trials>& trials,
                            const std::string& channel)
{
    std::vector<redis::server_config> configs;
    std::vector<std::size_t> tried;
    bool sharded = false;
    for (std::size_t i = 0; i < servers.size(); ++i) {
        auto config = config_of(where_, servers[i]->server);
        const bool is_socket = config.where.what != redis::address::kind::memory;
        if (!trials[i].must_try_listening() || !is_socket) continue;
        sharded = at_.kind == store_kind::cluster && servers[i]->major_version() >= 7;
        configs.push_back(std::move(config));
        tried.push_back(i);
    }
    if (tried.empty()) return;
    side_lines lines{state_->platform(), configs, at_.command_limit};
    const auto got = lines.try_listening(channel, sharded);
    for (std::size_t i = 0; i < tried.size(); ++i) {
        auto& one = trials[tried[i]];
        one.note(sharded ? "ssubscribe" : "subscribe", got[i].subscribe);
        if (sharded) one.note("sunsubscribe", got[i].unsubscribe);
    }
}

// All servers at the same time: 50 times, or every 20 ms if that is more often, but 1,000 times at most.
void patient::measure(const subjects& servers)
{
    constexpr std::chrono::milliseconds longest_pause{20};
    const auto pause = std::max(std::min(duration_ / 50, longest_pause), duration_ / 1'000);
    auto& platform = state_->platform();
    const auto end = platform.now() + duration_;
    const std::vector<std::vector<store::command>> time(servers.size(), {{"TIME"}});
    for (auto next = platform.now(); next < end; next += pause) {
        if (!platform.pause(next, nullptr)) return;
        const auto answers = ask(servers, time);
        const auto to_wall =
            platform.wall_time().time_since_epoch() - platform.now().time_since_epoch();
        for (std::size_t i = 0; i < servers.size(); ++i) {
            if (const auto got = read_sample(answers[i], to_wall))
                servers[i]->samples.push_back(*got);
        }
        next = std::max(next, platform.now() - pause);
    }
}

std::vector<sentinel_facts> patient::ask_sentinels()
{
    side_lines lines{state_->platform(), where_.servers, at_.command_limit};
    const auto answers = lines.ask({{"SENTINEL", "MASTER", where_.service}});
    std::vector<sentinel_facts> all;
    all.reserve(answers.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
        all.push_back(read_sentinel(where_.servers[i].shown, answers[i]));
    }
    return all;
}

}  // namespace pawl::doctor
