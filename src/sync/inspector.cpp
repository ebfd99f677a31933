#include <pawl/error.h>
#include <pawl/inspect.h>

#include "core/object.h"
#include "sync/client_access.h"
#include "sync/message.h"
#include "sync/quorum_view.h"
#include "sync/sighting.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace pawl {
namespace {

using sync::sighting;

constexpr std::size_t most_shown = 1'000;
constexpr std::size_t largest_page = 10'000;
constexpr std::string_view own_prefix = "pawl:";

[[noreturn]] void fail(sync::client_state& state, std::string_view action, std::string_view lock,
                       const core::failure& why)
{
    const auto got = sync::trouble_of(why);
    throw error{got.code, sync::describe(action, lock, state.server(), got.code, got.detail)};
}

void check_process(sync::client_state& state, std::string_view action, std::string_view lock)
{
    if (!state.inherited()) return;
    const auto code = errc::wrong_process;
    throw error{code, sync::describe(action, lock, state.server(), code, {})};
}

// What the servers say, in their order; nothing of one that did not answer.
std::vector<std::optional<lock_info>> taken(std::vector<sighting>& all, std::size_t index)
{
    std::vector<std::optional<lock_info>> said;
    for (auto& each : all) {
        said.emplace_back();
        if (each.problem) continue;
        said.back() = each.of[index].take(each.now);
        said.back()->server = each.server;
    }
    return said;
}

std::vector<sighting> sightings(const std::vector<std::string>& servers,
                                const std::vector<std::string>& names,
                                const store::portrait_settings& how)
{
    std::vector<sighting> all;
    for (const auto& server : servers) {
        auto& one = all.emplace_back();
        one.server = server;
        for (const auto& name : names) one.of.emplace_back(name, how);
    }
    return all;
}

bool nobody_answered(const std::vector<sighting>& all)
{
    return std::ranges::all_of(all, [](const auto& each) { return each.problem.has_value(); });
}

// ── One lock ────────────────────────────────────────────────────────────────────────────────────

// Asks again if the lock moves to another server meanwhile: a few times only.
std::vector<sighting> look_at(sync::client_state& state, const std::string& name)
{
    const store::portrait_settings how{.of_quorum = state.is_quorum(),
                                       .any_string = true,
                                       .most_holders = most_shown,
                                       .most_waiters = most_shown};
    constexpr int most_tries = 3;
    std::vector<sighting> all;
    for (int tries = 0; tries < most_tries; ++tries) {
        const auto where = state.servers(name);
        if (where.problem) fail(state, "look at", name, *where.problem);
        all = sightings(where.names, {name}, how);
        sync::complete(state, all);
        const bool moved = std::ranges::any_of(all, [](const auto& each) {
            return each.moved ||
                   (each.problem && each.problem->what == core::failure_kind::elsewhere);
        });
        if (!moved) break;
    }
    if (nobody_answered(all)) fail(state, "look at", name, *all.front().problem);
    return all;
}

// ── Many locks ──────────────────────────────────────────────────────────────────────────────────

bool is_in_use(const lock_info& lock, bool foreign)
{
    switch (lock.kind) {
    case lock_kind::free: return lock.waiters > 0;
    case lock_kind::not_a_lock:
    case lock_kind::unknown: return false;
    case lock_kind::foreign: return foreign;
    case lock_kind::counting_semaphore: return lock.holder_count > 0 || lock.waiters > 0;
    case lock_kind::once_per: return lock.holder_count > 0;
    default: return true;
    }
}

class listing {
public:
    listing(sync::client_state& state, const list_options& which,
            const std::function<bool(const lock_info&)>& found)
        : state_{state}, which_{which}, found_{found}, processes_{state}
    {
    }

    list_summary run();

private:
    [[nodiscard]] std::optional<core::failure> list(const std::vector<std::string>& servers,
                                                    std::size_t at);
    [[nodiscard]] bool show(const std::vector<std::string>& servers,
                            const std::vector<std::string>& names);
    [[nodiscard]] bool show(lock_info lock);
    [[nodiscard]] std::vector<std::string> names_in(const std::vector<std::string>& scanned);

