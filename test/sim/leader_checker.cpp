#include "sim/leader_checker.h"

#include "core/candidate.h"
#include "sim/checker_words.h"

namespace pawl::sim {

void leader_checker::after(const std::vector<std::string_view>& words, std::string_view reply)
{
    exclusive_checker::after(words, reply);
    const auto call = read_call(words);
    if (!call) return;
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
