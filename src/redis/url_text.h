// Pieces of URLs, checked. Every function throws pawl::error (bad_argument) for a bad text.
#pragma once

#include "redis/url.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::redis {

// The forms of a URL that are allowed, for messages.
inline constexpr std::string_view allowed_schemes =
    "redis://HOST[:PORT][/DB], rediss://HOST[:PORT][/DB], unix:PATH, local:, memory:[NAME], "
    "redis+sentinel://HOST[:PORT],…/SERVICE[/DB], redis+cluster://HOST[:PORT],… or "
    "redlock:URL,URL,URL";

[[noreturn]] void refuse_url(const std::string& message);

// `part` names the text in a message. The text itself may be a password and is not shown.
[[nodiscard]] std::string percent_decoded(std::string_view text, std::string_view part);

[[nodiscard]] int database_number(std::string_view text);

// The number of replicas, or `majority`.
inline constexpr int most_acknowledgements = 64;
[[nodiscard]] acknowledgement acknowledgement_in(std::string_view text);

[[nodiscard]] bool on_or_off(std::string_view name, std::string_view text);

// Splits at the first `mark`; the mark itself is dropped.
[[nodiscard]] std::pair<std::string_view, std::optional<std::string_view>> split(
    std::string_view text, char mark);

// The text before the first colon, for messages: the rest may be secret.
[[nodiscard]] std::string shown_scheme(std::string_view url);

// [user[:password]@]hosts[/path], without a query. What is not there is empty.
struct authority {
    std::string_view user;
    std::string_view hosts;
    std::string_view path;
};
[[nodiscard]] authority split_authority(std::string_view text);

// A parameter after the '?' of a URL, and what sets it.
struct url_parameter {
    std::string_view name;
    std::function<void(const std::string&)> set;
};
void read_query(std::string_view query, const std::vector<url_parameter>& known);

// The parameters of every connection to a server: name, passwords, TLS and acknowledgements. The second function adds
// the database, which a Cluster does not have.
[[nodiscard]] std::vector<url_parameter> connection_parameters(server_config& config);
[[nodiscard]] std::vector<url_parameter> database_parameters(server_config& config);

// `user[:password]`.
void read_user(std::string_view text, server_config& config);

// `host[:port]`.
void read_host(std::string_view text, address& where);

// A password with an unescaped '/' or '?' would be taken for a database or a parameter, and shown.
void refuse_stray_at(std::string_view url);

// The settings of `options` that are beside the URL take precedence over it.
void apply_options(const client_options& options, server_config& config);

// Whether any of them is set.
[[nodiscard]] bool is_any_set(const tls_options& options);

// Checks what belongs together.
void check(const server_config& config);

// `host:port`, with brackets for IPv6.
[[nodiscard]] std::string shown_host(const address& where);

}  // namespace pawl::redis
