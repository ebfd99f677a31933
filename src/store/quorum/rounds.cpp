#include "store/quorum/rounds.h"

#include "base/mutant.h"
#include "store/quorum/node.h"

#include <algorithm>

namespace pawl::store {

using base::boot_time;
using answers = core::quorum::renewal_machine::answers;

// ── Renewals ────────────────────────────────────────────────────────────────────────────────────

void quorum_store::renewal::start(answers when, boot_time until)
{
    const auto now = owner_->platform_->now();
    std::vector<core::quorum::renewal_machine::lock> locks;
    for (const auto& [who, lease, index] : locks_) {
        const auto& hold = *who->claim->held();
        who->longest = std::max(who->longest, lease);
        core::restore_part part{
            .mine = who->name(), .lease = lease, .number = hold.fence + who->claim->reserve()};
        if (now < hold.deadline) part.held_until = hold.deadline;
        locks.push_back({.what = part, .avoided = who->avoided(now)});
        for (unsigned node = 0; node < owner_->nodes_.size(); ++node) {
            locks.back().vote_until.push_back(who->claim->vote_until(node));
            const auto old = who->claim->at(node).number_at_risk();
            locks.back().numbers_at_risk.push_back(old != 0 ? old + who->claim->reserve() : 0);
        }
    }
    machine_.emplace(owner_->nodes_, std::move(locks), when, until, now);
    for (std::size_t i = 0; i < locks_.size(); ++i) {
        const auto latest = machine_->locks()[i].what.held_until;
        auto& who = *locks_[i].who;
        for (unsigned node = 0; latest && node < owner_->nodes_.size(); ++node) {
            if (machine_->locks()[i].avoids(node)) continue;
            auto& past = who.past[node];
            past.restored = true;
            past.restoring = now;
            past.restoring_until = std::max(past.restoring_until, *latest);
        }
    }
    proceed();
}

void quorum_store::renewal::proceed()
{
    auto next = machine_->take_effects();
    for (const auto& each : next.sends) {
        owner_->send(
            each,
            [self = shared_from_this(), node = each.node](const core::reply& got, boot_time now) {
                self->on_reply(node, std::get<core::restore_reply>(got), now);
            },
            [] { return true; });
    }
    auto& loop = *owner_->loop_;
    if (timer_) loop.cancel(*std::exchange(timer_, std::nullopt));
    if (machine_->wake() != boot_time::max()) {
        timer_ = loop.call_at(machine_->wake(), [self = shared_from_this()] {
            self->timer_.reset();
            self->machine_->on_time(self->owner_->platform_->now());
            self->proceed();
        });
    }
    if (!next.answer) return;
    for (std::size_t i = 0; i < locks_.size(); ++i) {
        const auto& got = (*next.answer)[i];
        const bool renewed = got == core::hold_reply{core::hold_status::done} ||
                             std::holds_alternative<core::bare_majority>(got);
        const auto& who = locks_[i].who;
        const bool failed = std::holds_alternative<core::failure>(got);
        const bool released = failed && base::is(base::mutant::d10_failed_extend_releases);
        if (!who->claim || (failed && !released)) continue;
        if (renewed) {
            who->claim->renewed(locks_[i].lease, machine_->sent());
        } else {
            // It is lost. What is left of it, on a minority, goes back.
            owner_->give_back(who, nullptr, owner_->platform_->now());
            owner_->proceed(who);
        }
    }
    done_(*next.answer);
}

void quorum_store::renewal::on_reply(unsigned node, const core::restore_reply& got, boot_time now)
{
    for (std::size_t i = 0; i < locks_.size(); ++i) {
        const auto* const problem = std::get_if<core::failure>(&got.all[i]);
        const auto& who = locks_[i].who;
        const auto& asked = machine_->locks()[i];
        if (asked.avoids(node)) continue;
        auto& past = who->past[node];
        if (past.restoring == machine_->sent()) past.restoring_until = {};
        if (problem != nullptr) {
            // The answer to a later request does not say whether this one was executed.
            const auto latest = asked.what.held_until.value_or(boot_time{});
            if (problem->maybe_executed) past.restored_late = std::max(past.restored_late, latest);
            continue;
        }
        if (!who->claim) continue;
        if (std::get<core::restored>(got.all[i]).what == core::hold_status::done) {
            who->claim->vote_renewed(node, asked.what.lease, machine_->sent());
        } else {
            who->claim->vote_gone(node);
        }
    }
    machine_->on_restore(node, got, now);
    proceed();
}

void quorum_store::begin_renew(const core::renew_request& what, boot_time until, reply_handler done)
{
    std::vector<renewal::lock> locks;
    for (std::size_t i = 0; i < what.all.size(); ++i) {
        const auto& each = what.all[i];
        if (auto who = held(each.mine.holder)) locks.push_back({std::move(who), each.lease, i});
    }
    // A holder that this store does not know has nothing at the nodes.
    core::renew_request::reply all(what.all.size(), core::hold_status::vanished);
    if (locks.empty()) {
        done(std::move(all));
        return;
    }
    const auto indexes = locks;
    const auto round =
        std::make_shared<renewal>(*this, std::move(locks),
                                  [all = std::move(all), indexes, done = std::move(done)](
                                      const std::vector<core::hold_reply>& got) mutable {
                                      for (std::size_t i = 0; i < got.size(); ++i)
                                          all[indexes[i].index] = got[i];
                                      done(all);
                                  });
    round->start(answers::with_all, until);
}

void quorum_store::begin_extend(const core::extend_request& what, boot_time until,
                                reply_handler done)
{
    auto who = held(what.mine.holder);
    if (!who) {
        done(core::hold_reply{core::hold_status::vanished});
        return;
    }
    const auto round = std::make_shared<renewal>(
        *this, std::vector<renewal::lock>{{std::move(who), what.lease, 0}},
        [done = std::move(done)](const std::vector<core::hold_reply>& got) { done(got.front()); });
    round->start(answers::with_majority, until);
}

// ── Questions by a raise ────────────────────────────────────────────────────────────────────────

void quorum_store::question::start(core::raise_request what, boot_time until)
{
    what.mine = who_->name();
    what.sent = owner_->platform_->now();
    machine_.emplace(owner_->nodes_, what, who_->unsure(what.sent), until);
    proceed();
}

void quorum_store::question::proceed()
{
    auto next = machine_->take_effects();
    for (const auto& each : next.sends) {
        owner_->send(
            each,
            [self = shared_from_this(), each](const core::reply& got, boot_time now) {
                // The claim notes the number of each node.
                self->owner_->on_reply(self->who_, each, got, now);
                self->machine_->on_raise(each.node, std::get<core::raise_reply>(got), now);
                self->proceed();
            },
            [] { return true; });
    }
    auto& loop = *owner_->loop_;
    if (timer_) loop.cancel(*std::exchange(timer_, std::nullopt));
    if (machine_->wake() != boot_time::max()) {
        timer_ = loop.call_at(machine_->wake(), [self = shared_from_this()] {
            self->timer_.reset();
            self->machine_->on_time(self->owner_->platform_->now());
            self->proceed();
        });
    }
    if (next.answer) done_(*next.answer);
}

void quorum_store::begin_check(const core::check_request& what, boot_time until, reply_handler done)
{
    auto who = held(what.mine.holder);
    if (!who) {
        done(core::hold_reply{core::hold_status::vanished});
        return;
    }
    const auto fence = who->claim->held()->fence;
    const auto reserve = who->claim->reserve();
    const auto asked = std::make_shared<question>(
        *this, std::move(who), [done = std::move(done)](const core::raise_reply& got) {
            if (const auto* const problem = std::get_if<core::failure>(&got)) {
                done(core::hold_reply{*problem});
            } else if (const auto* const status = std::get_if<core::hold_status>(&got)) {
                done(core::hold_reply{*status});
            } else {
                done(core::hold_reply{core::hold_status::done});
            }
        });
    asked->start({.number = fence, .reserve = reserve}, until);
}

void quorum_store::begin_keep(const core::keep_request& what, boot_time until, reply_handler done)
{
    auto who = held(what.mine.holder);
    if (!who) {
        done(core::keep_reply{core::hold_status::vanished});
        return;
    }
    const auto number = std::max(what.used, what.reserved) + 1;
    const core::release_request last{
        .mine = who->name(), .used = what.used, .has_reserve = true, .announce = what.announce};
    const auto asked = std::make_shared<question>(
        *this, who,
        [this, who, last, number, reserve = what.reserve, lease = what.lease,
         sent = platform_->now(), done = std::move(done)](const core::raise_reply& got) {
            if (const auto* const problem = std::get_if<core::failure>(&got)) {
                done(core::keep_reply{*problem});
            } else if (const auto* const status = std::get_if<core::hold_status>(&got)) {
                done(core::keep_reply{*status});
            } else if (!who->claim) {
                done(core::keep_reply{core::hold_status::vanished});
            } else if (std::get<core::raised>(got).others_wait) {
                give_back(who, &last, platform_->now());
                proceed(who);
                done(core::keep_reply{core::handed_over{}});
            } else {
                who->claim->keeps(number, reserve);
                who->claim->renewed(lease, sent);
                done(core::keep_reply{core::kept{number}});
            }
        });
    asked->start({.number = number, .reserve = what.reserve, .lease = what.lease}, until);
}

}  // namespace pawl::store
