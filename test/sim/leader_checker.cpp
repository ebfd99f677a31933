#include "sim/leader_checker.h"

#include "core/candidate.h"
#include "redis/resp.h"
#include "sim/checker_words.h"
#include "store/redis/message.h"

namespace pawl::sim {

namespace {

using kind = script_call::kind;

bool is_of_watcher(const script_call& call)
{
    return call.what == kind::watch || call.what == kind::leave_queue;
}

}  // namespace

void leader_checker::before(const std::vector<std::string_view>& words)
{
    const auto call = read_call(words);
    if (!call || !is_of_watcher(*call)) exclusive_checker::before(words);
}

void leader_checker::after(const std::vector<std::string_view>& words, std::string_view reply)
{
    const auto call = read_call(words);
    if (call && is_of_watcher(*call)) {
        count_script(call, reply);
        if (!reply.starts_with('-')) after_watch(*call);
        return;
    }
    exclusive_checker::after(words, reply);
    if (!call) return;
    note_changes(index_of(call->keys[0]).value());
    if (call->what == script_call::kind::acquire) {
        candidates_.insert_or_assign(std::string{call->holder()}, std::string{call->candidate()});
    }
    const auto term = server_->term_of(call->keys[0]);
    if (!term) return;
    const auto found = candidates_.find(term->holder);
    if (found == candidates_.end() || found->second == term->candidate) return;
    fail("payload", index_of(call->keys[0]),
         short_id(term->holder) + " leads, and the payload is that of another one");
}

// A message to a watcher looks like that of a grant.
void leader_checker::told(std::string_view push)
{
    redis::reply_parser parser;
    static_cast<void>(parser.parse(push));
    const auto got = store::read_message(parser.reply(push)[2].text());
    if (!got || !watchers_.contains(got->holder)) exclusive_checker::told(push);
}

// A process has read that a leader with this fence shows this payload.
void leader_checker::read(std::size_t lock, std::uint64_t fence, std::string_view payload)
{
    const auto holder = holder_with(lock, fence);
    if (!holder) {
        fail("payload", lock, "a leader with a fence that the server never gave out");
    } else if (payload_of(*holder) != payload) {
        fail("payload", lock, "the payload that was read is not that of " + short_id(*holder));
    }
}

std::string leader_checker::payload_of(const std::string& holder) const
{
    const auto found = candidates_.find(holder);
    if (found == candidates_.end()) return {};
    return std::string{core::candidate_in(found->second).payload};
}

}  // namespace pawl::sim
