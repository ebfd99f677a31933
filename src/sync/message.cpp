#include "sync/message.h"

#include "common/quorum_url.h"

#include <algorithm>
#include <array>
#include <span>

namespace pawl::sync {
namespace {

struct hint {
    std::string_view word;  // in the detail of the failure; empty: any
    std::string_view advice;
};

// In each table, the first match is used.
constexpr std::array<hint, 10> on_replies{{
    {"OOM", "the server's memory is full: free some, or raise maxmemory"},
    {"NOAUTH", "check user and password"},
    {"WRONGPASS", "check user and password"},
    {"MISCONF",
     "check the server's settings: it cannot save, and stop-writes-on-bgsave-error is on"},
    {"NOREPLICAS", "check the server's settings: min-replicas-to-write, and its replicas"},
    {"DENIED", "check the server's settings: protected-mode, bind and requirepass"},
    {"max number of clients", "check the server's settings: maxclients"},
    {"DB index", "check the server's settings: databases"},
    {"MOVED", "the server is a node of a Redis Cluster: use redis+cluster://"},
    {"unknown command", "check the server's settings: rename-command, against docs/wire.md"},
}};

constexpr std::array<hint, 5> on_silence{{
    {"no sentinel ",
     "check that the sentinels run and can be reached at the addresses in the URL, then try again"},
    {"no primary answers",
     "try again when the sentinels have found a new primary, or wait longer for it: command_limit"},
    {"is a replica", "name the primary, or try again when the address leads to it"},
    {"acknowledged by ", "check that the server's replicas run and follow it, then try again"},
    {"", "check that the server runs and can be reached, then try again"},
}};

constexpr std::array<hint, 5> on_no_quorum{{
    {"all nodes are needed",
     "check that all nodes run and can be reached, and the user's ACL rule against "
     "docs/topologies/quorum.md, then try again"},
    {"in quarantine", "wait until the nodes that were restarted vote again, and check the others"},
    {"clock was stepped",
     "wait, and let NTP slew the clocks of the nodes instead of stepping them"},
    {"the same server", "name each server once: two addresses lead to one"},
    {"", "check that most of the nodes run and can be reached, then try again"},
}};

// Empty if no hint matches.
std::string_view advice_in(std::span<const hint> hints, std::string_view detail)
{
    const auto found = std::ranges::find_if(
        hints, [&](const hint& each) { return detail.find(each.word) != std::string_view::npos; });
    return found == hints.end() ? std::string_view{} : found->advice;
}

// An error reply starts with a word in capitals.
bool is_from_server(std::string_view detail)
{
    const auto word = detail.substr(0, detail.find(' '));
    return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
}

// Empty if the detail is not an error reply: then the detail itself says what to do.
std::string_view advice_on_reply(std::string_view detail)
{
    return is_from_server(detail) ? advice_in(on_replies, detail) : std::string_view{};
}

std::string_view advice_on_rights(std::string_view server)
{
    if (common::is_quorum(server)) {
        return "check the user's ACL rule against docs/topologies/quorum.md";
    }
    if (server.find("+cluster://") != std::string_view::npos) {
        return "check the user's ACL rule against docs/topologies/cluster.md";
    }
    return "check the user's ACL rule against docs/wire.md";
}

std::string_view advice_on_refusal(std::string_view server, std::string_view detail)
{
    if (const auto found = advice_on_reply(detail); !found.empty()) return found;
    const auto has = [&](std::string_view word) {
        return detail.find(word) != std::string_view::npos;
    };
    if (has("permission") || has("can't")) return advice_on_rights(server);
    if (has("the sentinels know no service")) {
        return "check the name of the service in the URL, and 'sentinel monitor' in the settings "
               "of the sentinels";
    }
    if (detail.starts_with("TLS: ")) return "check the certificates and the server name";
    if (is_from_server(detail)) return "check the server's settings and its log, then try again";
    return {};
}

std::string_view advice_on_silence(std::string_view detail)
{
    const auto found = advice_on_reply(detail);
    return found.empty() ? advice_in(on_silence, detail) : found;
}

// As all nodes of a new installation are. The detail begins with "0 of 3 nodes".
bool are_all_in_quarantine(std::string_view detail)
{
    constexpr std::string_view none = "0 of ";
    if (!detail.starts_with(none) || detail.size() <= none.size()) return false;
    const auto nodes = detail[none.size()] - '0';
    constexpr std::string_view word = ": in quarantine";
    int found = 0;
    for (auto at = detail.find(word); at != std::string_view::npos;
         at = detail.find(word, at + 1)) {
        ++found;
    }
    return found == nodes;
}

std::string_view advice_on_quorum(std::string_view detail)
{
    if (are_all_in_quarantine(detail)) {
        return "wait, or mark the nodes of a new installation with: pawl quorum init";
    }
    return advice_in(on_no_quorum, detail);
}

std::string_view advice(errc failure, std::string_view server, std::string_view detail)
{
    switch (failure) {
    case errc::unreachable: return advice_on_silence(detail);
    case errc::no_quorum: return advice_on_quorum(detail);
    case errc::refused: return advice_on_refusal(server, detail);
    case errc::not_a_lock:
        return "the key is not a lock of this kind: choose another name (only a mutex, a "
               "fair_mutex "
               "and a lock_set with the same layout, and a once_per with the plain layout, can "
               "share "
               "one)";
    case errc::lost: return "stop the work that the lock protected, then acquire the lock again";
    case errc::not_owner:
        return detail.empty() ? "release a lock only after it was acquired, and only once"
                              : "pass a hold that has the lock";
    case errc::would_deadlock:
        return detail.empty() ? "use pawl::recursive_mutex to lock again in the same thread"
                              : "unlock it first";
    case errc::wrong_process: return "make a new client in the child process";
    default: return {};
    }
}

}  // namespace

std::string in_quotes(std::string_view name)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out = "'";
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7F) {
            out += "\\x";
            out += digits[byte >> 4U];
            out += digits[byte & 0xFU];
        } else {
            out += c;
        }
    }
    return out += '\'';
}

std::string describe(std::string_view action, std::string_view lock, std::string_view server,
                     errc failure, std::string_view detail)
{
    std::string text{action};
    if (!lock.empty()) text += ' ' + in_quotes(lock);
    text.append(" on ").append(server).append(": ");
    text += make_error_code(failure).message();
    if (!detail.empty()) text.append(" (").append(detail).append(")");
    if (const auto hint = advice(failure, server, detail); !hint.empty())
        text.append("; ").append(hint);
    return text;
}

}  // namespace pawl::sync
