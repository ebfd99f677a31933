#include "redis/url_text.h"

#include <pawl/error.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>

namespace pawl::redis {
namespace {

int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
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

std::uint16_t port_number(std::string_view text)
{
    const auto value = number<std::uint16_t>(text);
    if (value && *value != 0) return *value;
    // The text is not shown: in redis://user:password, without a host, it is the password.
    const bool digits = text.find_first_not_of("0123456789") == std::string_view::npos;
    refuse_url("port " + (digits ? '\'' + std::string{text} + '\'' : "is text") +
               " (allowed: 1 – 65535)");
}

void prefer(std::string& value, const std::string& option)
{
    if (!option.empty()) value = option;
}

}  // namespace

void check(const server_config& config)
{
    const bool sentinel = config.speaks == server_config::mode::sentinel;
    const std::string whose = sentinel ? "sentinel: " : "";
    const int sources = static_cast<int>(!config.password.empty()) +
                        static_cast<int>(!config.password_file.empty()) +
                        static_cast<int>(!config.password_env.empty());
    if (sources > 1) {
        throw error{errc::bad_argument,
                    whose +
                        "password: given more than once (allowed: one of password, password_file, "
                        "password_env)"};
    }
    if (config.database < 0) {
        throw error{errc::bad_argument,
                    "database: " + std::to_string(config.database) + " (allowed: 0 and above)"};
    }
    const int replicas = config.acknowledged.replicas();
    if (replicas < 0 || replicas > most_acknowledgements) {
        throw error{errc::bad_argument, "acknowledged: " + std::to_string(replicas) +
                                            " (allowed: 0 – " +
                                            std::to_string(most_acknowledgements) + ", majority)"};
    }
    // The server refuses blanks and control characters in connection names.
    for (const char c : config.name) {
        if (c < '!' || c > '~') {
            throw error{errc::bad_argument,
                        "name: '" + config.name + "' (allowed: printable ASCII without blanks)"};
        }
    }
    if (config.tls.cert_file.empty() != config.tls.key_file.empty()) {
        throw error{errc::bad_argument,
                    whose + "tls: cert_file and key_file must be given together"};
    }
    if (is_any_set(config.tls) && !config.where.tls) {
        const std::string remedy = sentinel ? "rediss+sentinel:// or sentinel_tls=on" : "rediss://";
        throw error{errc::bad_argument, whose + "tls: options are given, but " + config.shown +
                                            " is not encrypted (allowed: with " + remedy + ")"};
    }
}

void refuse_url(const std::string& message)
{
    throw error{errc::bad_argument, "URL: " + message};
}

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
            refuse_url("a '%' in the " + std::string{part} +
                       " is not followed by two hexadecimal digits");
        }
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    if (out.find('\0') != std::string::npos) refuse_url("a NUL in the " + std::string{part});
    return out;
}

int database_number(std::string_view text)
{
    const auto value = number<int>(text);
    if (!value || *value < 0) {
        refuse_url("database '" + std::string{text} + "' is not a number (allowed: 0 and above)");
    }
    return *value;
}

bool on_or_off(std::string_view name, std::string_view text)
{
    if (text == "on") return true;
    if (text == "off") return false;
    refuse_url(std::string{name} + " is '" + std::string{text} + "' (allowed: on, off)");
}

acknowledgement acknowledgement_in(std::string_view text)
{
    if (text == "majority") return acknowledgement::majority();
    const auto replicas = number<int>(text);
    if (!replicas || *replicas < 1 || *replicas > most_acknowledgements) {
        refuse_url("acknowledged is '" + std::string{text} + "' (allowed: 1 – " +
                   std::to_string(most_acknowledgements) + ", majority)");
    }
    return *replicas;
}

std::pair<std::string_view, std::optional<std::string_view>> split(std::string_view text, char mark)
{
    const auto at = text.find(mark);
    if (at == std::string_view::npos) return {text, std::nullopt};
    return {text.substr(0, at), text.substr(at + 1)};
}

