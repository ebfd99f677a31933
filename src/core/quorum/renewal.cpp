#include "core/quorum/renewal.h"

#include "base/mutant.h"
#include "base/require.h"
#include "core/deadline.h"
#include "core/quorum/too_few.h"

#include <algorithm>

namespace pawl::core::quorum {

using base::boot_time;

renewal_machine::renewal_machine(const nodes& all, std::vector<lock> locks, answers when,
                                 boot_time until, boot_time now)
    : nodes_{&all},
      locks_{std::move(locks)},
      when_{when},
      sent_{now},
      until_{until},
      limit_{now},
      replies_(all.size())
{
    base::require(!locks_.empty(), "a renewal of nothing");
    for (auto& each : locks_) {
        limit_ = std::max(limit_, now + all.limit(each.what.lease));
        if (!each.what.held_until) continue;
        // A vote that is restored lasts as long as the hold, also if this is an extension by less.
        const auto rest = lease_until(*each.what.held_until, now, all.drift());
        if (!base::is(base::mutant::restores_briefly)) {
            each.what.lease = std::max(each.what.lease, rest);
        }
        // Nobody waits for a restore that arrives later. The lock may be released by then, and another one's.
        if (base::is(base::mutant::late_restore)) continue;
        each.what.held_until = std::min(*each.what.held_until, until_);
    }
    limit_ = std::min(limit_, until_);
    for (unsigned i = 0; i < all.size(); ++i) {
        restore_request asked{.sent = now};
        for (const auto& each : locks_) {
            asked.all.push_back(each.what);
            if (now < each.vote_until[i]) asked.all.back().vote_until = each.vote_until[i];
            // The vote counts from now on, so it gets a number that the hand-back does not name.
            const auto old = each.numbers_at_risk.empty() ? 0 : each.numbers_at_risk[i];
            if (old != 0) asked.all.back().number = std::max(each.what.number, old) + 1;
            if (each.avoids(i)) asked.all.back().held_until.reset();
        }
        effects_.sends.push_back({i, std::move(asked)});
    }
}

void renewal_machine::on_restore(unsigned node, const restore_reply& got, boot_time now)
{
    base::require(got.all.size() == locks_.size(), "a renewal has answers for other locks");
    replies_[node] = got;
    settle(now);
}

void renewal_machine::on_time(boot_time now)
{
    settle(now);
}

boot_time renewal_machine::wake() const noexcept
{
    if (over_) return boot_time::max();
    return past_limit_ ? until_ : limit_;
}

void renewal_machine::settle(boot_time now)
{
    if (over_) return;
    unsigned open = 0;
    for (unsigned i = 0; i < nodes_->size(); ++i) open += !replies_[i] ? 1U : 0U;
    past_limit_ = past_limit_ || now >= limit_;
    const bool is_last = open == 0 || now >= until_;
    const bool waits_for_all = when_ == answers::with_all && !past_limit_;
    if (!is_last && waits_for_all) return;
    std::vector<hold_reply> all;
    for (std::size_t i = 0; i < locks_.size(); ++i) {
        auto got = verdict(i, is_last);
        if (!got) return;
        all.push_back(std::move(*got));
    }
    over_ = true;
    effects_.answer = std::move(all);
}

// Nothing if nodes that have not answered yet would decide.
std::optional<hold_reply> renewal_machine::verdict(std::size_t which, bool is_last) const
{
    unsigned done = 0;
    unsigned taken = 0;
    unsigned gone = 0;  // with those that are taken
    std::vector<node_problem> problems(nodes_->size());
    for (unsigned i = 0; i < nodes_->size(); ++i) {
        problems[i].silent = !replies_[i];
        problems[i].returning = locks_[which].avoids(i);
        if (!replies_[i] || !nodes_->is_counted(i) || problems[i].returning) continue;
        const auto& got = replies_[i]->all[which];
        if (const auto* const problem = std::get_if<failure>(&got)) {
            problems[i].what = *problem;
            continue;
        }
        const auto status = std::get<restored>(got).what;
        problems[i].no_vote = why_no_vote(status);
        done += status == hold_status::done ? 1U : 0U;
        taken += status == hold_status::taken ? 1U : 0U;
        gone += status != hold_status::done ? 1U : 0U;
    }
    const auto majority = nodes_->majority();
    if (done >= majority) {
        if (done > majority || when_ == answers::with_majority) return hold_status::done;
        return bare_majority{problems_of(*nodes_, problems)};
    }
    if (gone > nodes_->size() - majority) {
        return taken > 0 ? hold_status::taken : hold_status::vanished;
    }
    if (!is_last) return std::nullopt;
    return too_few(*nodes_, problems);
}

}  // namespace pawl::core::quorum
