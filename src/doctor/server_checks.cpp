// What the server is, and whether it keeps what it was told.
#include "doctor/checks.h"
#include "doctor/writing.h"

#include <array>

namespace pawl::doctor {
namespace {

struct product {
    std::string name;
    std::string version;
};

// Valkey says the version of Redis that it is compatible with in redis_version, and its own one in HELLO.
product product_of(const server_facts& of)
{
    const auto& info = of.info.values;
    if (const auto own = info.text("valkey_version")) return {"Valkey", *own};
    const auto version =
        of.hello.values.text("version").value_or(info.text("redis_version").value_or(""));
    const auto name = of.hello.values.text("server").value_or("redis");
    if (name == "redis") return {"Redis", version};
    return {name == "valkey" ? "Valkey" : name, version};
}

std::array<std::int64_t, 2> first_two(const std::string& version)
{
    std::array<std::int64_t, 2> numbers{};
    const auto parts = split(version, '.');
    for (std::size_t i = 0; i < numbers.size() && i < parts.size(); ++i) {
        numbers.at(i) = number_in(parts[i]).value_or(0);
    }
    return numbers;
}

// From CONFIG GET if the user may use it, or else from INFO, which has the most important ones too.
std::optional<std::string> setting(const server_facts& of, std::string_view name,
                                   std::string_view in_info)
{
    if (auto known = of.config.text(name)) return known;
    return of.info.values.text(in_info);
}

// Whether it writes each change, each second, or not: "always", "everysec", "no"; empty if there is no append-only file;
// nothing if it is not known.
std::optional<std::string> appending(const server_facts& of)
{
    const auto from_config = of.config.text("appendonly");
    const bool on = from_config == "yes" || (!from_config && of.info.values.is("aof_enabled", "1"));
    if (!on) {
        if (!from_config && !of.info.values.text("aof_enabled")) return std::nullopt;
        return "";
    }
    return of.config.text("appendfsync").value_or("unknown");
}

std::string seen_persistence(const server_facts& of, const std::string& fsync)
{
    if (!fsync.empty()) return "append-only file, appendfsync " + fsync;
    const auto save = of.config.text("save");
    if (!save) return "no append-only file; snapshots: not known";
    if (save->empty()) return "no append-only file, no snapshots";
    return "no append-only file, only snapshots (save " + *save + ")";
}

}  // namespace

findings check_version(const server_facts& of, const circumstances& at)
{
    const subject about{"version", of.server};
    const auto [name, version] = product_of(of);
    if (version.empty()) {
        return {not_checked(about, of.info.problem.empty() ? "the server does not tell its version"
                                                           : of.info.problem)};
    }
    const std::string seen = name + ' ' + version;
    const auto numbers = first_two(version);
    if (numbers < std::array<std::int64_t, 2>{6, 2}) {
        return {found(severity::warning, about, seen,
                      "pawl is made for Redis 6.2 and later; before 6.0.6 waiters poll",
                      "update the server")};
    }
    if (at.kind == store_kind::cluster && numbers.front() < 7) {
        return {found(severity::note, about, seen,
                      "before 7.0 a Cluster has no sharded channels: each message to a waiter goes "
                      "to all nodes",
                      "update the nodes if many clients wait for locks")};
    }
    return {fine(about, seen)};
}

findings check_resp3(const server_facts& of, const circumstances& /*at*/)
{
    const subject about{"resp3", of.server};
    const auto protocol = of.hello.values.number("proto");
    if (protocol == 3)
        return {fine(about, "RESP3: messages come on the connection of the requests")};
    if (!protocol && of.hello.problem.find("wrong number of arguments") != std::string::npos) {
        return {fine(about, "the server has HELLO")};  // 6.0, where it needs an argument
    }
    std::string seen = of.hello.problem.empty() ? "no RESP3" : of.hello.problem;
    if (protocol) seen = "RESP" + std::to_string(*protocol);
    return {found(severity::warning, about, seen,
                  "without RESP3 waiters poll, with pauses of up to 100 ms, and no lock lingers",
                  "update the server or the proxy before it, and do not rename HELLO")};
}

findings check_eviction(const server_facts& of, const circumstances& at)
{
    const subject about{"eviction", of.server};
    const auto policy = setting(of, "maxmemory-policy", "maxmemory_policy");
    if (!policy) return {not_checked(about, missing_info(of))};
    const std::string seen = "maxmemory-policy " + *policy;
    if (*policy == "noeviction") return {fine(about, seen)};
    const auto limit = of.info.values.number("maxmemory");
    const bool has_limit = limit.value_or(1) != 0;
    return {
        found(has_limit ? severity::fault : severity::warning, about,
              has_limit ? seen : seen + ", without maxmemory",
              at.kind == store_kind::quorum
                  ? "a node that evicts a lock may vote for a second holder"
                  : std::string{has_limit ? "" : "once there is a limit, "} +
                        "a full server evicts locks that are held, and two can hold one lock",
              "set maxmemory-policy noeviction; give locks a server of their own if this one is "
              "a cache")};
}

findings check_memory(const server_facts& of, const circumstances& /*at*/)
{
    const subject about{"memory", of.server};
    const auto used = of.info.values.number("used_memory");
    const auto limit = of.info.values.number("maxmemory");
    if (!used || !limit) return {not_checked(about, missing_info(of))};
    if (*limit == 0) return {fine(about, bytes(*used) + " used, no maxmemory")};
    const auto percent = *used / std::max<std::int64_t>(*limit / 100, 1);
    const std::string seen =
        bytes(*used) + " of " + bytes(*limit) + " used (" + std::to_string(percent) + " %)";
    if (percent < 90) return {fine(about, seen)};
    return {found(percent >= 100 ? severity::fault : severity::warning, about, seen,
                  "a full server refuses new locks", "free some memory, or raise maxmemory")};
}

findings check_persistence(const server_facts& of, const circumstances& at)
{
    const subject about{"persistence", of.server};
    const auto fsync = appending(of);
    if (!fsync) return {not_checked(about, missing_info(of))};
    const std::string seen = seen_persistence(of, *fsync);
    // A node of a quorum that was restarted does not vote until it cannot have forgotten a lock.
    if (*fsync == "always" || at.kind == store_kind::quorum) return {fine(about, seen)};
    if (at.is_local) {
        return {found(severity::note, about, seen,
                      "a restart of the private server loses all locks; their holders are told at "
                      "the next renewal",
                      "")};
    }
    if (!fsync->empty()) {
        return {
            found(severity::note, about, seen,
                  *fsync == "everysec"
                      ? "a crash of the machine loses the locks of the last one or two seconds, "
                        "and two can hold one of these"
                      : "a crash of the machine can lose the last locks, and two can hold one "
                        "of these",
                  "set appendfsync always if that matters, or let the resource check the "
                  "fence: docs/guarantees.md")};
    }
    return {found(severity::warning, about, seen,
                  at.kind == store_kind::one_server
                      ? "a restart loses locks that are held, and two can hold one lock until the "
                        "first holder is told; fences still grow"
                      : "a primary that restarts before its replica is promoted loses locks that "
                        "are held, and its replicas lose them too",
                  "set appendonly yes, and appendfsync always if a crash of the machine must lose "
                  "nothing; let the resource check the fence: docs/guarantees.md")};
}

findings check_disk(const server_facts& of, const circumstances& /*at*/)
{
    const subject about{"disk", of.server};
    const auto& info = of.info.values;
    const auto snapshot = info.text("rdb_last_bgsave_status");
    if (!snapshot) return {not_checked(about, missing_info(of))};
    constexpr std::string_view advice =
        "look into the server's log; check the space and the rights in its directory";
    // INFO keeps the last status of a file that is switched off.
    if (!info.is("aof_enabled", "0") && info.is("aof_last_write_status", "err")) {
        return {found(severity::fault, about, "the last write to the append-only file failed",
                      "the server refuses locks as long as it cannot save (MISCONF)", advice)};
    }
    if (*snapshot == "ok") return {fine(about, "the last writes to disk worked")};
    // It refuses writes only if it makes snapshots by itself, and is to stop when one fails.
    const auto points = of.config.text("save");
    const auto stops = of.config.text("stop-writes-on-bgsave-error");
    if (points == "") {
        return {found(severity::note, about, "the last snapshot failed, and save is \"\"",
                      "the server goes on, because it makes no snapshots by itself. Others, as for "
                      "a replica, may fail again",
                      advice)};
    }
    if (stops == "no") {
        return {found(severity::warning, about, "the last snapshot failed",
                      "what the server cannot save is lost at a restart", advice)};
    }
    if (!points || !stops) {
        return {found(severity::warning, about, "the last snapshot failed",
                      "the server may refuse locks as long as it cannot save (MISCONF): its "
                      "settings save and stop-writes-on-bgsave-error are not known",
                      advice)};
    }
    return {found(severity::fault, about, "the last snapshot failed",
                  "the server refuses locks as long as it cannot save (MISCONF)", advice)};
}

findings check_pauses(const server_facts& of, const circumstances& /*at*/)
{
    const subject about{"pauses", of.server};
    const auto fork = of.info.values.number("latest_fork_usec");
    if (!fork) return {not_checked(about, missing_info(of))};
    const auto length = std::chrono::microseconds{bounded(*fork)};
    const std::string seen = *fork == 0 ? "no fork so far" : "the last fork took " + span(length);
    if (length < std::chrono::milliseconds{200}) return {fine(about, seen)};
    return {found(length < std::chrono::seconds{1} ? severity::note : severity::warning, about,
                  seen,
                  "the server answers nothing while it forks for a snapshot or a rewrite, and "
                  "renewals wait",
                  "give locks a server with little data, and switch off transparent huge pages")};
}

}  // namespace pawl::doctor
