#include "core/quorum/returning.h"

#include "base/mutant.h"
#include "core/acquire.h"
#include "core/give_back.h"
#include "core/quorum/too_few.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace pawl::core::quorum {

using base::boot_time;
using std::chrono::milliseconds;

return_machine::return_machine(const nodes& all, claim name, plan what, boot_time now)
    : nodes_{&all},
      name_{name},
      announcement_{what.announcement},
      states_(all.size()),
      pause_{give_back_machine::shortest_pause}
{
    auto last = now;
    for (unsigned i = 0; i < all.size(); ++i) {
        states_[i].what = what.parts[i];
        last = std::max(last, late_until(i));
    }
    // The node's clock may be slower, and the lease may begin as late as the last request is executed.
    const auto lease = std::chrono::ceil<milliseconds>(what.lease * (1 + all.drift()));
    end_ = last + lease + give_back_machine::shortest_pause;
    limit_ = now + all.limit(what.lease);
    effects_.sends.reserve(all.size());
    const auto proposal = nodes_->proposal(now);
    for (unsigned i = 0; i < all.size(); ++i) {
        if (states_[i].what.there) send(i, proposal, now);
    }
}

void return_machine::ask(boot_time until, boot_time now)
{
    answer_by_ = until;
    limit_ = std::min(limit_, until);
    settle(now);
}

void return_machine::send_again(boot_time now)
{
    for (unsigned i = 0; i < nodes_->size(); ++i) {
        auto& one = states_[i];
        if (one.under_way) continue;
        one.what.there = true;
        one.got.reset();
        send(i, nodes_->proposal(now), now);
    }
}

void return_machine::send(unsigned node, std::uint64_t proposal, boot_time now)
{
    auto& one = states_[node];
    one.again_at = boot_time::max();
    if (base::is(base::mutant::d8_error_ends_return)) {
        const auto failed = [this](unsigned other) { return (*nodes_)[other].problem.has_value(); };
        if (std::ranges::any_of(std::views::iota(0U, node), failed)) return;
    }
    one.under_way = now;
    effects_.sends.push_back({node, return_request{.mine = name_,
                                                   .sent = now,
                                                   .used = one.what.used,
                                                   .has_reserve = one.what.has_reserve,
                                                   .proposal = proposal,
                                                   .announcement = announcement_}});
    // Others may have the lock when it is sent again, with greater numbers.
    one.what.used = 0;
    one.what.has_reserve = false;
}

void return_machine::on_return(unsigned node, const return_request& asked, const hold_reply& got,
                               boot_time now)
{
    auto& one = states_[node];
    // The answer to an earlier return of the same holder says nothing about this one.
    if (one.under_way != asked.sent) return;
    one.under_way.reset();
    const auto* const problem = std::get_if<failure>(&got);
    if (problem == nullptr) {
        // If an earlier return had no answer, that may be the one that released it.
        one.got = std::get<hold_status>(got);
        one.problem.reset();
        // A vote request that was on its way may have arrived after the return.
        if (late_until(node) > asked.sent) {
            one.again_at = late_until(node) + give_back_machine::shortest_pause;
        }
    } else {
        one.problem = *problem;
        if (problem->maybe_executed) one.what.maybe_until = now + latest_execution;
        if (!is_answer(problem->what) && now < end_) one.again_at = now + next_pause();
    }
    settle(now);
}

milliseconds return_machine::next_pause() noexcept
{
    return std::exchange(pause_, std::min(2 * pause_, give_back_machine::longest_pause));
}

void return_machine::settle(boot_time now)
{
    if (!answer_by_) return;
    unsigned answered = 0;
    unsigned open = 0;
    bool done = false;
    bool taken = false;
    for (unsigned i = 0; i < nodes_->size(); ++i) {
        const auto& one = states_[i];
        if (!nodes_->is_counted(i)) continue;
        open += one.under_way ? 1U : 0U;
        answered += !one.what.there || one.got ? 1U : 0U;
        done |= one.got == hold_status::done;
        taken |= one.got == hold_status::taken;
    }
    const bool enough = answered >= nodes_->majority();
    // Nodes that have lost their data, or never had the vote, may be the first to answer.
    const bool sure = done || open == 0 || past_limit_;
    std::optional<hold_reply> answer;
    if (enough && sure) {
        const auto gone = taken ? hold_status::taken : hold_status::vanished;
        answer = done ? hold_status::done : gone;
    } else if (now >= *answer_by_ || (open == 0 && !enough)) {
        answer = no_answer();
    }
    if (!answer) return;
    effects_.answer = std::move(answer);
    answer_by_.reset();
}

failure return_machine::no_answer() const
{
    std::vector<node_problem> problems;
    problems.reserve(states_.size());
    for (const auto& one : states_) {
        problems.push_back({.what = one.problem, .silent = one.under_way && !one.got});
    }
    auto why = too_few(*nodes_, problems);
    why.maybe_executed = true;
    return why;
}

boot_time return_machine::wake() const noexcept
{
    auto when = boot_time::max();
    auto clean_at = boot_time{};
    bool idle = true;
    for (const auto& each : states_) {
        when = std::min(when, each.again_at);
        idle = idle && !each.under_way;
        clean_at = std::max(clean_at, each.what.maybe_until);
    }
    if (answer_by_) return std::min(when, past_limit_ ? *answer_by_ : limit_);
    return idle && when == boot_time::max() ? clean_at : when;
}

void return_machine::on_time(boot_time now)
{
    for (unsigned i = 0; i < nodes_->size(); ++i) {
        if (states_[i].again_at <= now && !states_[i].under_way) {
            send(i, nodes_->proposal(now), now);
        }
    }
    past_limit_ = past_limit_ || now >= limit_;
    settle(now);
}

bool return_machine::is_under_way() const
{
    for (unsigned i = 0; i < nodes_->size(); ++i) {
        // A node that this client has never reached has nothing of it.
        if (states_[i].under_way && !(*nodes_)[i].run_id.empty()) return true;
    }
    return false;
}

bool return_machine::is_over(boot_time now) const
{
    const auto is_done = [&](const state& each) { return each.is_over(now); };
    return !answer_by_ && std::ranges::all_of(states_, is_done);
}

bool return_machine::is_clean(unsigned node, boot_time now) const
{
    const auto& one = states_[node];
    const bool returned = !one.what.there || one.got;
    return returned && !one.under_way && now >= one.what.maybe_until;
}

boot_time return_machine::maybe_until(unsigned node) const
{
    const auto& one = states_[node];
    // A return that is under way will be followed by another one, on the same connection or not.
    const auto last = one.under_way ? *one.under_way + latest_execution : boot_time{};
    return std::max(one.what.maybe_until, last);
}

}  // namespace pawl::core::quorum
