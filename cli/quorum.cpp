#include "quorum.h"

#include "common/columns.h"
#include "duration.h"
#include "exit_code.h"
#include "say.h"
#include "server_url.h"
#include "url_option.h"
#include "usage.h"

#include <pawl/client.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::cli {
namespace {

// With one digit after the point: the latencies of near nodes are less than a millisecond.
[[nodiscard]] std::string in_ms(std::chrono::microseconds span)
{
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f ms", static_cast<double>(span.count()) / 1'000);
    return text.data();
}

[[nodiscard]] std::string with_sign(std::chrono::microseconds difference)
{
    const auto size = describe(std::chrono::abs(difference));
    return (difference.count() < 0 ? "-" : "+") + size;
}

[[nodiscard]] common::row row_of(const node_info& node)
{
    if (node.state == node_state::unreachable) {
        return {node.server, std::string{to_string(node.state)}, "", "", "", "", node.detail};
    }
    const bool barred = node.quarantine_left.count() > 0;
    return {node.server,
            std::string{to_string(node.state)},
            in_ms(node.latency),
            with_sign(node.clock_difference),
            barred ? describe(node.quarantine_left) : "",
            node.run_id.substr(0, 8),
            ""};
}

// What to do, if too few nodes can vote or will soon.
[[nodiscard]] std::string_view advice(const std::vector<node_info>& nodes)
{
    const auto count = [&](node_state state) {
        return static_cast<std::size_t>(std::ranges::count(nodes, state, &node_info::state));
    };
    if (count(node_state::quarantined) == nodes.size()) {
        return "all nodes are in quarantine: wait, or, if this is a new installation, use: pawl "
               "quorum init\n";
    }
    if (count(node_state::duplicate) > 0) {
        return "two addresses lead to one server, which has one vote: name each server once\n";
    }
    if (count(node_state::unreachable) > 0) {
        return "check that the unreachable nodes run, and that their addresses are right\n";
    }
    if (count(node_state::quarantined) > 0) {
        return "the nodes in quarantine were restarted or emptied, and vote again after that "
               "time: do not restart others before\n";
    }
    return "";
}

// The token of another library may be long.
[[nodiscard]] std::string shortened(const std::string& holder)
{
    constexpr std::size_t most = 48;  // the longest holder id of pawl
    return holder.size() <= most ? in_quotes(holder) : in_quotes(holder.substr(0, most)) + "…";
}

[[nodiscard]] common::row vote_row_of(const node_info& node)
{
    if (!node.lock) return {node.server, "", "", "", "", std::string{to_string(node.state)}};
    const auto& lock = *node.lock;
    const bool is_held = !lock.holder.empty();
    return {node.server,
            is_held ? shortened(lock.holder) : "",
            lock.fence > 0 ? std::to_string(lock.fence) : "",
            lock.lease_left ? describe(*lock.lease_left) : (is_held ? "no end" : ""),
            std::to_string(lock.waiters),
            lock.problem};
}

// For how many nodes each of the holders has the vote. A server that is named twice has one vote.
[[nodiscard]] std::map<std::string, std::size_t> votes_in(const std::vector<node_info>& nodes)
{
    std::map<std::string, std::size_t> votes;
    for (const auto& each : nodes) {
        const bool counts = each.lock && each.state != node_state::duplicate;
        if (counts && !each.lock->holder.empty()) ++votes[each.lock->holder];
    }
    return votes;
}

[[nodiscard]] std::string verdict(const std::string& key, const std::vector<node_info>& nodes)
{
    const auto votes = votes_in(nodes);
    const auto has_problem = [](const auto& each) {
        return each.lock && !each.lock->problem.empty();
    };
    if (votes.empty() && std::ranges::any_of(nodes, has_problem)) {
        return "no node names a holder of " + in_quotes(key) + "; see the problems above\n";
    }
    if (votes.empty()) return in_quotes(key) + " has no holder at any node that answers\n";
    const auto most = std::ranges::max_element(
        votes, {}, [](const auto& holder_and_votes) { return holder_and_votes.second; });
    return std::to_string(most->second) + " of " + std::to_string(nodes.size()) +
           " nodes have voted for " + shortened(most->first) + "; " +
           std::to_string(nodes.size() / 2 + 1) + " are needed to hold " + in_quotes(key) + "\n";
}

void show_votes(const std::string& key, const std::vector<node_info>& nodes)
{
    std::vector<common::row> rows{{"node", "holder", "fence", "lease", "waiting", "problem"}};
    for (const auto& each : nodes) rows.push_back(vote_row_of(each));
    std::cout << '\n' << common::lay_out(rows) << verdict(key, nodes);
}

// Fails if no majority can vote.
[[nodiscard]] int show(const client& of, const std::optional<std::string>& key)
{
    const auto nodes = key ? of.nodes(*key) : of.nodes();
    std::vector<common::row> rows{
        {"node", "state", "latency", "clock", "quarantine", "run", "problem"}};
    for (const auto& each : nodes) rows.push_back(row_of(each));
    std::cout << common::lay_out(rows);
    const auto voting = std::ranges::count(nodes, node_state::voting, &node_info::state);
    const auto majority = static_cast<std::ptrdiff_t>(nodes.size() / 2 + 1);
    std::cout << voting << " of " << nodes.size() << " nodes can vote; " << majority
              << " are needed\n"
              << advice(nodes);
    if (key) show_votes(*key, nodes);
    return voting >= majority ? exit_code::ok : exit_code::unreachable;
}

class quorum_command_line : public command_line {
public:
    quorum_command_line()
        : command_line{
              "pawl quorum",
              "Shows the nodes of a quorum, and lets those of a new installation vote.",
              {"pawl quorum show [KEY] [--url URL]", "pawl quorum init [--force] [--url URL]"}}
    {
        show = add_subcommand(
            "show",
            "Show each node: state, latency, clock (status 69 if too few can vote). With KEY also "
            "what it says of that lock: holder, fence, lease, how many wait");
        show->add_option("KEY", key, "The lock")->type_name("");
        add_url(*show, shown);
        auto* const init = add_subcommand(
            "init",
            "Let the nodes of a new installation vote at once; fails with status 77 if "
            "there are locks");
        init->add_flag("-f,--force", force,
                       "Do so even if there are locks. Only when no client holds one");
        add_url(*init, marked);
        require_subcommand(1);
        explain({{.title = "Quarantine",
                  .blocks = {paragraph{
                      "A node that was started lately may have forgotten locks, so it does not "
                      "vote for a good minute. All nodes of a new installation are in that state "
                      "at once. When all of them run and no client has used them, pawl quorum "
                      "init ends it. Never use it for a node that was restarted."}}}});
    }

    // Throws CLI::ParseError unless a quorum is named.
    [[nodiscard]] std::string url() const
    {
        const auto chosen = choose_server(show->parsed() ? shown : marked, remote::not_needed,
                                          "a memory: server is no quorum");
        if (!is_quorum(chosen.url)) {
            refuse("the URL names no quorum (allowed: redlock:URL,URL,URL)");
        }
        return chosen.url;
    }

    CLI::App* show = nullptr;
    std::optional<std::string> key;
    server_options shown;
    server_options marked;
    bool force = false;
};

}  // namespace

int quorum(const std::vector<std::string>& arguments)
{
    quorum_command_line app;
    std::string url;
    try {
        if (!app.understand(arguments)) return exit_code::ok;
        url = app.url();
    } catch (const CLI::ParseError& problem) {
        return usage_error(problem.what(), "pawl quorum");
    }
    client nodes{url};
    if (!app.show->parsed()) nodes.init_nodes(app.force);
    return show(nodes, app.key);
}

page quorum_page()
{
    return quorum_command_line{}.describe();
}

}  // namespace pawl::cli