    sync::client_state& state_;
    const list_options& which_;
    const std::function<bool(const lock_info&)>& found_;
    sync::process_finder processes_;
    bool processes_read_ = false;
    bool stopped_ = false;
    std::optional<core::failure> page_problem_;  // why the keys of a page are not known
    std::unordered_set<std::string> seen_;  // SCAN may name a key twice; nodes name the same keys
    list_summary summary_;
};

// Each primary of a Cluster has its own keys. The nodes of a quorum have the same, so all are asked about each.
list_summary listing::run()
{
    const auto where = state_.servers({});
    if (where.problem) fail(state_, "list", {}, *where.problem);
    std::optional<core::failure> problem;
    std::size_t listed = 0;
    for (std::size_t i = 0; i < where.names.size() && !stopped_; ++i) {
        const auto servers =
            state_.is_quorum() ? where.names : std::vector<std::string>{where.names[i]};
        if (!state_.is_quorum()) processes_read_ = false;
        if (const auto failed = list(servers, state_.is_quorum() ? i : 0)) {
            summary_.notes.push_back(where.names[i] + " could not be listed: " + failed->detail);
            summary_.complete = false;
            problem = failed;
        } else {
            ++listed;
        }
    }
    if (listed == 0 && problem) fail(state_, "list", {}, *problem);
    for (const auto& each : processes_.notes()) summary_.notes.push_back(each);
    return std::move(summary_);
}

// All keys of the server `at`. Returns why it could not be listed to the end.
std::optional<core::failure> listing::list(const std::vector<std::string>& servers, std::size_t at)
{
    std::string cursor = "0";
    do {
        const auto said = state_.ask_servers(
            {{servers[at],
              {{"SCAN", cursor, "MATCH", which_.pattern, "COUNT", std::to_string(which_.page)}}}});
        if (auto problem = said[0].problem_in_first(1)) return problem;
        if (said[0].replies.empty() || said[0].replies[0].texts.empty()) {
            return core::failure{.what = core::failure_kind::refused,
                                 .detail = "SCAN has an unexpected reply"};
        }
        const auto& texts = said[0].replies[0].texts;  // the next cursor, then keys
        if (!show(servers, names_in(texts))) {
            stopped_ = true;
            return std::nullopt;
        }
        // These keys are missing, and the next ones would be too.
        if (page_problem_) return std::exchange(page_problem_, std::nullopt);
        cursor = texts[0];
    } while (cursor != "0");
    return std::nullopt;
}

std::vector<std::string> listing::names_in(const std::vector<std::string>& scanned)
{
    constexpr std::size_t longest_name = 512;
    std::vector<std::string> names;
    for (std::size_t i = 1; i < scanned.size(); ++i) {
        const auto& key = scanned[i];
        if (key.empty() || key.size() > longest_name || key.starts_with(own_prefix)) continue;
        if (key.find('\0') == std::string::npos && !seen_.contains(key)) names.push_back(key);
    }
    return names;
}

bool listing::show(const std::vector<std::string>& servers, const std::vector<std::string>& names)
{
    auto all =
        sightings(servers, names, {.of_quorum = state_.is_quorum(), .foreign = which_.foreign});
    sync::complete(state_, all);
    for (std::size_t i = 0; i < names.size(); ++i) {
        auto said = taken(all, i);
        if (nobody_answered(all)) {
            page_problem_ = all.front().problem;
            return true;
        }
        auto lock = state_.is_quorum() ? sync::merged(said) : std::move(*said.front());
        if (lock.kind == lock_kind::unknown) ++summary_.refused;
        if (!is_in_use(lock, which_.foreign)) continue;
        if (!seen_.insert(lock.name).second) continue;
        if (!std::exchange(processes_read_, true)) processes_.read(servers);
        if (!show(std::move(lock))) return false;
    }
    return true;
}

bool listing::show(lock_info lock)
{
    processes_.name(lock);
    ++summary_.locks;
    return found_(lock);
}

}  // namespace

lock_info inspector::look(std::string_view name) const
{
    auto& state = client_access::state(*client_);
    core::check_name("lock name", name);
    check_process(state, "look at", name);
    auto all = look_at(state, std::string{name});
    auto said = taken(all, 0);
    auto lock = state.is_quorum() ? sync::merged(said) : std::move(*said.front());
    if (state.is_quorum()) lock.nodes = state.nodes(name);
    std::vector<std::string> servers;
    for (const auto& each : all) {
        if (!each.problem) servers.push_back(each.server);
    }
    if (!lock.holders.empty() || !lock.queue.empty()) {
        sync::process_finder processes{state};
        processes.read(servers);
        processes.name(lock);
        for (const auto& each : processes.notes()) lock.notes.push_back(each);
    }
    return lock;
}

list_summary inspector::list(const list_options& which,
                             const std::function<bool(const lock_info&)>& found) const
{
    auto& state = client_access::state(*client_);
    if (which.page < 1 || which.page > largest_page) {
        throw error{errc::bad_argument,
                    "bad argument: page " + std::to_string(which.page) + " (allowed: 1 to 10000)"};
    }
    check_process(state, "list", {});
    return listing{state, which, found}.run();
}

}  // namespace pawl
