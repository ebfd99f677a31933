// The votes that a holder counts on, and which grants may exist together.
#include "sim/checker_words.h"
#include "sim/quorum_checker.h"
#include "store/redis/keys.h"

#include <algorithm>

namespace pawl::sim {

using kind = script_call::kind;
using namespace std::chrono_literals;

// ── Votes ───────────────────────────────────────────────────────────────────────────────────────

void quorum_checker::count_vote(unsigned node, std::size_t lock, const script_call& call,
                                std::size_t i, std::string_view reply,
                                const std::optional<std::string>& was,
                                const std::optional<std::string>& is)
{
    if (was && is != was) votes_[*was].nodes.erase(node);
    // Of these scripts, only a raise without a lease does not count it anew. After a step of the node's clock, the vote
    // may end too early.
    const bool has_lease = call.what != kind::raise || call.arguments[3] != "0";
    const bool renewed = has_lease && is == call.holder(i) && !reply.starts_with('-') &&
                         code_of(reply, call.what == kind::restore ? i + 1 : 0) > 0;
    if (!is || (is == was && !renewed)) return;
    auto& votes = votes_[*is];
    votes.lock = lock;
    votes.nodes[node] = world_->now() + nodes_[node].where().ttl_of(locks_[lock].name);
    votes.forgotten_by.erase(node);
}

// A node that has lost its data is in quarantine, so its votes still keep others out. A node that forgot a vote without
// noticing may vote for another holder at once.
void quorum_checker::node_forgot(unsigned node, std::optional<std::size_t> only_lock)
{
    if (!only_lock) nodes_[node].stepped = world_->now();
    for (auto& [holder, votes] : votes_) {
        if (only_lock && votes.lock != *only_lock) continue;
        if (votes.nodes.erase(node) > 0) votes.forgotten_by.insert(node);
    }
}

// Another one gets a majority only if no majority is left of the votes for this holder.
bool quorum_checker::excused(std::size_t lock, std::string_view holder) const
{
    if (checker::excused(lock, holder)) return true;
    const auto found = votes_.find(holder);
    if (found == votes_.end() || found->second.forgotten_by.empty()) return false;
    const auto lasts = [&](const auto& vote) { return vote.second > world_->now(); };
    return static_cast<std::size_t>(std::ranges::count_if(found->second.nodes, lasts)) <=
           nodes_.size() / 2;
}

// ── How long they last ──────────────────────────────────────────────────────────────────────────

// What a restore says about one vote.
std::string quorum_checker::words_of(const script_call& restore, std::size_t i)
{
    std::string words;
    for (const auto each : restore.arguments.subspan(2 + 5 * i, 5)) words.append(each) += ' ';
    return words;
}

void quorum_checker::submitted(const process& who, std::span<const std::string_view> words)
{
    checker::submitted(who, words);
    const auto call = read_call(words);
    if (!call || call->what != kind::restore) return;
    for (std::size_t i = 0; i < call->leases(); ++i) {
        for (const auto* each : locks_[index_of(call->locks_on_node()[i]).value()].believers) {
            if (each->holder != call->holder(i) || !believes(*each)) continue;
            const auto until = who.now() + each->held->valid_for();
            // Without a clock of the node, a later one has the same words. Either may be executed, so the first counts.
            asked_.emplace(words_of(*call, i), who.true_time_of(until));
        }
    }
}

// By a clock of a node. The clocks of the node and of the holder may drift apart.
nanoseconds quorum_checker::shortest_lease(nanoseconds valid) const
{
    constexpr auto rounding = 2ms;
    const auto least = static_cast<double>(valid.count()) * (1 - 2 * plan_->drift);
    return nanoseconds{static_cast<std::int64_t>(least)} - rounding;
}

// A vote that was renewed or restored lasts as long as the hold, as it was when the client decided to ask.
void quorum_checker::check_rest(unsigned node, std::size_t lock, const script_call& call,
                                std::size_t i)
{
    const auto asked = asked_.find(words_of(call, i));
    if (asked == asked_.end()) return;
    if (nodes_[node].where().ttl_of(locks_[lock].name) <
        shortest_lease(asked->second - world_->now())) {
        fail("a kept vote lasts", lock,
             "node " + std::to_string(node) + " restores a vote of " + short_id(call.holder(i)) +
                 " for less than the hold lasts");
    }
}

// ── Grants ──────────────────────────────────────────────────────────────────────────────────────

void quorum_checker::check_fence(const belief& fresh)
{
    auto& own = own_[fresh.lock];
    ++own.grants;
    if (fresh.fence <= own.greatest_fence && !excused(fresh.lock, fresh.holder)) {
        fail("fence", fresh.lock,
             std::to_string(fresh.fence) + " after " + std::to_string(own.greatest_fence));
    }
    own.greatest_fence = std::max(own.greatest_fence, fresh.fence);
    // Their nodes may still restore the votes of those that were excused.
    for (const auto* each : locks_[fresh.lock].believers) {
        const auto votes = votes_.find(each->holder);
        if (votes != votes_.end() && each->holder != fresh.holder &&
            excused(fresh.lock, each->holder)) {
            votes->second.overtaken = true;
        }
    }
    check_lease_outlives(fresh);
    check_votes(fresh);
}

// A majority has voted for the new holder. It knows the fence, so the next holder gets a greater one, and its leases last
// as long as the hold is valid.
void quorum_checker::check_votes(const belief& fresh)
{
    if (!believes(fresh) || may_have_lost(fresh.lock, fresh.holder)) return;
    const auto& name = locks_[fresh.lock].name;
    const auto shortest = shortest_lease(fresh.held->valid_for());
    const auto record = votes_.find(fresh.holder);
    std::size_t know = 0;
    std::size_t last = 0;
    for (unsigned i = 0; i < nodes_.size(); ++i) {
        auto& node = nodes_[i].where();
        const bool votes = node.holder_of(name) == fresh.holder;
        // A node that has forgotten its vote has not forgotten the number.
        const bool forgot = record != votes_.end() && record->second.forgotten_by.contains(i);
        know +=
            (votes || forgot) && node.number_in(store::fence_key(name)) >= fresh.fence ? 1U : 0U;
        last += votes && node.ttl_of(name) >= shortest ? 1U : 0U;
    }
    if (know <= nodes_.size() / 2) {
        fail("fence", fresh.lock, "no majority knows " + std::to_string(fresh.fence));
    } else if (last <= nodes_.size() / 2) {
        fail("the lease outlives the deadline", fresh.lock,
             short_id(fresh.holder) + " counts on votes that end earlier");
    }
}

void quorum_checker::write(const belief& which)
{
    auto& own = own_[which.lock];
    if (which.fence >= own.greatest_written) {
        own.greatest_written = which.fence;
        return;
    }
    ++stale_writes_;
    const auto votes = votes_.find(which.holder);
    const bool overtaken = votes != votes_.end() && votes->second.overtaken;
    if (believes(which) && !overtaken && !excused(which.lock, which.holder)) {
        fail("register", which.lock, "the holder of the lock is refused");
    }
}

bool quorum_checker::server_has(const belief& which) const
{
    const auto has = [&](const eye& each) {
        return each.where().holder_of(locks_[which.lock].name) == which.holder;
    };
    return static_cast<std::size_t>(std::ranges::count_if(nodes_, has)) > nodes_.size() / 2;
}

// If one node of a bare majority loses its data, the hold may be lost. Nobody else gets the lock meanwhile.
bool quorum_checker::may_have_lost(std::size_t lock, std::string_view holder) const
{
    if (excused(lock, holder)) return true;
    const auto lost_since = [&](const eye& each) { return each.lost >= voted_since(holder); };
    return std::ranges::any_of(nodes_, lost_since);
}

}  // namespace pawl::sim
