#include "redis/url.h"

#include "redis/memory_name.h"

#include <pawl/error.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <optional>
#include <utility>

namespace pawl::redis {
namespace {

constexpr std::string_view allowed_schemes =
    "redis://HOST[:PORT][/DB], rediss://HOST[:PORT][/DB], unix:PATH, local: or memory:[NAME]";

[[noreturn]] void refuse(const std::string& message)
{
    throw error{errc::bad_argument, "URL: " + message};
}

int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// `part` names the text in a message. The text itself may be a password and is not shown.
std::string percent_decoded(std::string_view text, std::string_view part)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
        const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
        if (high < 0 || low < 0) {
            refuse("a '%' in the " + std::string{part} +
                   " is not followed by two hexadecimal digits");
        }
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    if (out.find('\0') != std::string::npos) refuse("a NUL in the " + std::string{part});
    return out;
}

template <class Number>
std::optional<Number> number(std::string_view text)
{
    Number value{};
    const auto* end = text.data() + text.size();
    const auto [at, failure] = std::from_chars(text.data(), end, value);
    if (failure != std::errc{} || at != end) return std::nullopt;
    return value;
}

int database_number(std::string_view text)
{
    const auto value = number<int>(text);
    if (!value || *value < 0) {
        refuse("database '" + std::string{text} + "' is not a number (allowed: 0 and above)");
    }
    return *value;
}

std::uint16_t port_number(std::string_view text)
{
    const auto value = number<std::uint16_t>(text);
    if (value && *value != 0) return *value;
    // The text is not shown: in redis://user:password, without a host, it is the password.
    const bool digits = text.find_first_not_of("0123456789") == std::string_view::npos;
    refuse("port " + (digits ? '\'' + std::string{text} + '\'' : "is text") +
           " (allowed: 1 – 65535)");
}

bool on_or_off(std::string_view name, std::string_view text)
{
    if (text == "on") return true;
    if (text == "off") return false;
    refuse(std::string{name} + " is '" + std::string{text} + "' (allowed: on, off)");
}

// Splits at the first `mark`; the mark itself is dropped.
std::pair<std::string_view, std::optional<std::string_view>> split(std::string_view text, char mark)
{
    const auto at = text.find(mark);
    if (at == std::string_view::npos) return {text, std::nullopt};
    return {text.substr(0, at), text.substr(at + 1)};
}

void read_query(std::string_view query, server_config& config)
{
    using setter = std::function<void(std::string)>;
    const std::array<std::pair<std::string_view, setter>, 9> known{{
        {"db", [&](const std::string& v) { config.database = database_number(v); }},
        {"name", [&](std::string v) { config.name = std::move(v); }},
        {"password_file", [&](std::string v) { config.password_file = std::move(v); }},
        {"password_env", [&](std::string v) { config.password_env = std::move(v); }},
        {"ca_file", [&](std::string v) { config.tls.ca_file = std::move(v); }},
        {"cert_file", [&](std::string v) { config.tls.cert_file = std::move(v); }},
        {"key_file", [&](std::string v) { config.tls.key_file = std::move(v); }},
        {"server_name", [&](std::string v) { config.tls.server_name = std::move(v); }},
        {"verify", [&](const std::string& v) { config.tls.verify = on_or_off("verify", v); }},
    }};
    for (std::optional<std::string_view> rest = query; rest;) {
        const auto [item, after] = split(*rest, '&');
        rest = after;
        const auto [name, value] = split(item, '=');
        const setter* found = nullptr;
        std::string names;
        for (const auto& [known_name, set] : known) {
            if (known_name == name) found = &set;
            names += (names.empty() ? "" : ", ") + std::string{known_name};
        }
        if (found == nullptr) {
            refuse("unknown parameter '" + std::string{name} + "' (allowed: " + names + ")");
        }
        (*found)(percent_decoded(value.value_or(""), name));
    }
}

void read_user(std::string_view text, server_config& config)
{
    const auto [user, password] = split(text, ':');
    config.user = percent_decoded(user, "user");
    if (password) config.password = percent_decoded(*password, "password");
}

void read_host(std::string_view text, address& where)
{
    std::string_view host = text;
    std::optional<std::string_view> port;
    if (text.starts_with('[')) {
        const auto close = text.find(']');
        if (close == std::string_view::npos) refuse("'[' without ']' in the host");
        host = text.substr(1, close - 1);
        const auto after = text.substr(close + 1);
        if (!after.empty() && after.front() != ':') refuse("text between ']' and the port");
        if (!after.empty()) port = after.substr(1);
    } else {
        std::tie(host, port) = split(text, ':');
    }
    if (host.empty()) refuse("no host (allowed: " + std::string{allowed_schemes} + ")");
    where.host = percent_decoded(host, "host");
    if (port) where.port = port_number(*port);
}

// The text after redis:// or rediss://, without the query.
void read_tcp(std::string_view text, server_config& config)
{
    const auto slash = text.find('/');
    auto authority = text.substr(0, slash);
    if (slash != std::string_view::npos && slash + 1 < text.size()) {
        config.database = database_number(text.substr(slash + 1));
    }
    // The last '@': a password may contain others.
    if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
        read_user(authority.substr(0, at), config);
        authority = authority.substr(at + 1);
    }
    read_host(authority, config.where);
}

