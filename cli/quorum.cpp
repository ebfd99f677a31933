#include "quorum.h"

#include "common/columns.h"
#include "duration.h"
#include "exit_code.h"
#include "server_url.h"
#include "url_option.h"
#include "usage.h"

#include <pawl/client.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
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

// Fails if no majority can vote.
[[nodiscard]] int show(const client& of)
{
    const auto nodes = of.nodes();
    std::vector<common::row> rows{
        {"node", "state", "latency", "clock", "quarantine", "run", "problem"}};
    for (const auto& each : nodes) rows.push_back(row_of(each));
    std::cout << common::lay_out(rows);
    const auto voting = std::ranges::count(nodes, node_state::voting, &node_info::state);
    const auto majority = static_cast<std::ptrdiff_t>(nodes.size() / 2 + 1);
    std::cout << voting << " of " << nodes.size() << " nodes can vote; " << majority
              << " are needed\n"
              << advice(nodes);
    return voting >= majority ? exit_code::ok : exit_code::unreachable;
}

class quorum_command_line : public command_line {
public:
    quorum_command_line()
        : command_line{"pawl quorum",
                       "Shows the nodes of a quorum, and lets those of a new installation vote.",
                       {"pawl quorum show [--url URL]", "pawl quorum init [--force] [--url URL]"}}
    {
        show = add_subcommand(
            "show", "Show each node: state, latency, clock (status 69 if too few can vote)");
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
    return show(nodes);
}

page quorum_page()
{
    return quorum_command_line{}.describe();
}

}  // namespace pawl::cli
