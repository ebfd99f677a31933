// Connections, channels, and the whole database.
#include "store/memory/arguments.h"
#include "store/memory/numbers.h"

#include <algorithm>

namespace pawl::store::memory {
namespace {

using namespace std::chrono_literals;

void ping(call& what)
{
    if (what.words.size() > 2) return wrong_number_of_words(what, "ping");
    if (what.words.size() == 2) return what.out.bulk(what.words[1]);
    what.out.status("PONG");
}

void time(call& what)
{
    const auto now = what.server.now;
    what.out.array(2);
    what.out.bulk(number_text{std::int64_t{now / 1s}}.view());
    what.out.bulk(number_text{std::int64_t{(now % 1s).count()}}.view());
}

void select(call& what)
{
    const auto number = whole_argument(what, what.words[1]);
    if (!number) return;
    if (*number != 0) return what.out.error("ERR DB index is out of range");
    what.out.status("OK");
}

void dbsize(call& what)
{
    what.out.integer(static_cast<std::int64_t>(what.server.data.size()));
}

void flush(call& what)
{
    const auto options = what.words.subspan(1);
    if (options.size() > 1 ||
        (options.size() == 1 && !is_word(options[0], "ASYNC") && !is_word(options[0], "SYNC"))) {
        return what.out.error(refusal::syntax);
    }
    what.server.data.clear();
    what.out.status("OK");
}

// The name is checked but not stored.
bool check_name(call& what, std::string_view name)
{
    const bool fit = std::ranges::all_of(name, [](char c) { return c > ' ' && c <= '~'; });
    if (!fit) {
        what.out.error("ERR Client names cannot contain spaces, newlines or special characters.");
    }
    return fit;
}

void client_setname(call& what)
{
    if (check_name(what, what.words[2])) what.out.status("OK");
}

// Accepts any password for the user default.
bool read_hello(call& what)
{
    const auto words = what.words;
    for (std::size_t at = 2; at < words.size();) {
        if (is_word(words[at], "AUTH") && at + 2 < words.size()) {
            if (words[at + 1] != "default") {
                what.out.error("WRONGPASS invalid username-password pair or user is disabled.");
                return false;
            }
            at += 3;
        } else if (is_word(words[at], "SETNAME") && at + 1 < words.size()) {
            if (!check_name(what, words[at + 1])) return false;
            at += 2;
        } else {
            what.out.error("ERR Syntax error in HELLO option '" + std::string{words[at]} + "'");
            return false;
        }
    }
    return true;
}

// Only RESP3 is supported.
void hello(call& what)
{
    if (what.words.size() > 1) {
        const auto version = to_whole(what.words[1]);
        if (!version) {
            return what.out.error("ERR Protocol version is not an integer or out of range");
        }
        if (*version != 3) return what.out.error("NOPROTO unsupported protocol version");
    }
    if (!read_hello(what)) return;
    what.out.map(7);
    what.out.bulk("server");
    what.out.bulk("redis");
    what.out.bulk("version");
    what.out.bulk("7.0.15");
    what.out.bulk("proto");
    what.out.integer(3);
    what.out.bulk("id");
    what.out.integer(static_cast<std::int64_t>(what.from));
    what.out.bulk("mode");
    what.out.bulk("standalone");
    what.out.bulk("role");
    what.out.bulk("master");
    what.out.bulk("modules");
    what.out.array(0);
}

// The facts that pawl reads: of the section `server`, or of `replication`.
void info(call& what)
{
    if (what.words.size() == 2 && is_word(what.words[1], "server")) {
        what.out.bulk("# Server\r\nredis_version:7.0.15\r\nrun_id:" + what.server.run_id + "\r\n");
        return;
    }
    if (what.words.size() != 2 || !is_word(what.words[1], "replication")) {
        return what.out.error("ERR only INFO server and INFO replication are supported");
    }
    const auto& says = what.server.replication;
    constexpr std::size_t id_size = 40;
    auto id = std::to_string(says.history);
    id.insert(0, id_size - id.size(), '0');
    what.out.bulk("# Replication\r\nrole:" + std::string{says.primary ? "master" : "slave"} +
                  "\r\nconnected_slaves:" + std::to_string(says.replicas) +
                  "\r\nmaster_replid:" + id + "\r\n");
}

// It never blocks: all replicas that answer have answered.
void wait(call& what)
{
    if (!whole_argument(what, what.words[1]) || !whole_argument(what, what.words[2])) return;
    what.out.integer(what.server.replication.acknowledging);
}

void publish(call& what)
{
    const auto reached = what.server.channels.publish(what.words[1], what.words[2]);
    what.out.integer(static_cast<std::int64_t>(reached));
}

void confirm(call& what, std::string_view kind, std::optional<std::string_view> channel)
{
    what.out.push(3);
    what.out.bulk(kind);
    if (channel) {
        what.out.bulk(*channel);
    } else {
        what.out.null();
    }
    what.out.integer(static_cast<std::int64_t>(what.server.channels.count(what.from)));
}

void subscribe(call& what)
{
    for (const auto channel : what.words.subspan(1)) {
        what.server.channels.add(what.from, channel);
        confirm(what, "subscribe", channel);
    }
}

void psubscribe(call& what)
{
    for (const auto pattern : what.words.subspan(1)) {
        what.server.channels.add_pattern(what.from, pattern);
        confirm(what, "psubscribe", pattern);
    }
}

void pubsub_numsub(call& what)
{
    const auto channels = what.words.subspan(2);
    what.out.array(2 * channels.size());
    for (const auto channel : channels) {
        what.out.bulk(channel);
        what.out.integer(static_cast<std::int64_t>(what.server.channels.listeners(channel)));
    }
}

void unsubscribe_from(call& what, std::string_view channel)
{
    what.server.channels.remove(what.from, channel);
    confirm(what, "unsubscribe", channel);
}

void unsubscribe(call& what)
{
    if (what.words.size() > 1) {
        for (const auto channel : what.words.subspan(1)) unsubscribe_from(what, channel);
        return;
    }
    const auto all = what.server.channels.channels_of(what.from);
    if (all.empty()) return confirm(what, "unsubscribe", std::nullopt);
    for (const auto& channel : all) unsubscribe_from(what, channel);
}

constexpr command table[] = {
    {"client", -2, command::container, nullptr},
    {"client|setname", 3, command::no_script, client_setname},
    {"dbsize", 1, command::reads, dbsize},
    {"flushall", -1, command::writes, flush},
    {"flushdb", -1, command::writes, flush},
    {"hello", -1, command::no_script, hello},
    {"info", -1, command::reads, info},
    {"ping", -1, command::reads, ping},
    {"psubscribe", -2, command::no_script, psubscribe},
    {"publish", 3, command::tells_others, publish},
    {"pubsub", -2, command::container, nullptr},
    {"pubsub|numsub", -2, command::reads, pubsub_numsub},
    {"select", 2, command::reads, select},
    {"subscribe", -2, command::no_script, subscribe},
    {"time", 1, command::reads, time},
    {"unsubscribe", -1, command::no_script, unsubscribe},
    {"wait", 3, command::no_script, wait},
};

}  // namespace

std::span<const command> server_commands() noexcept
{
    return table;
}

}  // namespace pawl::store::memory
