#include "sync/message.h"

namespace pawl::sync {
namespace {

std::string_view advice(errc failure, std::string_view detail)
{
    const auto says = [&](std::string_view word) {
        return detail.find(word) != std::string_view::npos;
    };
    switch (failure) {
    case errc::unreachable:
        if (says("is a replica"))
            return "name the primary, or try again when the address leads to it";
        return "check that the server runs and can be reached, then try again";
    case errc::refused:
        if (says("OOM")) return "the server's memory is full: free some, or raise maxmemory";
        if (says("NOAUTH") || says("WRONGPASS")) return "check user and password";
        if (says("NOPERM") || says("permission") || says("can't")) {
            return "check the user's ACL rule against docs/wire.md";
        }
        if (says("TLS")) return "check the certificates and the server name";
        return "mend the server's settings, then try again";
    case errc::not_a_lock: return "the key holds something else: choose another name";
    case errc::lost: return "stop work on what it protected, and acquire it anew";
    case errc::not_owner: return "release only what was acquired, and once";
    case errc::would_deadlock: return "use pawl::recursive_mutex to lock again in the same thread";
    case errc::wrong_process: return "make a new client in the child process";
    default: return {};
    }
}

}  // namespace

std::string quoted(std::string_view name)
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
    if (!lock.empty()) text += ' ' + quoted(lock);
    text.append(" on ").append(server).append(": ");
    text += make_error_code(failure).message();
    if (!detail.empty()) text.append(" (").append(detail).append(")");
    if (const auto hint = advice(failure, detail); !hint.empty()) text.append("; ").append(hint);
    return text;
}

}  // namespace pawl::sync
