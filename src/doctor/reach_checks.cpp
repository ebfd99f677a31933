// Servers that cannot be examined.
#include "doctor/checks.h"
#include "doctor/writing.h"

#include <array>

namespace pawl::doctor {
namespace {

struct hint {
    std::string_view word;  // in the detail of the failure
    std::string_view check;
    std::string_view why;
    std::string_view advice;
};

constexpr std::string_view reachable = "reachable";
constexpr std::string_view login = "login";
constexpr std::string_view no_lock = "no lock can be taken or renewed there";

// The first match is used.
constexpr std::array hints{
    hint{"WRONGPASS", login, no_lock,
         "check user and password: in the URL, password_file or password_env"},
    hint{"invalid password", login, no_lock,
         "check user and password: in the URL, password_file or password_env"},
    hint{"NOAUTH", login, no_lock,
         "the server wants a password: give one in the URL, with password_file or password_env"},
    hint{"without any password configured", login, no_lock,
         "the server has no password for this user: leave it out, or set it at the server"},
    hint{"DENIED", login, no_lock,
         "the server is in protected mode: set requirepass or an ACL user, and bind; then set "
         "protected-mode no"},
    hint{"NOPERM", login, no_lock, "give the user the ACL rule for its locks: docs/wire.md"},
    hint{"password", login, no_lock, "check password_file or password_env: can it be read?"},
    hint{"TLS: ", login, no_lock,
         "check the certificates: ca_file, server_name, cert_file and key_file; or the server "
         "speaks no TLS on this port"},
    hint{"is a Sentinel", login, no_lock,
         "name the sentinels and the service: redis+sentinel://HOST[:PORT],…/SERVICE"},
    hint{"not a Sentinel", login, no_lock, "name the sentinels, or use redis://"},
    hint{"Redis Cluster", login, no_lock, "use the URL that the message names"},
    hint{"know no service", login, no_lock,
         "check the name of the service at the end of the URL, and sentinel monitor in the "
         "settings of the sentinels"},
    hint{"is a replica", login, "a replica grants no locks",
         "name the primary, or the sentinels: redis+sentinel://"},
    hint{"max number of clients", reachable, no_lock,
         "raise maxclients, or close connections of other clients"},
    hint{"LOADING", reachable, no_lock, "wait until the server has loaded its data"},
    hint{"host '", reachable, no_lock, "check the name in the URL, and the name server (DNS)"},
    hint{"Connection refused", reachable, no_lock,
         "start the server, or check address and port; it may listen on another address: bind"},
    hint{"No such file", reachable, no_lock,
         "start the server, or check the path of its socket: unixsocket"},
    hint{"Permission denied", reachable, no_lock, "check the rights of the socket: unixsocketperm"},
};

}  // namespace

finding unreachable(std::string_view server, const core::failure& why)
{
    const std::string seen = why.detail.empty() ? "no answer" : why.detail;
    for (const hint& each : hints) {
        if (seen.find(each.word) == std::string::npos) continue;
        return found(severity::fault, {each.check, server}, seen, each.why, each.advice);
    }
    if (why.what == core::failure_kind::refused) {
        return found(severity::fault, {login, server}, seen, no_lock,
                     "check the server's settings and its log");
    }
    return found(severity::fault, {reachable, server}, seen, no_lock,
                 "check that the server runs and answers, and that no firewall is in between");
}

findings check_server(const server_facts& of, const circumstances& at)
{
    if (of.problem) {
        auto only = unreachable(of.server, *of.problem);
        if (at.kind == store_kind::quorum) {
            only.severity = severity::warning;
            only.why = "its vote does not count, so fewer other nodes may fail";
        }
        return {only};
    }
    constexpr std::array checks{check_version,
                                check_resp3,
                                check_rights,
                                check_lock_keys,
                                check_writes,
                                check_eviction,
                                check_memory,
                                check_persistence,
                                check_disk,
                                check_pauses,
                                check_replication_lag,
                                check_min_replicas,
                                check_replica_settings,
                                check_client_timeout,
                                check_output_limit,
                                check_tcp_keepalive,
                                check_max_clients,
                                check_script_limit,
                                check_notifications,
                                check_round_trip,
                                check_clock,
                                check_drift,
                                check_cluster_state,
                                check_cluster_timeout,
                                check_cluster_coverage};
    findings all{fine({"reachable", of.server}, "it answers")};
    for (const auto check : checks) {
        for (auto& each : check(of, at)) all.push_back(std::move(each));
    }
    return all;
}

}  // namespace pawl::doctor
