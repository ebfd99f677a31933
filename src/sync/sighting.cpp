#include "sync/sighting.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>

namespace pawl::sync {
namespace {

// The server executes them without serving other clients in between.
constexpr std::size_t most_commands = 300;

// No server has a later time, in s. So no sum of times overflows.
constexpr std::int64_t latest = 100'000'000'000;
constexpr std::int64_t million = 1'000'000;

std::int64_t number_in(const std::string& text)
{
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

bool is_elsewhere(const store::command_reply& said)
{
    return said.problem && said.problem->what == core::failure_kind::elsewhere;
}

}  // namespace

bool sighting::ask(store::server_question& to)
{
    asked_.clear();
    to = {server, {{"TIME"}}};
    if (problem) return false;
    for (std::size_t i = 0; i < of.size() && to.commands.size() < most_commands; ++i) {
        auto next = of[i].next();
        if (next.empty()) continue;
        asked_.push_back({i, next.size()});
        std::ranges::move(next, std::back_inserter(to.commands));
    }
    return !asked_.empty();
}

void sighting::read(const store::server_answer& said)
{
    problem = said.problem;
    if (problem || said.replies.empty()) return;
    const auto& time = said.replies[0].texts;
    if (time.size() == 2) {
        now = std::chrono::seconds{std::clamp(number_in(time[0]), std::int64_t{0}, latest)} +
              std::chrono::microseconds{std::clamp(number_in(time[1]), std::int64_t{0}, million)};
    }
    moved = moved || std::ranges::any_of(said.replies, is_elsewhere);
    auto left = std::span{said.replies}.subspan(1);
    for (const auto& each : asked_) {
        const auto mine = left.first(std::min(each.commands, left.size()));
        of[each.portrait].read(mine);
        left = left.subspan(mine.size());
    }
}

void complete(client_state& state, std::vector<sighting>& all)
{
    while (true) {
        std::vector<store::server_question> questions;
        std::vector<sighting*> asked;
        for (auto& each : all) {
            store::server_question next;
            if (!each.ask(next)) continue;
            questions.push_back(std::move(next));
            asked.push_back(&each);
        }
        if (questions.empty()) return;
        const auto answers = state.ask_servers(questions);
        for (std::size_t i = 0; i < asked.size(); ++i) asked[i]->read(answers[i]);
    }
}

void process_finder::read(const std::vector<std::string>& servers)
{
    std::vector<store::server_question> questions;
    questions.reserve(servers.size());
    for (const auto& each : servers) questions.push_back({each, {{"CLIENT", "LIST"}}});
    const auto answers = state_->ask_servers(questions);
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (const auto problem = answers[i].problem_in_first(1)) {
            notes_.push_back("processes are not known from " + servers[i] + ": " + problem->detail);
        } else if (!answers[i].replies.empty() && !answers[i].replies[0].texts.empty()) {
            store::add_processes(answers[i].replies[0].texts[0], known_);
        }
    }
}

void process_finder::name(lock_info& lock) const
{
    const auto find = [this](const std::string& channel) -> std::optional<process_info> {
        const auto found = known_.find(channel);
        if (found == known_.end()) return std::nullopt;
        return found->second;
    };
    for (auto& each : lock.holders) each.process = find(each.channel);
    for (auto& each : lock.queue) each.process = find(each.channel);
}

}  // namespace pawl::sync
