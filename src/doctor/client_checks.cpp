// How the server treats its clients: their connections, their messages and their scripts.
#include "doctor/checks.h"
#include "doctor/writing.h"

#include <algorithm>

namespace pawl::doctor {
namespace {

struct output_limit {
    std::int64_t hard;
    std::int64_t soft;
    std::int64_t seconds;
};

// "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60"
std::optional<output_limit> limit_of_subscribers(const std::string& text)
{
    const auto words = split(text, ' ');
    const auto at = std::ranges::find(words, "pubsub");
    if (words.end() - at < 4) return std::nullopt;
    const auto number = [&](std::ptrdiff_t i) { return number_in(at[i]).value_or(0); };
    return output_limit{number(1), number(2), number(3)};
}

std::string shown(const output_limit& limit)
{
    return "pubsub " + std::to_string(limit.hard) + ' ' + std::to_string(limit.soft) + ' ' +
           std::to_string(limit.seconds);
}

}  // namespace

findings check_client_timeout(const server_facts& of, const circumstances& /*at*/)
{
    const subject about{"client-timeout", of.server};
    const auto seconds = of.config.number("timeout");
    if (!seconds) return {not_checked(about, missing_setting(of))};
    if (*seconds == 0) return {fine(about, "timeout 0: idle connections stay")};
    return {
        found(severity::note, about, "timeout " + std::to_string(*seconds),
              "the server closes connections that were idle for that many seconds, and the next "
              "request needs a new one. Subscribed connections stay",
              "set timeout 0 if locks are taken seldom and must be quick")};
}

findings check_output_limit(const server_facts& of, const circumstances& /*at*/)
{
    const subject about{"output-limit", of.server};
    const auto text = of.config.text("client-output-buffer-limit");
    const auto limit = text ? limit_of_subscribers(*text) : std::nullopt;
    if (!limit) return {not_checked(about, missing_setting(of))};
    constexpr std::int64_t enough = 1 << 20U;
    const auto is_small = [](std::int64_t size) { return size != 0 && size < enough; };
    if (is_small(limit->hard) || is_small(limit->soft)) {
        return {
            found(severity::warning, about, "client-output-buffer-limit " + shown(*limit),
                  "the server closes the connection of a client that reads its messages too "
                  "slowly, and its waiters miss them until their next look",
                  "set client-output-buffer-limit \"pubsub 33554432 8388608 60\", the default")};
    }
    if (limit->hard == 0 && limit->soft == 0) {
        return {
            found(severity::note, about, "client-output-buffer-limit " + shown(*limit),
                  "a client that subscribes and does not read can fill the server's memory",
                  "set client-output-buffer-limit \"pubsub 33554432 8388608 60\", the default")};
    }
    return {fine(about, "client-output-buffer-limit " + shown(*limit))};
}

findings check_tcp_keepalive(const server_facts& of, const circumstances& /*at*/)
{
    const subject about{"tcp-keepalive", of.server};
    const auto seconds = of.config.number("tcp-keepalive");
    if (!seconds) return {not_checked(about, missing_setting(of))};
    if (*seconds > 0) return {fine(about, "tcp-keepalive " + std::to_string(*seconds))};
    return {found(severity::warning, about, "tcp-keepalive 0",
                  "connections of machines that have crashed stay for ever. A waiter there still "
                  "counts as one that hears, and can be granted a lock that it never uses",
                  "set tcp-keepalive 300, the default, or less")};
}

findings check_max_clients(const server_facts& of, const circumstances& /*at*/)
{
    const subject about{"max-clients", of.server};
    const auto now = of.info.values.number("connected_clients");
    auto most = of.info.values.number("maxclients");
    if (!most) most = of.config.number("maxclients");
    if (!now) return {not_checked(about, missing_info(of))};
    if (!most) return {not_checked(about, missing_setting(of))};
    const auto percent = bounded(*now) * 100 / std::max<std::int64_t>(bounded(*most), 1);
    const std::string seen =
        std::to_string(*now) + " of " + std::to_string(*most) + " connections in use";
    if (percent < 80) return {fine(about, seen)};
    return {found(percent < 95 ? severity::warning : severity::fault, about, seen,
                  "when all are in use, the server refuses new clients, and a client whose "
                  "connection broke cannot renew its locks",
                  "raise maxclients, or set a smaller pool_size in the clients")};
}

findings check_script_limit(const server_facts& of, const circumstances& /*at*/)
{
    const subject about{"script-limit", of.server};
    auto limit = of.config.number("busy-reply-threshold");  // from 7.0 on
    if (!limit) limit = of.config.number("lua-time-limit");
    if (!limit) return {not_checked(about, missing_setting(of))};
    const std::string seen = "a script of another program can block for " +
                             span(std::chrono::milliseconds{bounded(*limit)}) +
                             " before others are told";
    if (*limit > 0 && *limit <= 10'000) return {fine(about, seen)};
    return {found(severity::note, about,
                  *limit > 0 ? seen : "a script can block without others being told",
                  "requests and renewals wait silently until a script of another program ends",
                  "set lua-time-limit 5000, the default")};
}

findings check_notifications(const server_facts& of, const circumstances& /*at*/)
{
    const subject about{"notifications", of.server};
    const auto events = of.config.text("notify-keyspace-events");
    if (!events) return {not_checked(about, missing_setting(of))};
    if (events->empty()) return {fine(about, "notify-keyspace-events is off")};
    return {found(severity::note, about, "notify-keyspace-events " + *events,
                  "each lock that is taken, renewed or released causes further messages. pawl does "
                  "not use them",
                  "set notify-keyspace-events \"\" unless another program needs them")};
}

}  // namespace pawl::doctor
