#include "doctor/reading.h"

#include "doctor/cluster_nodes.h"
#include "doctor/writing.h"

#include <array>
#include <cstddef>
#include <utility>

namespace pawl::doctor {
namespace {

// Asked one by one: servers before 7.0 do not take several, and one that is unknown is no error.
constexpr std::array wanted_settings{
    "maxmemory-policy",
    "appendonly",
    "appendfsync",
    "save",
    "stop-writes-on-bgsave-error",
    "min-replicas-to-write",
    "min-replicas-max-lag",
    "min-slaves-to-write",
    "replica-read-only",
    "timeout",
    "client-output-buffer-limit",
    "tcp-keepalive",
    "maxclients",
    "lua-time-limit",
    "busy-reply-threshold",
    "notify-keyspace-events",
    "cluster-node-timeout",
    "cluster-require-full-coverage",
};

std::string first_text(const store::command_reply& reply)
{
    return reply.texts.empty() ? std::string{} : reply.texts.front();
}

told told_in(const store::command_reply& reply, std::string_view command, bool in_pairs)
{
    if (reply.problem) return {.problem = problem_in(*reply.problem, command)};
    return {.values =
                in_pairs ? fields::of_pairs(reply.texts) : fields::of_lines(first_text(reply))};
}

void read_setting(const store::command_reply& reply, settings& into)
{
    if (reply.problem) {
        into.refuse(problem_in(*reply.problem, "CONFIG GET"));
    } else if (reply.texts.size() >= 2) {
        into.set(reply.texts[0], reply.texts[1]);
    }
}

void read(const store::command& asked, const store::command_reply& reply, server_facts& into)
{
    const auto& name = asked.front();
    if (name == "HELLO") {
        into.hello = told_in(reply, "HELLO", true);
    } else if (name == "INFO") {
        into.info = told_in(reply, "INFO", false);
    } else if (name == "CONFIG") {
        read_setting(reply, into.config);
    } else if (name == "ACL") {
        if (!reply.problem) into.rights.user = first_text(reply);
    } else if (asked.back() == "INFO") {
        into.cluster = told_in(reply, "CLUSTER INFO", false);
    } else if (reply.problem) {
        into.nodes_problem = problem_in(*reply.problem, "CLUSTER NODES");
    } else {
        into.nodes = cluster_nodes_in(first_text(reply));
    }
}

}  // namespace

std::vector<store::command> first_questions(store_kind kind)
{
    std::vector<store::command> all{{"HELLO"}, {"INFO"}, {"ACL", "WHOAMI"}};
    for (const auto* each : wanted_settings) all.push_back({"CONFIG", "GET", each});
    if (kind == store_kind::cluster) {
        all.push_back({"CLUSTER", "INFO"});
        all.push_back({"CLUSTER", "NODES"});
    }
    return all;
}

server_facts read_first(std::string server, const std::vector<store::command>& asked,
                        const store::server_answer& answer)
{
    server_facts got{.server = std::move(server), .problem = answer.problem};
    for (std::size_t i = 0; i < asked.size() && i < answer.replies.size(); ++i) {
        read(asked[i], answer.replies[i], got);
    }
    return got;
}

std::optional<sample> read_sample(const store::server_answer& answer,
                                  std::chrono::nanoseconds to_wall)
{
    using std::chrono::microseconds;
    if (answer.problem || answer.replies.empty() || answer.replies.front().texts.size() < 2) {
        return std::nullopt;
    }
    const auto& texts = answer.replies.front().texts;
    const auto seconds = number_in(texts[0]);
    const auto micros = number_in(texts[1]);
    constexpr std::int64_t latest =
        9'000'000'000;  // in the year 2255: 64 bits have room for its nanoseconds
    if (!seconds || !micros || *seconds < 0 || *seconds > latest) return std::nullopt;
    if (*micros < 0 || *micros > 999'999) return std::nullopt;
    const auto middle = answer.sent + (answer.received - answer.sent) / 2;
    return sample{.sent = answer.sent,
                  .received = answer.received,
                  .server_time = std::chrono::seconds{*seconds} + microseconds{*micros},
                  .local_time = std::chrono::duration_cast<microseconds>(middle.time_since_epoch() +
                                                                         to_wall)};
}

sentinel_facts read_sentinel(std::string server, const store::server_answer& answer)
{
    sentinel_facts got{.server = std::move(server)};
    if (answer.problem) {
        got.problem = answer.problem->detail.empty() ? "no answer" : answer.problem->detail;
    } else if (answer.replies.empty()) {
        got.problem = "no answer";
    } else if (const auto& reply = answer.replies.front(); reply.problem) {
        got.problem = problem_in(*reply.problem, "SENTINEL MASTER");
    } else {
        got.primary = fields::of_pairs(reply.texts);
    }
    return got;
}

}  // namespace pawl::doctor
