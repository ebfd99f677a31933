#include "redis/deployment.h"

#include "base/mutant.h"
#include "common/quorum_url.h"
#include "redis/url_text.h"

#include <pawl/error.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace pawl::redis {
namespace {

constexpr std::uint16_t sentinel_port = 26'379;

// How a URL with several hosts begins, and what the rest of it means.
struct scheme {
    std::string_view text;
    bool tls;
    deployment (*read)(const scheme& how, std::string_view rest, const client_options& options);
};

// The rest of such a URL: [user[:password]@]host[:port],host[:port]…[/path][?query].
struct host_list {
    std::string_view user;
    std::vector<std::string_view> hosts;
    std::string_view path;
    std::optional<std::string_view> query;
};

host_list split_hosts(std::string_view text)
{
    const auto [before, query] = split(text, '?');
    const auto parts = split_authority(before);
    host_list got{parts.user, {}, parts.path, query};
    for (std::optional rest = parts.hosts; rest;) {
        const auto [host, after] = split(*rest, ',');
        rest = after;
        got.hosts.push_back(host);
    }
    return got;
}

// A host in one way of writing: capitals, a last dot, and other forms of an IP address make no difference.
std::string canonical_host(std::string host)
{
    std::ranges::transform(host, host.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    if (host.ends_with('.')) host.pop_back();
    if (host == "localhost") return "127.0.0.1";
    std::array<unsigned char, 16> bytes{};
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (inet_pton(AF_INET6, host.c_str(), bytes.data()) != 1) return host;
    return inet_ntop(AF_INET6, bytes.data(), text.data(), text.size());
}

// What all such deployments have in common. The hosts follow in read_hosts().
deployment begin_deployment(deployment::kind what, const scheme& how, const host_list& parts)
{
    deployment got;
    got.what = what;
    got.shown = how.text;
    got.found.shown = how.text;
    got.found.where.tls = how.tls;
    if (!parts.user.empty()) read_user(parts.user, got.found);
    return got;
}

// Refuses a server that is named twice.
void refuse_duplicates(const std::vector<server_config>& all)
{
    for (auto each = all.begin(); each != all.end(); ++each) {
        const auto host = canonical_host(each->where.host);
        const auto same = [&](const server_config& other) {
            return other.where.what == each->where.what &&
                   canonical_host(other.where.host) == host &&
                   other.where.port == each->where.port && other.where.path == each->where.path;
        };
        const auto found = std::find_if(std::next(each), all.end(), same);
        if (found == all.end()) continue;
        const auto again = found->shown == each->shown ? "" : ", also as " + found->shown;
        refuse_url("the server " + each->shown + " is named twice" + again);
    }
}

void read_hosts(const host_list& from, const server_config& like, std::uint16_t port,
                deployment& into)
{
    for (const auto text : from.hosts) {
        auto config = like;
        config.where.port = port;
        read_host(text, config.where);
        config.shown = shown_host(config.where);
        into.shown += (into.servers.empty() ? "" : ",") + config.shown;
        into.servers.push_back(std::move(config));
    }
    refuse_duplicates(into.servers);
}

std::vector<url_parameter> sentinel_parameters(sentinel_options& sentinel)
{
    return {
        {"sentinel_user", [&](const std::string& v) { sentinel.user = v; }},
        {"sentinel_password_file", [&](const std::string& v) { sentinel.password_file = v; }},
        {"sentinel_password_env", [&](const std::string& v) { sentinel.password_env = v; }},
        {"sentinel_tls",
         [&](const std::string& v) { sentinel.encrypted = on_or_off("sentinel_tls", v); }},
        {"sentinel_ca_file", [&](const std::string& v) { sentinel.tls.ca_file = v; }},
        {"sentinel_cert_file", [&](const std::string& v) { sentinel.tls.cert_file = v; }},
        {"sentinel_key_file", [&](const std::string& v) { sentinel.tls.key_file = v; }},
        {"sentinel_server_name", [&](const std::string& v) { sentinel.tls.server_name = v; }},
        {"sentinel_verify",
         [&](const std::string& v) { sentinel.tls.verify = on_or_off("sentinel_verify", v); }},
    };
}

// For a connection to a sentinel: the options of `beside`, or else those of the URL. It is encrypted as the primary is,
// unless one of them says more.
server_config sentinel_config(const sentinel_options& beside, const sentinel_options& in_url,
                              const server_config& primary)
{
    client_options options;
    options.user = beside.user;
    options.password = beside.password;
    options.password_file = beside.password_file;
    options.password_env = beside.password_env;
    options.tls = beside.tls;
    server_config config;
    config.speaks = server_config::mode::sentinel;
    config.where.tls = beside.encrypted.value_or(in_url.encrypted.value_or(primary.where.tls));
    config.user = in_url.user;
    config.password_file = in_url.password_file;
    config.password_env = in_url.password_env;
    config.tls = in_url.tls;
    config.name = primary.name;
    apply_options(options, config);
    config.shown = "the connection to a sentinel";
    check(config);
    return config;
}

void read_service(std::string_view path, deployment& into)
{
    const auto [service, database] = split(path, '/');
    into.service = percent_decoded(service, "service");
    if (into.service.empty()) {
        refuse_url("no service (allowed: redis+sentinel://HOST[:PORT],…/SERVICE[/DB])");
    }
    if (database && !database->empty()) into.found.database = database_number(*database);
}

deployment read_sentinel(const scheme& how, std::string_view rest, const client_options& options)
{
    const auto parts = split_hosts(rest);
    auto got = begin_deployment(deployment::kind::sentinel, how, parts);
    read_service(parts.path, got);
    sentinel_options in_url;
    if (parts.query) {
        auto known = database_parameters(got.found);
        std::ranges::move(sentinel_parameters(in_url), std::back_inserter(known));
        read_query(*parts.query, known);
    }
    apply_options(options, got.found);
    check(got.found);
    read_hosts(parts, sentinel_config(options.sentinel, in_url, got.found), sentinel_port, got);
    got.shown += '/' + got.service;
    if (got.found.database != 0) got.shown += '/' + std::to_string(got.found.database);
    return got;
}

deployment read_cluster(const scheme& how, std::string_view rest, const client_options& options)
{
    const auto parts = split_hosts(rest);
    auto got = begin_deployment(deployment::kind::cluster, how, parts);
    got.found.speaks = server_config::mode::cluster;
    if (parts.query) read_query(*parts.query, connection_parameters(got.found));
    apply_options(options, got.found);
    if (!parts.path.empty() || got.found.database != 0) {
        const auto named = parts.path.empty() ? std::to_string(got.found.database)
                                              : std::string{parts.path.substr(0, 32)};
        refuse_url("database '" + named + "' of a Cluster (allowed: none, a Cluster has only one)");
    }
    check(got.found);
    read_hosts(parts, got.found, address{}.port, got);
    return got;
}

constexpr std::array<scheme, 4> schemes_with_hosts{{
    {"redis+sentinel://", false, read_sentinel},
    {"rediss+sentinel://", true, read_sentinel},
    {"redis+cluster://", false, read_cluster},
    {"rediss+cluster://", true, read_cluster},
}};

// The URL of one node of a quorum: one server, and not a group of them.
server_config read_node(const std::string& url, const client_options& options)
{
    for (const std::string_view group : {"redis+sentinel:", "rediss+sentinel:", "redis+cluster:",
                                         "rediss+cluster:", "redlock:", "local:", "memory:"}) {
        if (!url.starts_with(group)) continue;
        refuse_url(
            "a quorum with " + std::string{group} +
            " (allowed: redis://, rediss:// and unix:, each with the address of one server)");
    }
    auto one = options;
    one.url = url;
    return read_config(one);
}

// The URL is not in the message, because it may contain a password. So the message says which one it is.
template <class Reader>
server_config node_number(std::size_t number, const Reader& read)
{
    try {
        return read();
    } catch (const error& e) {
        throw error{errc::bad_argument, "node " + std::to_string(number) + ": " + e.what()};
    }
}

deployment read_quorum(const std::vector<std::string>& urls, const client_options& options)
{
    constexpr std::size_t most = 7;
    const bool even = urls.size() % 2 == 0 && !base::is(base::mutant::d11_even_quorum);
    if (urls.size() < 3 || urls.size() > most || even) {
        const auto count = std::to_string(urls.size()) + (urls.size() == 1 ? " node" : " nodes");
        refuse_url("a quorum of " + count +
                   " (allowed: 3, 5 or 7, each with its scheme, with commas and without blanks: "
                   "redlock:redis://HOST,redis://HOST,redis://HOST)");
    }
    deployment got;
    got.what = deployment::kind::quorum;
    got.shown = common::quorum_scheme;
    for (const auto& url : urls) {
        auto config = node_number(got.servers.size() + 1, [&] { return read_node(url, options); });
        if (config.acknowledged.is_on()) {
            throw error{errc::bad_argument,
                        "acknowledged: not with a quorum (allowed: with one server, sentinels or a "
                        "Cluster)"};
        }
        got.shown += (got.servers.empty() ? "" : ",") + config.shown;
        got.servers.push_back(std::move(config));
    }
    refuse_duplicates(got.servers);
    return got;
}

deployment read_one_server(const client_options& options)
{
    deployment got;
    got.servers.push_back(read_config(options));
    got.shown = got.servers.front().shown;
    return got;
}

deployment read_any(const client_options& options)
{
    const std::string_view url = options.url;
    if (!options.nodes.empty()) {
        if (url != client_options{}.url) refuse_url("given beside nodes (allowed: one of them)");
        return read_quorum(options.nodes, options);
    }
    if (common::is_quorum(url)) return read_quorum(common::node_urls(url), options);
    for (const auto& each : schemes_with_hosts) {
        if (!url.starts_with(each.text)) continue;
        refuse_stray_at(url);
        return each.read(each, url.substr(each.text.size()), options);
    }
    return read_one_server(options);
}

bool is_any_set(const sentinel_options& options)
{
    return !options.user.empty() || !options.password.empty() || !options.password_file.empty() ||
           !options.password_env.empty() || options.encrypted || redis::is_any_set(options.tls);
}

}  // namespace

deployment read_deployment(const client_options& options)
{
    auto got = read_any(options);
    if (got.what != deployment::kind::sentinel && is_any_set(options.sentinel)) {
        throw error{errc::bad_argument,
                    "sentinel: options are given, but the URL has no sentinels (allowed: with "
                    "redis+sentinel:// and rediss+sentinel://)"};
    }
    return got;
}

}  // namespace pawl::redis
