#include "sync/message.h"

#include <algorithm>
#include <array>

namespace pawl::sync {
namespace {

struct hint {
    std::string_view word;  // in the server's error reply
    std::string_view advice;
};

// The first match is used.
constexpr std::array<hint, 11> hints{{
    {"OOM", "the server's memory is full: free some, or raise maxmemory"},
    {"NOAUTH", "check user and password"},
    {"WRONGPASS", "check user and password"},
    {"MISCONF",
     "check the server's settings: it cannot save, and stop-writes-on-bgsave-error is on"},
    {"NOREPLICAS", "check the server's settings: min-replicas-to-write, and its replicas"},
    {"DENIED", "check the server's settings: protected-mode, bind and requirepass"},
    {"max number of clients", "check the server's settings: maxclients"},
    {"DB index", "check the server's settings: databases"},
    {"MOVED", "Redis Cluster is not supported yet: use a server with cluster-enabled no"},
    {"unknown command", "check the server's settings: rename-command, against docs/wire.md"},
    {"NOPERM", "check the user's ACL rule against docs/wire.md"},
}};

// An error reply starts with a word in capitals.
bool is_from_server(std::string_view detail)
{
    const auto word = detail.substr(0, detail.find(' '));
    return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
}

// Empty if no hint matches, or if the detail is not an error reply: then the detail itself says what to do.
std::string_view advice_on_reply(std::string_view detail)
{
    if (!is_from_server(detail)) return {};
    for (const auto& each : hints) {
        if (detail.find(each.word) != std::string_view::npos) return each.advice;
    }
    return {};
}

std::string_view advice_on_refusal(std::string_view detail)
{
    if (const auto found = advice_on_reply(detail); !found.empty()) return found;
    if (detail.find("permission") != std::string_view::npos ||
        detail.find("can't") != std::string_view::npos) {
        return "check the user's ACL rule against docs/wire.md";
    }
    if (detail.starts_with("TLS: ")) return "check the certificates and the server name";
    if (is_from_server(detail)) return "check the server's settings and its log, then try again";
    return {};
}

std::string_view advice_on_silence(std::string_view detail)
{
    if (const auto found = advice_on_reply(detail); !found.empty()) return found;
    if (detail.find("is a replica") != std::string_view::npos) {
        return "name the primary, or try again when the address leads to it";
    }
    return "check that the server runs and can be reached, then try again";
}

std::string_view advice(errc failure, std::string_view detail)
{
    switch (failure) {
    case errc::unreachable: return advice_on_silence(detail);
    case errc::refused: return advice_on_refusal(detail);
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
    if (const auto hint = advice(failure, detail); !hint.empty()) text.append("; ").append(hint);
    return text;
}

}  // namespace pawl::sync
