#include "redis/url.h"

#include "redis/memory_name.h"
#include "redis/url_text.h"

#include <pawl/error.h>

#include <optional>
#include <utility>

namespace pawl::redis {
namespace {

// The text after redis:// or rediss://, without the query.
void read_tcp(std::string_view text, server_config& config)
{
    const auto parts = split_authority(text);
    if (!parts.path.empty()) config.database = database_number(parts.path);
    if (!parts.user.empty()) read_user(parts.user, config);
    read_host(parts.hosts, config.where);
}

void read_unix(std::string_view text, address& where)
{
    if (text.starts_with("//")) text.remove_prefix(2);
    where.what = address::kind::unix_socket;
    where.path = percent_decoded(text, "path");
    constexpr std::size_t longest = 107;  // the size of sun_path without the NUL
    if (!where.path.starts_with('/') || where.path.size() > longest) {
        refuse_url("socket path '" + where.path + "' (allowed: absolute, at most 107 bytes)");
    }
}

void read_memory(std::string_view name, address& where)
{
    if (!is_memory_name(name)) {
        refuse_url("memory: name '" + std::string{name.substr(0, longest_memory_name)} +
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
    return (where.tls ? "rediss://" : "redis://") + shown_host(where) +
           (database == 0 ? "" : '/' + number);
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
        refuse_url("scheme '" + shown_scheme(before) +
                   "' (allowed: " + std::string{allowed_schemes} + ")");
    }
    if (query) read_query(*query, database_parameters(config));
}

}  // namespace

server_config read_config(const client_options& options)
{
    server_config config;
    read_url(options.url, config);
    apply_options(options, config);
    config.shown = shown_address(config.where, config.database);
    if (config.database != 0 && config.where.what == address::kind::memory) {
        throw error{errc::bad_argument, "database: " + std::to_string(config.database) +
                                            " (allowed with memory: 0; use memory:NAME instead)"};
    }
    check(config);
    return config;
}

}  // namespace pawl::redis
