#include "doctor/rights.h"

#include <algorithm>
#include <cctype>

namespace pawl::doctor {
namespace {

using enum purpose;
using enum trial;

using list = std::vector<right>;

// A script that no server knows.
constexpr std::string_view no_script = "0000000000000000000000000000000000000000";

// The wrong numbers among the arguments make the server refuse the command after it has checked the rights, and before
// it changes anything. The doctor's key has a text, so that most other commands are refused for its type.
list of_any_lock()
{
    return {
        {"eval", any_lock, harmless, {"return 0", "0"}},
        {"evalsha", any_lock, harmless, {no_script, "0"}},
        {"time", any_lock, harmless, {}},
        {"get", any_lock, harmless, {"K"}},
        {"set", any_lock, harmless, {"K", "doctor", "PX", "10000"}},
        {"del", any_lock, harmless, {"K"}},
        {"exists", any_lock, harmless, {"K"}},
        {"pttl", any_lock, harmless, {"K"}},
        {"pexpire", any_lock, harmless, {"K", "x"}},
    };
}

list of_queue()
{
    return {
        {"rpush", queue, creates, {"K", "x"}},      {"lpop", queue, harmless, {"K"}},
        {"lpos", queue, harmless, {"K", "x"}},      {"lindex", queue, harmless, {"K", "0"}},
        {"lset", queue, harmless, {"K", "0", "x"}}, {"lrem", queue, harmless, {"K", "0", "x"}},
        {"pexpireat", queue, harmless, {"K", "x"}},
    };
}

list of_messages()
{
    return {
        {"subscribe", hand_over, never, {"C"}},
        {"publish", hand_over, harmless, {"C", ""}},
        {"pubsub|numsub", hand_over, harmless, {"C"}},
    };
}

list of_sharded_messages()
{
    return {
        {"ssubscribe", hand_over, never, {"C"}},
        {"sunsubscribe", hand_over, never, {"C"}},
        {"spublish", hand_over, harmless, {"C", ""}},
        {"pubsub|shardnumsub", hand_over, harmless, {"C"}},
    };
}

list of_hashes()
{
    return {
        {"hget", hash, harmless, {"K", "f"}},
        {"hset", hash, creates, {"K", "f", "x"}},
        {"hgetall", hash, harmless, {"K"}},
    };
}

list of_members()
{
    return {
        {"zadd", members, harmless, {"K", "x", "x"}},
        {"zrem", members, harmless, {"K", "x"}},
        {"zscore", members, harmless, {"K", "x"}},
        {"zrangebyscore", members, harmless, {"K", "0", "0"}},
        {"zremrangebyscore", members, harmless, {"K", "0", "0"}},
    };
}

list of_one_server()
{
    return {{"incr", bare, creates, {"K"}},
            {"info", bare, harmless, {"server"}},
            {"ping", ping, harmless, {}},
            {"select", database, harmless, {"x"}}};
}

list of_cluster()
{
    return {{"cluster|slots", nodes, harmless, {}},
            {"asking", nodes, harmless, {}},
            {"role", role, harmless, {}},
            {"ping", ping, harmless, {}}};
}

list of_quorum()
{
    return {
        {"info", nodes, harmless, {"server"}},         {"zadd", queue, harmless, {"K", "x", "x"}},
        {"zrem", queue, harmless, {"K", "x"}},         {"zrange", queue, harmless, {"K", "0", "0"}},
        {"hget", queue, harmless, {"K", "f"}},         {"hset", queue, creates, {"K", "f", "x"}},
        {"hdel", queue, harmless, {"K", "f"}},         {"ping", ping, harmless, {}},
        {"scan", init, harmless, {"0", "COUNT", "1"}}, {"select", database, harmless, {"x"}}};
}

void append(list& to, list what)
{
    to.insert(to.end(), what.begin(), what.end());
}

}  // namespace

std::vector<right> rights_for(const circumstances& at, std::int64_t major)
{
    list all = of_any_lock();
    if (at.kind == store_kind::quorum) {
        append(all, of_quorum());
        append(all, of_messages());
        return all;
    }
    const bool is_cluster = at.kind == store_kind::cluster;
    append(all, of_queue());
    append(all, is_cluster && major >= 7 ? of_sharded_messages() : of_messages());
    append(all, of_hashes());
    append(all, of_members());
    append(all, is_cluster ? of_cluster() : of_one_server());
    if (at.wants_acknowledgements) all.push_back({"wait", replicas, harmless, {"0", "1"}});
    if (at.wants_majority) {
        // A majority of how many? Without an answer no grant counts, so it is not for bare acquires only.
        std::erase_if(all, [](const right& each) { return each.name == "info"; });
        all.push_back({"info", replicas, harmless, {"replication"}});
    }
    return all;
}

std::vector<std::string> words_of(std::string_view name)
{
    auto words = split(name, '|');
    for (auto& each : words) {
        std::ranges::transform(each, each.begin(),
                               [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    }
    return words;
}

store::command trial_of(const right& what, const trial_names& names)
{
    store::command command = words_of(what.name);
    for (const auto each : what.arguments) {
        if (each == "K") {
            command.push_back(names.key);
        } else if (each == "C") {
            command.push_back(names.channel);
        } else {
            command.emplace_back(each);
        }
    }
    return command;
}

}  // namespace pawl::doctor
