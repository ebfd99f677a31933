// What the user may do.
#include "doctor/checks.h"
#include "doctor/rights.h"
#include "doctor/writing.h"

#include <algorithm>
#include <map>

namespace pawl::doctor {
namespace {

struct loss {
    severity how;
    std::string_view what;
};

loss loss_without(purpose needed_for)
{
    switch (needed_for) {
    case purpose::nodes: return {severity::fault, "without it clients cannot use this store"};
    case purpose::any_lock: return {severity::fault, "every lock needs it"};
    case purpose::queue:
        return {severity::fault,
                "acquires or releases are refused, perhaps only when there is a "
                "waiter"};
    case purpose::hand_over:
        return {severity::warning,
                "waiters are not told of a release: they poll, or find out at "
                "their next look"};
    case purpose::bare:
        return {severity::note, "every lock is taken by a script, which takes the server longer"};
    case purpose::hash:
        return {severity::warning, "recursive_mutex, latch and barrier do not work"};
    case purpose::members:
        return {severity::warning, "shared_mutex and counting_semaphore do not work"};
    case purpose::role:
        return {severity::warning, "waiters do not notice that a node was made a replica"};
    case purpose::ping: return {severity::note, "client::ping() is refused"};
    case purpose::init: return {severity::note, "pawl quorum init is refused"};
    case purpose::database: return {severity::note, "only database 0 can be used"};
    case purpose::replicas:
        return {severity::fault, "grants that replicas must acknowledge are refused"};
    }
    return {severity::fault, ""};
}

std::string_view document(const circumstances& at)
{
    switch (at.kind) {
    case store_kind::cluster: return "docs/topologies/cluster.md";
    case store_kind::quorum: return "docs/topologies/quorum.md";
    default: return "docs/wire.md";
    }
}

std::string user_of(const rights_fact& of)
{
    return of.user.empty() ? "the user" : "user " + of.user;
}

std::string_view method(const rights_fact& of)
{
    return of.dry_run ? "asked with ACL DRYRUN" : "tried";
}

// All rights with the same purpose that are missing.
finding without(const server_facts& of, const circumstances& at, purpose needed_for,
                const std::vector<std::string>& names)
{
    const auto [how, loss] = loss_without(needed_for);
    return found(how, {"rights", of.server},
                 user_of(of.rights) + " lacks " + listed(names) + " (" +
                     std::string{method(of.rights)} + ")",
                 loss, "give the user the rule of " + std::string{document(at)});
}

finding without_command(const server_facts& of, purpose needed_for, std::string_view name)
{
    const auto [how, loss] = loss_without(needed_for);
    return found(how, {"rights", of.server},
                 "the server does not have the command " + std::string{name}, loss,
                 "check the server's settings: rename-command");
}

finding without_channel(const server_facts& of, const circumstances& at)
{
    return found(
        severity::warning, {"rights", of.server},
        user_of(of.rights) + " lacks &pawl:client:* (" + std::string{method(of.rights)} + ")",
        loss_without(purpose::hand_over).what,
        "give the user the rule of " + std::string{document(at)});
}

const right_fact* fact_of(const rights_fact& of, std::string_view name)
{
    const auto at = std::ranges::find(of.commands, name, &right_fact::right);
    return at == of.commands.end() ? nullptr : &*at;
}

finding with_rights(const server_facts& of, std::size_t count)
{
    return fine({"rights", of.server}, user_of(of.rights) + " has " + std::to_string(count) +
                                           " commands of the ACL rule (" +
                                           std::string{method(of.rights)} + ")");
}

finding not_tried(const server_facts& of, const std::vector<std::string>& names)
{
    auto made =
        not_checked({"rights", of.server}, listed(names) + " cannot be tried without effect");
    made.advice = "run the doctor as a user with +acl|dryrun (Redis 7.0 and later)";
    return made;
}

}  // namespace

findings check_rights(const server_facts& of, const circumstances& at)
{
    findings got;
    std::map<purpose, std::vector<std::string>> denied;
    std::vector<std::string> untried;
    std::size_t allowed = 0;
    bool has_channel = true;
    for (const right& each : rights_for(at, of.major_version())) {
        const auto* const fact = fact_of(of.rights, each.name);
        const auto what = fact != nullptr ? fact->what : verdict::unknown;
        has_channel = has_channel && what != verdict::channel_denied;
        const bool is_needed = each.needed_for != purpose::database || at.database != 0;
        if (may_use(what)) {
            ++allowed;
        } else if (what == verdict::unknown) {
            untried.push_back("+" + std::string{each.name});
        } else if (what == verdict::missing && is_needed) {
            got.push_back(without_command(of, each.needed_for, each.name));
        } else if (is_needed) {
            denied[each.needed_for].push_back("+" + std::string{each.name});
        }
    }
    for (const auto& [needed_for, names] : denied) {
        got.push_back(without(of, at, needed_for, names));
    }
    if (!has_channel) got.push_back(without_channel(of, at));
    if (got.empty() && allowed > 0) got.push_back(with_rights(of, allowed));
    if (!untried.empty()) got.push_back(not_tried(of, untried));
    return got;
}

findings check_writes(const server_facts& of, const circumstances& /*at*/)
{
    const subject about{"writes", of.server};
    if (of.rights.write_problem.empty()) return {};
    return {found(severity::fault, about, of.rights.write_problem,
                  "the server refuses to grant locks",
                  "OOM: free memory or raise maxmemory; MISCONF: look at its disk; NOREPLICAS: "
                  "start its replicas")};
}

findings check_lock_keys(const server_facts& of, const circumstances& at)
{
    const subject about{"lock-keys", of.server};
    if (at.lock.empty()) {
        const auto* const set = fact_of(of.rights, "set");
        if (set == nullptr || set->what != verdict::key_denied) return {};
        return {not_checked(about, "the user may use some keys only, and no lock was named")};
    }
    if (of.rights.keys.empty()) return {not_checked(about, "the user may not use PEXPIRE")};
    std::vector<std::string> denied;
    for (const auto& each : of.rights.keys) {
        if (each.what != verdict::allowed) denied.push_back(each.right);
    }
    if (denied.empty()) {
        return {fine(about, user_of(of.rights) + " may use the keys of this lock")};
    }
    return {found(severity::fault, about, user_of(of.rights) + " may not use " + listed(denied),
                  "acquires or releases of this lock are refused, or waiters are not told",
                  "add patterns for these to the ACL rule: " + std::string{document(at)})};
}

}  // namespace pawl::doctor
