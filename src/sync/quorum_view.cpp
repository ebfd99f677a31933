#include "sync/quorum_view.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

namespace pawl::sync {
namespace {

using votes = std::map<std::string_view, std::vector<const lock_info*>>;

// The node's lock, for a node with a vote.
votes votes_in(const std::vector<std::optional<lock_info>>& said)
{
    votes all;
    for (const auto& each : said) {
        if (each && !each->holders.empty()) all[each->holders[0].id].push_back(&*each);
    }
    return all;
}

// How long a majority of the nodes still has it.
std::optional<std::chrono::milliseconds> lease_of(const std::vector<const lock_info*>& voters,
                                                  std::size_t majority)
{
    std::vector<std::chrono::milliseconds> left;
    for (const auto* each : voters) {
        if (each->lease_left) left.push_back(*each->lease_left);
    }
    if (left.empty()) return std::nullopt;
    std::ranges::sort(left, std::greater{});
    return left[std::min(majority, left.size()) - 1];
}

void add_queue(const lock_info& of, std::vector<waiter_info>& to)
{
    for (const auto& each : of.queue) {
        if (std::ranges::find(to, each.id, &waiter_info::id) == to.end()) to.push_back(each);
    }
}

}  // namespace

lock_info merged(const std::vector<std::optional<lock_info>>& said)
{
    lock_info got;
    got.kind = lock_kind::unknown;
    const auto all = votes_in(said);
    const auto majority = said.size() / 2 + 1;
    for (const auto& each : said) {
        if (!each) continue;
        got.name = each->name;
        if (got.kind == lock_kind::unknown || got.kind == lock_kind::free) {
            got.kind = each->kind;
            got.detail = each->detail;
        }
        got.fence = std::max(got.fence, each->fence);
        got.waiters = std::max(got.waiters, each->waiters);
        add_queue(*each, got.queue);
        for (const auto& note : each->notes) got.notes.push_back(each->server + ": " + note);
    }
    // The longest wait first: the order of the tickets.
    std::ranges::sort(got.queue, [](const auto& one, const auto& other) {
        return std::tie(other.waited, one.id) < std::tie(one.waited, other.id);
    });
    if (all.empty()) return got;
    const auto most = std::ranges::max_element(
        all, {}, [](const auto& holder_and_nodes) { return holder_and_nodes.second.size(); });
    const auto& voters = most->second;
    got.kind = voters.front()->kind;
    got.holders = {voters.front()->holders[0]};
    got.holder_count = 1;
    got.lease_left = lease_of(voters, majority);
    got.holders[0].lease_left = got.lease_left;
    if (voters.size() < majority) {
        got.notes.push_back("only " + std::to_string(voters.size()) + " of " +
                            std::to_string(said.size()) +
                            " nodes have voted for this holder, so it does not have the lock");
    }
    return got;
}

}  // namespace pawl::sync
