#include "core/quorum/claim.h"

#include "base/mutant.h"
#include "base/require.h"

#include <algorithm>
#include <functional>

namespace pawl::core::quorum {

using base::boot_time;
using std::chrono::milliseconds;

namespace {

// How long a vote request may be on its way that no caller waits for.
constexpr milliseconds unasked_limit{1'000};

}  // namespace

claim_machine::claim_machine(const nodes& all, claim name, const base::random_unit& random)
    : nodes_{&all}, name_{name}, random_{&random}, standings_(all.size()), avoided_(all.size())
{
}

// ── Votes ───────────────────────────────────────────────────────────────────────────────────────

void claim_machine::ask(const acquire_request& request, const std::vector<bool>& avoided,
                        boot_time now)
{
    request_ = request;
    avoided_ = avoided;
    asking_ = true;
    past_limit_ = false;
    grace_ = boot_time::max();
    hand_back_at_ = boot_time::max();
    limit_ = std::min(now + nodes_->limit(request.lease), request.until);
    if (hold_ && now - hold_->at <= request.lease / 4) {
        answer(granted{.fence = hold_->fence, .found = true, .at = hold_->at});
        return;
    }
    if (begun_ == boot_time{}) begun_ = now;
    if (!ticket_ || *ticket_ > nodes_->new_ticket(now)) ticket_ = nodes_->new_ticket(now);
    effects_.sends.reserve(nodes_->size());
    const auto proposal = nodes_->proposal(now);
    for (unsigned i = 0; i < nodes_->size(); ++i) {
        if (!avoided_[i]) send_vote(i, request.until, proposal, now);
    }
}

void claim_machine::send_vote(unsigned node, boot_time until, std::uint64_t proposal, boot_time now)
{
    auto& mine = standings_[node];
    vote_request vote{.mine = name_,
                      .lease = request_.lease,
                      .sent = now,
                      .until = until,
                      .repeated = std::exchange(mine.was_asked, true),
                      .order = *ticket_,
                      .client = request_.client,
                      .reserve = request_.reserve,
                      .proposal = proposal,
                      .renumber = mine.renumber};
    if (waits()) vote.wait = wait_left(now);
    mine.asked = now;
    mine.asked_until = std::max(mine.asked_until, until);
    effects_.sends.push_back({node, vote});
}

// Outside of ask().
void claim_machine::ask_again(unsigned node, boot_time now)
{
    if (standings_[node].asked || !ticket_ || avoided_[node]) return;
    send_vote(node, now + unasked_limit, nodes_->proposal(now), now);
}

// The place must not outlast the caller's limit: see acquire_machine::stay().
milliseconds claim_machine::wait_left(boot_time now) const
{
    const auto left = *request_.wait - std::chrono::floor<milliseconds>(now - request_.sent);
    return std::max(left, milliseconds{1});
}

void claim_machine::on_vote(unsigned node, const vote_request& asked, const vote_reply& got,
                            boot_time now)
{
    if (asked.sent < begun_) return;
    auto& mine = standings_[node];
    const bool is_last = mine.asked == asked.sent;
    if (is_last) {
        mine.asked.reset();
        mine.asked_until = {};
    }
    if (const auto* const problem = std::get_if<failure>(&got)) {
        mine.problem = *problem;
        if (problem->maybe_executed) {
            // The answer to a later request does not say whether this one was executed.
            mine.late_until = std::max(mine.late_until, asked.until);
        } else if (is_last && !asked.repeated) {
            // The node has never heard of this holder, so there is nothing to return.
            mine.was_asked = false;
        }
    } else if (const auto* const vote = std::get_if<voted>(&got)) {
        if (vote->number > mine.spent) {
            mine.renumber = false;
            const bool first = base::is(base::mutant::d43_first_request);
            mine.cast(vote->number, first ? begun_ : asked.sent, now);
        } else {
            // A hand-back without an answer was about this number, and may yet be executed.
            mine.what = standing::kind::unknown;
            mine.problem =
                failure{.what = failure_kind::unavailable, .detail = "a vote with an old number"};
            mine.renumber = true;
            if (!asked.renumber) ask_again(node, now);
        }
    } else if (mine.is_cast() && mine.heard > asked.sent) {
        // A message told of a vote after this was sent, so the two crossed.
        ask_again(node, now);
    } else if (const auto& place = std::get<core::waits>(got); is_restorable(mine, place)) {
        mine.problem.reset();
    } else {
        mine.what = place.placed ? standing::kind::placed : standing::kind::away;
        mine.why = place.why;
        mine.left = place.left;
        mine.problem.reset();
    }
    settle(now);
}

// A node in quarantine does not say whether it has the vote. A renewal may restore it there, if it is still in force: a
// hold must not be lost because a node that had voted for it was started again.
bool claim_machine::is_restorable(const standing& mine, const core::waits& got) const
{
    return hold_ && !asking_ && mine.is_cast() && got.why == core::waits::reason::quarantine;
}

void claim_machine::on_notice(const vote_notice& got, boot_time now)
{
    if (avoided_[got.node]) return;
    auto& mine = standings_[got.node];
    const bool is_old = got.number <= mine.spent || (mine.is_cast() && got.number <= mine.number);
    if (is_old) return;
    if (got.at == boot_time{} || got.at > now) {
        // The node's clock is not known, or it was stepped: the answer to a vote has a time of our own clock.
        ask_again(got.node, now);
        return;
    }
    // No hand-back names this number.
    mine.renumber = false;
    mine.cast(got.number, got.at, now);
    settle(now);
}

void claim_machine::on_listening(unsigned node, boot_time now)
{
    if (hold_ || !waits()) return;
    ask_again(node, now);
}

// ── A majority ──────────────────────────────────────────────────────────────────────────────────

// After each event.
void claim_machine::settle(boot_time now)
{
    if (hold_) {
        if (asking_) confirm(now);
        return;
    }
    const auto votes = counted(now);
    if (votes.size() >= nodes_->majority()) {
        if (const auto number = agreed(votes)) {
            establish(*number, votes, now);
            return;
        }
        raise(votes, now);
    } else {
        target_ = 0;
    }
    if (asking_) decide(now);
    plan_hand_back(now);
}

std::vector<unsigned> claim_machine::counted(boot_time now) const
{
    std::vector<unsigned> votes;
    for (unsigned i = 0; i < nodes_->size(); ++i) {
        if (nodes_->may_elect(i, now) && !avoided_[i] &&
            standings_[i].is_in_force(request_.lease, nodes_->drift(), now)) {
            votes.push_back(i);
        }
    }
    return votes;
}

std::optional<std::uint64_t> claim_machine::agreed(const std::vector<unsigned>& votes) const
{
    const auto has = [&](std::uint64_t number) {
        const auto same = [&](unsigned node) { return standings_[node].number == number; };
        return std::ranges::count_if(votes, same) >= nodes_->majority();
    };
    if (base::is(base::mutant::d26_greatest_number)) return greatest(votes);
    // While votes are raised, only the number that they are raised to counts.
    if (target_ != 0) return has(target_) ? std::optional{target_} : std::nullopt;
    for (const auto node : votes) {
        if (has(standings_[node].number)) return standings_[node].number;
    }
    return std::nullopt;
}

std::uint64_t claim_machine::greatest(const std::vector<unsigned>& votes) const
{
    std::uint64_t number = 0;
    for (const auto node : votes) number = std::max(number, standings_[node].number);
    return number;
}

// All votes get the greatest number. A node does so only if its vote is still for this holder.
void claim_machine::raise(const std::vector<unsigned>& votes, boot_time now)
{
    const auto below = [&](unsigned node) { return standings_[node].number <= target_; };
    if (target_ == 0 || std::ranges::count_if(votes, below) < nodes_->majority()) {
        target_ = greatest(votes);
    }
    for (const auto node : votes) {
        auto& mine = standings_[node];
        if (mine.number >= target_ || mine.raising_to == target_) continue;
        mine.raising_to = target_;
        effects_.sends.push_back(
            {node,
             raise_request{
                 .mine = name_, .sent = now, .number = target_, .reserve = request_.reserve}});
    }
}

void claim_machine::on_raise(unsigned node, const raise_request& asked, const raise_reply& got,
                             boot_time now)
{
    if (asked.sent < begun_) return;
    auto& mine = standings_[node];
    if (mine.raising_to == asked.number) mine.raising_to = 0;
    if (std::holds_alternative<raised>(got)) {
        if (mine.is_cast()) mine.number = std::max(mine.number, asked.number);
    } else if (std::holds_alternative<hold_status>(got)) {
        mine.what = standing::kind::unknown;
        mine.spend(mine.number);
        if (!hold_) ask_again(node, now);
    } else if (!hold_) {
        mine.doubtful = true;
        mine.problem = std::get<failure>(got);
        ask_again(node, now);
    }
    settle(now);
}

boot_time claim_machine::nth_best(std::uint64_t number, const std::vector<unsigned>& votes) const
{
    std::vector<boot_time> times;
    for (const auto node : votes) {
        const bool any = base::is(base::mutant::d26_greatest_number);
        if (any || standings_[node].number == number) times.push_back(standings_[node].at);
    }
    base::require(times.size() >= nodes_->majority(), "a hold without a majority");
    std::ranges::sort(times, std::greater{});
    return times[base::is(base::mutant::d43_best_vote) ? 0 : nodes_->majority() - 1];
}

void claim_machine::establish(std::uint64_t number, const std::vector<unsigned>& votes,
                              boot_time now)
{
    const auto at = nth_best(number, votes);
    const auto deadline = local_deadline(at, request_.lease, nodes_->drift());
    base::require(now < deadline, "a hold whose lease is over");
    hold_ = {number, at, deadline};
    target_ = 0;
    hand_back_at_ = boot_time::max();
    if (asking_) {
        answer(granted{.fence = number, .at = at});
    } else {
        effects_.granted = grant_notice{std::string{name_.holder}, number, at};
    }
}

// The caller has asked again for a hold that was established, because it heard of it late.
void claim_machine::confirm(boot_time now)
{
    auto votes = counted(now);
    std::erase_if(votes, [&](unsigned node) { return standings_[node].number != hold_->fence; });
    const bool enough = votes.size() >= nodes_->majority();
    const auto at = enough ? nth_best(hold_->fence, votes) : boot_time{};
    if (enough && at >= request_.sent) {
        hold_->at = at;
        hold_->deadline = local_deadline(at, request_.lease, nodes_->drift());
        answer(granted{.fence = hold_->fence, .found = true, .at = at});
        return;
    }
    const bool open =
        std::ranges::any_of(standings_, [](const auto& each) { return each.asked.has_value(); });
    if (open && now < request_.until) return;
    // It was lost meanwhile. The next request begins anew.
    hold_.reset();
    decide(now);
}

void claim_machine::renewed(milliseconds lease, boot_time sent)
{
    if (!hold_) return;
    hold_->deadline = std::max(hold_->deadline, local_deadline(sent, lease, nodes_->drift()));
}

void claim_machine::vote_renewed(unsigned node, milliseconds lease, boot_time sent)
{
    if (!hold_) return;
    auto& one = standings_[node];
    // A renewal may set a shorter lease than the acquire did, so only `renewed_until` says how long the vote lasts.
    if (!one.is_cast()) one.cast(hold_->fence, {}, sent);
    // It has given the vote a number that no hand-back names.
    one.renumber = false;
    one.renewed_until = std::max(one.renewed_until, local_deadline(sent, lease, nodes_->drift()));
}

void claim_machine::vote_gone(unsigned node) noexcept
{
    if (hold_) standings_[node].what = standing::kind::away;
}

boot_time claim_machine::vote_until(unsigned node) const
{
    return standings_[node].lasts_until(request_.lease, nodes_->drift());
}

void claim_machine::keeps(std::uint64_t number, unsigned reserve)
{
    if (hold_) hold_->fence = std::max(hold_->fence, number);
    request_.reserve = reserve;
}

// ── Time ────────────────────────────────────────────────────────────────────────────────────────

boot_time claim_machine::wake() const noexcept
{
    auto when = hand_back_at_;
    if (asking_) when = std::min({when, grace_, past_limit_ ? request_.until : limit_});
    return when;
}

void claim_machine::on_time(boot_time now)
{
    if (asking_ && now >= std::min(limit_, grace_)) {
        past_limit_ = now >= limit_;
        settle(now);
    }
    if (now >= hand_back_at_) {
        hand_back_at_ = boot_time::max();
        hand_back(now);
    }
}

}  // namespace pawl::core::quorum