void read_unix(std::string_view text, address& where)
{
    if (text.starts_with("//")) text.remove_prefix(2);
    where.what = address::kind::unix_socket;
    where.path = percent_decoded(text, "path");
    constexpr std::size_t longest = 107;  // the size of sun_path without the NUL
    if (!where.path.starts_with('/') || where.path.size() > longest) {
        refuse("socket path '" + where.path + "' (allowed: absolute, at most 107 bytes)");
    }
}

void read_memory(std::string_view name, address& where)
{
    if (!is_memory_name(name)) {
        refuse("memory: name '" + std::string{name.substr(0, longest_memory_name)} +
               "' (allowed: at most 64 letters, digits, '_', '.' and '-')");
    }
    where.what = address::kind::memory;
    where.name = name;
}

// With the database, because locks in different databases are independent.
std::string shown_address(const address& where, int database)
{
    const auto number = std::to_string(database);
    const std::string as_parameter = database == 0 ? "" : "?db=" + number;
    switch (where.what) {
    case address::kind::unix_socket: return "unix:" + where.path + as_parameter;
    case address::kind::local: return "local:" + as_parameter;
    case address::kind::memory: return "memory:" + where.name;
    default: break;
    }
    const bool v6 = where.host.find(':') != std::string::npos;
    return (where.tls ? "rediss://" : "redis://") + (v6 ? '[' + where.host + ']' : where.host) +
           ':' + std::to_string(where.port) + (database == 0 ? "" : '/' + number);
}

// A password with an unescaped '/' or '?' would be taken for a database or a parameter, and shown.
void refuse_stray_at(std::string_view url)
{
    const auto host = url.find("://");
    if (host == std::string_view::npos) return;
    const auto end_of_host = url.find_first_of("/?", host + 3);
    if (end_of_host == std::string_view::npos) return;
    if (url.find('@', end_of_host) != std::string_view::npos) {
        refuse(
            "an '@' after the host (in a password write / as %2F and ? as %3F; elsewhere write "
            "@ as %40)");
    }
}

void read_url(std::string_view url, server_config& config)
{
    const auto [before, query] = split(url, '?');
    refuse_stray_at(url);
    if (before.starts_with("redis://")) {
        read_tcp(before.substr(8), config);
    } else if (before.starts_with("rediss://")) {
        config.where.tls = true;
        read_tcp(before.substr(9), config);
    } else if (before.starts_with("unix:")) {
        read_unix(before.substr(5), config.where);
    } else if (before == "local:") {
        config.where.what = address::kind::local;
    } else if (before.starts_with("memory:")) {
        read_memory(before.substr(7), config.where);
    } else {
        // Only the text before the first colon: the rest may be secret.
        const auto scheme = before.substr(0, before.find(':'));
        refuse("scheme '" + std::string{scheme.substr(0, 32)} +
               "' (allowed: " + std::string{allowed_schemes} + ")");
    }
    if (query) read_query(*query, config);
}

void prefer(std::string& value, const std::string& option)
{
    if (!option.empty()) value = option;
}

void apply_options(const client_options& options, server_config& config)
{
    prefer(config.user, options.user);
    if (!options.password.empty() || !options.password_file.empty() ||
        !options.password_env.empty()) {
        config.password = options.password;
        config.password_file = options.password_file;
        config.password_env = options.password_env;
    }
    if (options.database) config.database = *options.database;
    prefer(config.name, options.name);
    prefer(config.tls.ca_file, options.tls.ca_file);
    prefer(config.tls.cert_file, options.tls.cert_file);
    prefer(config.tls.key_file, options.tls.key_file);
    prefer(config.tls.server_name, options.tls.server_name);
    if (!options.tls.verify) config.tls.verify = false;
}

std::string default_name()
{
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
    return "pawl:" + std::string{host.data()} + ':' + std::to_string(::getpid());
}

void check(const server_config& config)
{
    const int sources = static_cast<int>(!config.password.empty()) +
                        static_cast<int>(!config.password_file.empty()) +
                        static_cast<int>(!config.password_env.empty());
    if (sources > 1) {
        throw error{errc::bad_argument,
                    "password: given more than once (allowed: one of password, password_file, "
                    "password_env)"};
    }
    if (config.database < 0) {
        throw error{errc::bad_argument,
                    "database: " + std::to_string(config.database) + " (allowed: 0 and above)"};
    }
    if (config.database != 0 && config.where.what == address::kind::memory) {
        throw error{errc::bad_argument, "database: " + std::to_string(config.database) +
                                            " (allowed with memory: 0; use memory:NAME instead)"};
    }
    // The server refuses blanks and control characters in connection names.
    for (const char c : config.name) {
        if (c < '!' || c > '~') {
            throw error{errc::bad_argument,
                        "name: '" + config.name + "' (allowed: printable ASCII without blanks)"};
        }
    }
    if (config.tls.cert_file.empty() != config.tls.key_file.empty()) {
        throw error{errc::bad_argument, "tls: cert_file and key_file must be given together"};
    }
    const bool any_tls = !config.tls.ca_file.empty() || !config.tls.cert_file.empty() ||
                         !config.tls.server_name.empty() || !config.tls.verify;
    if (any_tls && !config.where.tls) {
        throw error{errc::bad_argument, "tls: options are given, but " + config.shown +
                                            " is not encrypted (allowed: with rediss://)"};
    }
}

}  // namespace

server_config read_config(const client_options& options)
{
    server_config config;
    read_url(options.url, config);
    apply_options(options, config);
    config.shown = shown_address(config.where, config.database);
    check(config);
    if (config.name.empty()) config.name = default_name();
    return config;
}

}  // namespace pawl::redis
