#include "store/quorum/operators.h"

#include "core/quorum/too_few.h"
#include "store/blocking_call.h"
#include "store/quorum/node.h"
#include "store/redis/keys.h"
#include "store/survey.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <span>
#include <string>

namespace pawl::store {

using base::boot_time;
using std::chrono::microseconds;
using std::chrono::milliseconds;

namespace {

constexpr std::size_t questions_about_node = 2;

// TIME and the marker, and what there is to ask about the lock, unless its name is empty.
std::vector<command> questions(std::string_view lock)
{
    std::vector<command> all{{"TIME"}, {"GET", std::string{node_key}}};
    if (!lock.empty()) std::ranges::move(questions_about(lock), std::back_inserter(all));
    return all;
}

std::int64_t number_in(std::string_view text)
{
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

// The two texts of the reply to TIME.
microseconds time_in(const std::vector<std::string>& texts)
{
    return std::chrono::seconds{number_in(texts[0])} + microseconds{number_in(texts[1])};
}

// What is left of the quarantine, from the value of the key pawl:node: RUNID SINCE.
milliseconds quarantine_left(std::string_view marker, std::string_view run_id, microseconds now,
                             milliseconds length)
{
    const auto space = marker.find(' ');
    // Without a marker of this run, the quarantine begins with the first vote.
    if (space == std::string_view::npos || marker.substr(0, space) != run_id) return length;
    const milliseconds since{number_in(marker.substr(space + 1))};
    const auto left = since + length - std::chrono::floor<milliseconds>(now);
    return std::max(left, milliseconds{0});
}

}  // namespace

server_list quorum_store::servers(std::string_view /*lock*/, boot_time /*until*/)
{
    return {.names = names_};
}

std::vector<server_answer> quorum_store::ask(const std::vector<server_question>& questions,
                                             boot_time until)
{
    std::vector<survey::target> targets;
    std::vector<unsigned> nodes;  // of each target
    for (const auto& each : questions) {
        const auto found = std::ranges::find(names_, each.server);
        const bool is_node = found != names_.end();
        nodes.push_back(is_node ? static_cast<unsigned>(found - names_.begin()) : 0);
        targets.push_back(is_node ? survey::target{&servers_[nodes.back()]->way(), each}
                                  : survey::target{});
    }
    const auto note = [known = &nodes_, nodes](std::size_t target, const std::string& run_id) {
        known->connected(nodes[target], run_id);
    };
    auto all = survey::ask({*platform_, *loop_, how_.command_limit, note}, targets, until);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (targets[i].way == nullptr) all[i] = no_such_server(questions[i].server);
    }
    return all;
}

std::vector<server_answer> quorum_store::operators::ask(quorum_store& owner,
                                                        std::vector<std::vector<command>> commands,
                                                        boot_time until)
{
    std::vector<server_question> questions;
    questions.reserve(commands.size());
    for (std::size_t i = 0; i < commands.size(); ++i) {
        questions.push_back({owner.names_[i], std::move(commands[i])});
    }
    return owner.ask(questions, until);
}

// A copy of what is known of the nodes, for other threads than that of the loop. Nodes that did not answer may have used
// up the caller's time, but this needs no answer of theirs.
core::quorum::nodes quorum_store::snapshot()
{
    using call = blocking_call<core::quorum::nodes>;
    const auto begin = [this](const call::answer& done) { done(nodes_); };
    // The loop is never late by more than that.
    constexpr milliseconds slack{200};
    auto got = call::run(*platform_, *loop_, begin, platform_->now() + slack, nullptr);
    if (got) return std::move(*got);
    return {names_, how_.clock_drift, how_.quarantine};
}

std::optional<core::failure> quorum_store::ping(boot_time until)
{
    const std::vector<std::vector<command>> ping(servers_.size(), {{"PING"}});
    const auto all = operators::ask(*this, ping, until);
    std::vector<core::quorum::node_problem> problems;
    unsigned good = 0;
    for (const auto& each : all) {
        problems.push_back({.what = each.any_problem()});
        good += problems.back().what ? 0U : 1U;
    }
    const auto known = snapshot();
    if (good >= known.majority()) return std::nullopt;
    return core::quorum::too_few(known, problems);
}

node_info quorum_store::operators::info_of(const answer& said, const core::quorum::node& known,
                                           const settings& how, boot_time now, microseconds wall)
{
    node_info one;
    one.server = known.shown;
    one.run_id = known.run_id;
    one.latency = known.latency.value_or(microseconds{0});
    const auto problem = said.problem_in_first(questions_about_node);
    if (problem || said.replies.size() < questions_about_node ||
        said.replies[0].texts.size() != 2) {
        one.state = node_state::unreachable;
        one.detail = problem ? problem->detail : "an answer of another form";
        return one;
    }
    const auto then = time_in(said.replies[0].texts);
    const auto took = std::chrono::ceil<microseconds>(said.received - said.sent);
    if (one.latency.count() == 0) one.latency = took;
    const auto age = std::chrono::ceil<microseconds>(now - said.received) + took / 2;
    one.clock_difference = then - (wall - age);
    const auto& marker = said.replies[1].texts;
    one.quarantine_left =
        quarantine_left(marker.empty() ? "" : marker.front(), known.run_id, then, how.quarantine);
    one.state = node_state::voting;
    if (known.duplicate) {
        one.state = node_state::duplicate;
    } else if (one.quarantine_left.count() > 0) {
        one.state = node_state::quarantined;
    } else if (now < known.stepped_until) {
        one.state = node_state::clock_stepped;
    }
    const std::span of_lock = std::span{said.replies}.subspan(questions_about_node);
    if (!of_lock.empty()) one.lock = read_lock(of_lock);
    return one;
}

std::vector<node_info> quorum_store::nodes(std::string_view lock, boot_time until)
{
    const std::vector<std::vector<command>> look(servers_.size(), questions(lock));
    const auto all = operators::ask(*this, look, until);
    const auto wall =
        std::chrono::duration_cast<microseconds>(platform_->wall_time().time_since_epoch());
    const auto now = platform_->now();
    const auto known = snapshot();
    std::vector<node_info> infos;
    infos.reserve(all.size());
    for (unsigned i = 0; i < all.size(); ++i) {
        infos.push_back(operators::info_of(all[i], known[i], how_, now, wall));
    }
    return infos;
}

std::optional<core::failure> quorum_store::operators::silent_nodes(quorum_store& owner,
                                                                   const std::vector<answer>& all)
{
    std::vector<core::quorum::node_problem> problems;
    problems.reserve(all.size());
    for (const auto& each : all) problems.push_back({.what = each.any_problem()});
    if (std::ranges::none_of(problems, [](const auto& each) { return each.what.has_value(); })) {
        return std::nullopt;
    }
    return core::failure{
        .what = core::failure_kind::no_quorum,
        .detail = "all nodes are needed; " + core::quorum::problems_of(owner.snapshot(), problems)};
}

std::optional<core::failure> quorum_store::operators::find_locks(quorum_store& owner,
                                                                 boot_time until)
{
    const auto nodes = owner.servers_.size();
    std::vector<std::string> cursors(nodes, "0");  // empty: all keys of that node were seen
    const auto is_open = [](const std::string& cursor) { return !cursor.empty(); };
    while (std::ranges::any_of(cursors, is_open)) {
        std::vector<std::vector<command>> scan(nodes);
        for (std::size_t i = 0; i < nodes; ++i) {
            if (cursors[i].empty()) continue;
            scan[i] = {
                {"SCAN", cursors[i], "MATCH", std::string{fence_prefix} + "*", "COUNT", "10000"}};
        }
        const auto all = ask(owner, scan, until);
        if (auto problem = silent_nodes(owner, all)) return problem;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (!is_open(cursors[i])) continue;
            const auto& texts = all[i].replies.front().texts;  // the next cursor, then keys
            if (texts.size() > 1) {
                return core::failure{
                    .what = core::failure_kind::refused,
                    .detail = owner.names_[i] + " has or had locks, such as " + texts[1]};
            }
            cursors[i] = texts.empty() || texts[0] == "0" ? "" : texts[0];
        }
    }
    return std::nullopt;
}

std::optional<core::failure> quorum_store::init_nodes(bool force, boot_time until)
{
    // The nodes are asked first in any case, so that their run ids are known.
    const std::vector<std::vector<command>> ping(servers_.size(), {{"PING"}});
    auto problem = force ? operators::silent_nodes(*this, operators::ask(*this, ping, until))
                         : operators::find_locks(*this, until);
    if (problem) return problem;
    const auto known = snapshot();
    std::vector<std::vector<command>> mark(servers_.size());
    for (unsigned i = 0; i < servers_.size(); ++i) {
        // A marker of no run would begin a quarantine.
        if (known[i].run_id.empty()) {
            return core::failure{.what = core::failure_kind::no_reply,
                                 .detail = "the run id of " + names_[i] + " is not known"};
        }
        mark[i] = {{"SET", std::string{node_key}, known[i].run_id + " 0000000000000"}};
    }
    return operators::silent_nodes(*this, operators::ask(*this, mark, until));
}

}  // namespace pawl::store
