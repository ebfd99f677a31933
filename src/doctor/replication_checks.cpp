// The replicas of a primary, and what a failover can lose.
#include "doctor/checks.h"
#include "doctor/writing.h"

#include <algorithm>

namespace pawl::doctor {
namespace {

struct replica {
    std::string address;
    std::string state;
    std::int64_t behind = 0;   // bytes
    std::int64_t silence = 0;  // seconds since its last acknowledgement
};

std::vector<replica> replicas_of(const fields& info)
{
    std::vector<replica> all;
    // Not below 0, so that their difference does not overflow.
    const auto offset_of = [](const fields& of, std::string_view name) {
        return std::max<std::int64_t>(of.number(name).value_or(0), 0);
    };
    const auto sent = offset_of(info, "master_repl_offset");
    const auto count = info.number("connected_slaves").value_or(0);
    for (std::int64_t i = 0; i < count; ++i) {
        const auto text = info.text("slave" + std::to_string(i));
        if (!text) break;  // they are numbered without gaps
        const auto one = fields::of_list(*text);
        all.push_back(
            {one.text("ip").value_or("?") + ':' + one.text("port").value_or("?"),
             one.text("state").value_or("unknown"),
             one.text("offset") ? std::max<std::int64_t>(sent - offset_of(one, "offset"), 0) : 0,
             one.number("lag").value_or(0)});
    }
    return all;
}

// Redis demands nothing if either of the two settings is 0.
bool is_switched_off(const server_facts& of)
{
    return of.config.number("min-replicas-max-lag") == 0;
}

// What the primary demands. Nothing if it is not known. INFO has the second field only if both settings are on.
std::optional<std::int64_t> demanded(const server_facts& of)
{
    for (const auto* name : {"min-replicas-to-write", "min-slaves-to-write"}) {
        if (const auto known = of.config.number(name)) return known;
    }
    if (of.info.values.empty()) return std::nullopt;
    return of.info.values.text("min_slaves_good_slaves") ? 1 : 0;
}

constexpr std::string_view why_stale =
    "a primary that was replaced, but still runs, grants locks until it is made a replica: two can "
    "hold one lock";

}  // namespace

findings check_replication_lag(const server_facts& of, const circumstances& /*at*/)
{
    const subject about{"replication-lag", of.server};
    if (of.info.values.empty()) return {not_checked(about, missing_info(of))};
    const auto all = replicas_of(of.info.values);
    if (all.empty()) return {};
    findings got;
    for (const auto& each : all) {
        constexpr std::int64_t far = 1 << 20U;
        if (each.state == "online" && each.silence <= 2 && each.behind < far) continue;
        got.push_back(found(severity::warning, about,
                            "replica " + each.address + ": " + each.state + ", " +
                                bytes(each.behind) + " behind, last heard " +
                                std::to_string(each.silence) + " s ago",
                            "locks that a replica does not have are lost if it is promoted",
                            "check the replica, the network between the servers, and the load"));
    }
    if (!got.empty()) return got;
    const auto worst = std::ranges::max_element(all, {}, &replica::behind)->behind;
    return {fine(about, counted(all.size(), "replica", "replicas") + ", at most " + bytes(worst) +
                            " behind")};
}

findings check_min_replicas(const server_facts& of, const circumstances& at)
{
    const subject about{"min-replicas", of.server};
    if (at.kind == store_kind::quorum) return {};
    const auto wanted = demanded(of);
    if (!wanted) return {not_checked(about, missing_info(of))};
    const auto& info = of.info.values;
    const auto count = info.number("connected_slaves");
    const bool off = *wanted != 0 && is_switched_off(of);
    if (*wanted == 0 || off) {
        if (count == 0 && at.kind == store_kind::one_server) return {};
        const bool replaced = at.kind == store_kind::sentinel;
        return {found(replaced ? severity::warning : severity::note, about,
                      off ? "min-replicas-to-write " + std::to_string(*wanted) +
                                ", but min-replicas-max-lag 0 switches it off"
                          : "min-replicas-to-write 0",
                      why_stale,
                      "set min-replicas-to-write 1 and min-replicas-max-lag 1 if there are two "
                      "replicas or more: docs/topologies/sentinel.md")};
    }
    const std::string seen = "min-replicas-to-write " + std::to_string(*wanted);
    const auto good = info.number("min_slaves_good_slaves");
    if (good && *good < *wanted) {
        return {found(severity::fault, about, seen + ", and " + std::to_string(*good) + " follow",
                      "the server refuses to grant or release any lock (NOREPLICAS)",
                      "start the missing replicas, or lower min-replicas-to-write")};
    }
    if (count && *count <= *wanted) {
        return {
            found(severity::note, about,
                  seen + ", of " + counted(static_cast<std::size_t>(*count), "replica", "replicas"),
                  "when one replica fails, or is promoted, the server refuses all locks",
                  "add a replica")};
    }
    const auto lag = of.config.number("min-replicas-max-lag").value_or(0);
    if (lag > 10) {
        return {found(severity::note, about, seen + ", min-replicas-max-lag " + std::to_string(lag),
                      why_stale, "set min-replicas-max-lag 1")};
    }
    return {fine(about, seen)};
}

// A primary has these settings for the time when it is a replica.
findings check_replica_settings(const server_facts& of, const circumstances& at)
{
    const subject about{"replica-writes", of.server};
    if (at.kind == store_kind::quorum) return {};
    const auto read_only = of.config.text("replica-read-only");
    if (!read_only) {
        return {not_checked(about, missing_setting(of))};
    }
    if (*read_only == "no") {
        return {found(severity::warning, about, "replica-read-only no",
                      "as a replica the server accepts locks that the primary does not know. pawl "
                      "does not use replicas, but other libraries may",
                      "set replica-read-only yes")};
    }
    return {fine(about, "replica-read-only yes")};
}

}  // namespace pawl::doctor
