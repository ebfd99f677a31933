// Ends a hold by force: inspector::break_hold().
#include <pawl/error.h>
#include <pawl/inspect.h>

#include "core/object.h"
#include "redis/scripts.h"
#include "store/redis/announcement.h"
#include "store/redis/keys.h"
#include "sync/client_access.h"
#include "sync/message.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pawl {
namespace {

namespace scripts = redis::scripts;

constexpr std::string_view log_key = "pawl:log";
constexpr std::size_t longest_text = 1'000;
constexpr auto writer_weight = "1000000000";

[[noreturn]] void fail(sync::client_state& state, std::string_view lock, errc code,
                       std::string_view detail)
{
    throw error{code, sync::describe("break", lock, state.server(), code, detail)};
}

void check(std::string_view what, const std::string& text)
{
    if (text.size() <= longest_text && text.find('\0') == std::string::npos) return;
    throw error{errc::bad_argument, "bad argument: " + std::string{what} + " of " +
                                        std::to_string(text.size()) +
                                        " bytes (allowed: up to 1000 bytes without NUL)"};
}

std::string joined(const std::vector<std::string>& notes)
{
    std::string all;
    for (const auto& each : notes) all.append(all.empty() ? "" : "; ").append(each);
    return all;
}

const redis::script& script_for(lock_kind kind)
{
    switch (kind) {
    case lock_kind::recursive_mutex: return scripts::hash_break;
    case lock_kind::shared_mutex:
    case lock_kind::counting_semaphore: return scripts::members_break;
    case lock_kind::leader: return scripts::term_break;
    default: return scripts::plain_break;
    }
}

// The holder as the server has it: in a set of members with its weight.
std::string stored_text(const lock_info& lock, const holder_info& who)
{
    if (lock.kind == lock_kind::counting_semaphore) return who.id + std::to_string(who.weight);
    if (lock.kind == lock_kind::shared_mutex) return who.id + (who.reader ? "1" : writer_weight);
    return who.id;
}

store::script_question call_for(const lock_info& lock, const holder_info& who,
                                const break_order& order)
{
    const bool is_semaphore = lock.kind == lock_kind::counting_semaphore && lock.counts;
    const bool has_members = is_semaphore || lock.kind == lock_kind::shared_mutex;
    const std::string capacity = is_semaphore ? std::to_string(lock.counts->capacity) : "";
    store::script_question call{
        &script_for(lock.kind),
        {lock.name, store::fence_key(lock.name), store::queue_key(lock.name)},
        {stored_text(lock, who), has_members ? capacity : "0",
         store::announcement(lock.name, who.id, std::chrono::system_clock::now()), who.channel,
         order.reason}};
    if (lock.kind == lock_kind::leader) call.keys.push_back(store::watch_key(lock.name));
    return call;
}

// Nothing if the lock has moved to another server.
std::optional<break_outcome> execute(sync::client_state& state, const lock_info& lock,
                                     const store::script_question& call)
{
    const auto got = state.ask_servers({{lock.server, {}, call}});
    const auto problem = got[0].problem_in_first(1);
    if (problem) {
        if (problem->what == core::failure_kind::elsewhere) return std::nullopt;
        // The lock of another library, in the hash layout.
        if (problem->what == core::failure_kind::not_a_lock && lock.kind == lock_kind::foreign &&
            call.which == &scripts::plain_break) {
            auto other = call;
            other.which = &scripts::hash_break;
            return execute(state, lock, other);
        }
        const auto why = sync::trouble_of(*problem);
        fail(state, lock.name, why.code, why.detail);
    }
    const auto& texts = got[0].replies.at(0).texts;
    if (texts.size() != 1) fail(state, lock.name, errc::refused, "an unexpected reply");
    if (texts[0] == "1") return break_outcome::broken;
    return texts[0] == "0" ? break_outcome::free : break_outcome::other;
}

// Returns why there is no entry. In a Cluster the stream has a slot of its own, so this is a command of its own.
std::string note_in_log(sync::client_state& state, const lock_info& lock, const break_order& order)
{
    const auto where = state.servers(log_key);
    if (where.problem) return "not written to the log: " + where.problem->detail;
    const auto got = state.ask_servers(
        {{where.names.at(0),
          {{"XADD", std::string{log_key}, "MAXLEN", "~", "10000", "*", "what", "break", "by",
            order.by, "holder", order.holder, "lock", lock.name, "reason", order.reason}}}});
    const auto problem = got[0].problem_in_first(1);
    return problem ? "not written to the log: " + problem->detail : "";
}

}  // namespace

break_report inspector::break_hold(std::string_view name, const break_order& order) const
{
    auto& state = client_access::state(*client_);
    core::check_name("lock name", name);
    core::check_name("holder", order.holder);
    check("reason", order.reason);
    check("by", order.by);
    constexpr int most_tries = 3;
    for (int tries = 0; tries < most_tries; ++tries) {
        const auto lock = look(name);
        if (state.is_quorum()) {
            fail(state, name, errc::refused,
                 "a hold on a quorum cannot be broken: its holder would take the votes back");
        }
        if (lock.kind == lock_kind::not_a_lock) fail(state, name, errc::not_a_lock, lock.detail);
        // Nothing is known of the key, so it must not be called free.
        if (lock.kind == lock_kind::unknown) {
            fail(state, name, errc::refused, joined(lock.notes));
        }
        if (lock.holder_count == 0) return {.outcome = break_outcome::free, .note = {}};
        const auto who = std::ranges::find(lock.holders, order.holder, &holder_info::id);
        if (who == lock.holders.end()) return {.outcome = break_outcome::other, .note = {}};
        const auto outcome = execute(state, lock, call_for(lock, *who, order));
        if (!outcome) continue;
        break_report report{.outcome = *outcome, .note = {}};
        if (*outcome == break_outcome::broken) report.note = note_in_log(state, lock, order);
        return report;
    }
    fail(state, name, errc::unreachable, "the lock moves from node to node");
}

}  // namespace pawl
