#include "core/quorum/raising.h"

#include "core/quorum/too_few.h"

namespace pawl::core::quorum {

raise_machine::raise_machine(const nodes& all, const raise_request& what, std::vector<bool> avoided,
                             base::boot_time until)
    : nodes_{&all}, avoided_{std::move(avoided)}, until_{until}, replies_(all.size())
{
    for (unsigned i = 0; i < all.size(); ++i) {
        if (!avoided_[i]) effects_.sends.push_back({i, what});
    }
    settle(what.sent);  // no answer will come if no node is asked
}

void raise_machine::on_raise(unsigned node, const raise_reply& got, base::boot_time now)
{
    replies_[node] = got;
    settle(now);
}

void raise_machine::settle(base::boot_time now)
{
    if (over_) return;
    unsigned open = 0;
    unsigned done = 0;
    unsigned gone = 0;
    raised all{};
    auto why = hold_status::vanished;
    std::vector<node_problem> problems(nodes_->size());
    for (unsigned i = 0; i < nodes_->size(); ++i) {
        problems[i] = {.returning = avoided_[i], .silent = !replies_[i]};
        if (!replies_[i]) {
            open += avoided_[i] ? 0U : 1U;
            continue;
        }
        if (const auto* const problem = std::get_if<failure>(&*replies_[i])) {
            problems[i].what = *problem;
        } else if (!nodes_->is_counted(i)) {
            continue;
        } else if (const auto* const good = std::get_if<raised>(&*replies_[i])) {
            ++done;
            all.others_wait |= good->others_wait;
        } else {
            ++gone;
            const auto status = std::get<hold_status>(*replies_[i]);
            problems[i].no_vote = why_no_vote(status);
            if (status == hold_status::taken) why = status;
        }
    }
    if (done >= nodes_->majority()) {
        effects_.answer = all;
    } else if (gone > nodes_->size() - nodes_->majority()) {
        effects_.answer = why;
    } else if (open == 0 || now >= until_) {
        effects_.answer = too_few(*nodes_, problems);
    }
    over_ = effects_.answer.has_value();
}

}  // namespace pawl::core::quorum