std::string shown_scheme(std::string_view url)
{
    constexpr std::size_t most = 32;
    return std::string{url.substr(0, std::min(url.find(':'), most))};
}

authority split_authority(std::string_view text)
{
    authority got;
    const auto [before, path] = split(text, '/');
    got.hosts = before;
    got.path = path.value_or("");
    // The last '@': a password may contain others.
    if (const auto at = before.rfind('@'); at != std::string_view::npos) {
        got.user = before.substr(0, at);
        got.hosts = before.substr(at + 1);
    }
    return got;
}

void read_query(std::string_view query, const std::vector<url_parameter>& known)
{
    for (std::optional<std::string_view> rest = query; rest;) {
        const auto [item, after] = split(*rest, '&');
        rest = after;
        const auto [name, value] = split(item, '=');
        const url_parameter* found = nullptr;
        std::string names;
        for (const auto& each : known) {
            if (each.name == name) found = &each;
            names += (names.empty() ? "" : ", ") + std::string{each.name};
        }
        if (found == nullptr) {
            refuse_url("unknown parameter '" + std::string{name} + "' (allowed: " + names + ")");
        }
        found->set(percent_decoded(value.value_or(""), name));
    }
}

std::vector<url_parameter> connection_parameters(server_config& config)
{
    return {
        {"name", [&](const std::string& v) { config.name = v; }},
        {"password_file", [&](const std::string& v) { config.password_file = v; }},
        {"password_env", [&](const std::string& v) { config.password_env = v; }},
        {"ca_file", [&](const std::string& v) { config.tls.ca_file = v; }},
        {"cert_file", [&](const std::string& v) { config.tls.cert_file = v; }},
        {"key_file", [&](const std::string& v) { config.tls.key_file = v; }},
        {"server_name", [&](const std::string& v) { config.tls.server_name = v; }},
        {"verify", [&](const std::string& v) { config.tls.verify = on_or_off("verify", v); }},
        {"acknowledged",
         [&](const std::string& v) { config.acknowledged = acknowledgement_in(v); }},
    };
}

std::vector<url_parameter> database_parameters(server_config& config)
{
    auto known = connection_parameters(config);
    known.insert(known.begin(),
                 {"db", [&](const std::string& v) { config.database = database_number(v); }});
    return known;
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
        if (close == std::string_view::npos) refuse_url("'[' without ']' in the host");
        host = text.substr(1, close - 1);
        const auto after = text.substr(close + 1);
        if (!after.empty() && after.front() != ':') refuse_url("text between ']' and the port");
        if (!after.empty()) port = after.substr(1);
    } else {
        std::tie(host, port) = split(text, ':');
    }
    if (host.empty()) refuse_url("no host (allowed: " + std::string{allowed_schemes} + ")");
    where.host = percent_decoded(host, "host");
    if (port) where.port = port_number(*port);
}

void refuse_stray_at(std::string_view url)
{
    const auto host = url.find("://");
    if (host == std::string_view::npos) return;
    const auto end_of_host = url.find_first_of("/?", host + 3);
    if (end_of_host == std::string_view::npos) return;
    if (url.find('@', end_of_host) != std::string_view::npos) {
        refuse_url(
            "an '@' after the host (in a password write / as %2F and ? as %3F; elsewhere write "
            "@ as %40)");
    }
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
    if (options.acknowledged.is_on()) config.acknowledged = options.acknowledged;
}

bool is_any_set(const tls_options& options)
{
    return !options.ca_file.empty() || !options.cert_file.empty() || !options.key_file.empty() ||
           !options.server_name.empty() || !options.verify;
}

std::string shown_host(const address& where)
{
    const bool v6 = where.host.find(':') != std::string::npos;
    return (v6 ? '[' + where.host + ']' : where.host) + ':' + std::to_string(where.port);
}

}  // namespace pawl::redis
