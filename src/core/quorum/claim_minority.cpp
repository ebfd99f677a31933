// A claim without a majority: what its caller is told, and how it hands back the votes that it has.
#include "base/mutant.h"
#include "core/acquire.h"
#include "core/quorum/claim.h"

#include <algorithm>
#include <utility>

namespace pawl::core::quorum {

using base::boot_time;
using std::chrono::milliseconds;

// ── No majority ─────────────────────────────────────────────────────────────────────────────────

void claim_machine::answer(acquire_reply what)
{
    asking_ = false;
    grace_ = boot_time::max();
    effects_.answer = std::move(what);
}

void claim_machine::decide(boot_time now)
{
    unsigned open = 0;
    unsigned answered = 0;
    for (const auto& each : standings_) {
        const bool is_open = each.asked || each.raising_to != 0;
        open += static_cast<unsigned>(is_open);
        answered += static_cast<unsigned>(!is_open && each.what != standing::kind::unknown);
    }
    const auto votes = counted(now).size();
    const auto majority = nodes_->majority();
    // A slow node is waited for only if the others cannot decide. The nodes of a majority that are raised are not slow:
    // they have voted.
    const bool in_time = !past_limit_ || answered < majority || target_ != 0;
    const bool may_win = in_time && votes + open >= majority;
    const bool more_may_come = open > 0 && now < request_.until;
    if (more_may_come && may_win) {
        grace_ = boot_time::max();
        return;
    }
    const auto seen = census(now);
    auto others = others_hold(seen, now);
    const bool may_be_busy = !others && std::max(seen.able, seen.present) + open >= majority;
    // If too few nodes can vote, the caller is told what is wrong at each, and not that it has not answered yet.
    const bool may_explain = !past_limit_ && (!others || !others->shortage.empty());
    if (more_may_come && (may_be_busy || may_explain)) {
        grace_ = boot_time::max();
        return;
    }
    if (more_may_come && !waits() && !past_limit_) {
        // A vote request that has no answer must be returned, and its node cannot be asked again before that is
        // answered too. So the answers that are about to come are waited for.
        if (grace_ == boot_time::max()) grace_ = now + 2 * nodes_->round_trip() + milliseconds{1};
        if (now < grace_) return;
    }
    conclude(std::move(others), now);
}

void claim_machine::conclude(std::optional<busy> others, boot_time now)
{
    effects_.ends = !waits() || (others && !others->queued);
    if (others) {
        if (others->shortage.empty()) others->missing = missing(now);
        answer(std::move(*others));
    } else {
        auto why = too_few(now);
        why.maybe_executed = !effects_.ends;
        answer(std::move(why));
    }
}

claim_machine::counts claim_machine::census(boot_time now) const
{
    counts seen;
    for (unsigned i = 0; i < nodes_->size(); ++i) {
        const auto& each = standings_[i];
        if (!nodes_->is_counted(i) || each.what == standing::kind::unknown) continue;
        const bool cast = each.is_cast();
        // A vote that does not count is not one that others have.
        const bool able =
            cast ? nodes_->may_elect(i, now) : each.why != core::waits::reason::quarantine;
        seen.able += able ? 1U : 0U;
        seen.present += cast || each.what == standing::kind::placed ? 1U : 0U;
        seen.foreign += !cast && each.why == core::waits::reason::foreign ? 1U : 0U;
        seen.no_lock += !cast && each.why == core::waits::reason::no_lock ? 1U : 0U;
    }
    return seen;
}

// A majority of the nodes can vote, but not all of them do so for this holder.
std::optional<busy> claim_machine::others_hold(const counts& seen, boot_time now) const
{
    const auto majority = nodes_->majority();
    const bool queued = waits() && seen.present >= majority;
    if (seen.able < majority && !queued) return std::nullopt;
    busy got{.left = left_of_others(), .queued = queued};
    // It has its places, and waits until more nodes can vote.
    if (seen.able < majority) got.shortage = too_few(now).detail;
    if (seen.foreign > 0) got.holder = held_by::foreign;
    if (seen.no_lock > nodes_->size() - majority) got.holder = held_by::no_lock;
    return got;
}

// After that time so many leases of others have ended that a majority is free.
milliseconds claim_machine::left_of_others() const
{
    std::vector<milliseconds> left;
    std::size_t votes = 0;
    for (const auto& each : standings_) {
        if (each.is_cast()) ++votes;
        if (each.what == standing::kind::away || each.what == standing::kind::placed) {
            if (each.left.count() >= 0) left.push_back(each.left);
        }
    }
    const auto majority = nodes_->majority();
    if (votes >= majority || votes + left.size() < majority) return milliseconds{-1};
    std::ranges::sort(left);
    return left[majority - votes - 1];
}

namespace {

// Why a node that has answered has no vote for this holder, if it can vote.
std::string_view why_not_cast(const standing& at)
{
    using reason = core::waits::reason;
    if (at.what != standing::kind::away && at.what != standing::kind::placed) return {};
    switch (at.why) {
    case reason::held: return why_no_vote(hold_status::taken);
    case reason::foreign: return "a holder of another library has it";
    case reason::no_lock: return why_no_vote(hold_status::not_a_lock);
    case reason::quarantine: break;
    }
    return {};
}

}  // namespace

std::vector<node_problem> claim_machine::problems(boot_time now) const
{
    std::vector<node_problem> all;
    for (unsigned i = 0; i < nodes_->size(); ++i) {
        const auto& each = standings_[i];
        node_problem one{.what = each.problem, .returning = avoided_[i]};
        const bool quarantine = each.what != standing::kind::unknown && !each.is_cast() &&
                                each.why == core::waits::reason::quarantine;
        if (quarantine) one.quarantine = each.left;
        const auto barred_for = (*nodes_)[i].stepped_until - now;
        if (barred_for.count() > 0) one.stepped = std::chrono::ceil<milliseconds>(barred_for);
        one.silent = each.asked.has_value();
        one.no_vote = why_not_cast(each);
        all.push_back(std::move(one));
    }
    return all;
}

failure claim_machine::too_few(boot_time now) const
{
    return quorum::too_few(*nodes_, problems(now));
}

// A waiter is told at once that it waits. A node whose answer may come any moment is not missing.
std::string claim_machine::missing(boot_time now) const
{
    auto all = problems(now);
    for (unsigned i = 0; i < all.size(); ++i) {
        if (!all[i].silent || all[i].what) continue;
        all[i].what = (*nodes_)[i].problem;
        all[i].silent = !waits() || past_limit_;
    }
    return problems_if_missing(*nodes_, all);
}

// ── Split votes ─────────────────────────────────────────────────────────────────────────────────

// Some votes, but no majority: others have the rest, and wait for these. After a while they are handed back to the
// waiter with the smallest ticket, by each node alike. If this is the one, it keeps them.
void claim_machine::plan_hand_back(boot_time now)
{
    const auto is_idle = [](const standing& each) {
        return each.is_cast() && !each.offered && each.raising_to == 0;
    };
    const auto is_raising = [](const standing& each) { return each.raising_to != 0; };
    const bool partial = !hold_ && !asking_ && waits() && !effects_.ends &&
                         std::ranges::any_of(standings_, is_idle) &&
                         std::ranges::none_of(standings_, is_raising);
    if (!partial || base::is(base::mutant::never_hands_back)) {
        hand_back_at_ = boot_time::max();
    } else if (hand_back_at_ == boot_time::max()) {
        if (!pause_) pause_ = first_pause();
        hand_back_at_ = now + *pause_;
        *pause_ = std::min<std::chrono::nanoseconds>(2 * *pause_, look_interval(request_.lease));
    }
}

std::chrono::nanoseconds claim_machine::first_pause() const
{
    constexpr milliseconds shortest{3};
    const auto pause = std::max<std::chrono::nanoseconds>(shortest, 2 * nodes_->round_trip());
    return std::chrono::duration_cast<std::chrono::nanoseconds>(pause * (1 + 0.5 * (*random_)()));
}

void claim_machine::hand_back(boot_time now)
{
    for (unsigned i = 0; i < nodes_->size(); ++i) {
        auto& mine = standings_[i];
        if (!mine.is_cast() || mine.offered) continue;
        mine.offered = true;
        effects_.sends.push_back({i, hand_back_request{.mine = name_,
                                                       .sent = now,
                                                       .number = mine.number,
                                                       .proposal = nodes_->proposal(now),
                                                       .order = *ticket_,
                                                       .wait = wait_left(now),
                                                       .lease = request_.lease,
                                                       .client = request_.client,
                                                       .reserve = request_.reserve}});
    }
}

void claim_machine::on_hand_back(unsigned node, const hand_back_request& asked,
                                 const hand_back_reply& got, boot_time now)
{
    if (asked.sent < begun_) return;
    auto& mine = standings_[node];
    const bool is_same = mine.is_cast() && mine.number == asked.number;
    if (const auto* const problem = std::get_if<failure>(&got)) {
        mine.problem = *problem;
        if (is_same && !problem->maybe_executed) {
            mine.offered = false;
        } else {
            // It may have gone to others, or may yet go.
            mine.spend(asked.number);
            mine.renumber = true;
            if (is_same) mine.what = standing::kind::unknown;
            ask_again(node, now);
        }
        settle(now);
        return;
    }
    using outcome = handed_back::outcome;
    const auto what = std::get<handed_back>(got).what;
    if (what == outcome::kept && is_same) {
        mine.offered = false;
        mine.cast(mine.number, asked.sent, now);
    } else {
        mine.spend(asked.number);
        if (is_same) {
            mine.what = what == outcome::given ? standing::kind::placed : standing::kind::unknown;
            mine.why = core::waits::reason::held;
            mine.left = milliseconds{-1};
        }
        if (what == outcome::other) ask_again(node, now);
    }
    settle(now);
}

}  // namespace pawl::core::quorum
