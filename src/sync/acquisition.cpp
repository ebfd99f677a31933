#include "sync/acquisition.h"

#include "base/mutant.h"
#include "core/object.h"
#include "sync/departure.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace pawl::sync {

using base::boot_time;

core::lease_ptr new_lease(client_state& client, const std::shared_ptr<local_lock>& lock)
{
    const auto& settings = lock->settings();
    const auto lease = std::make_shared<core::lease>();
    lease->what = {settings, &settings->what};
    const bool same = base::is(base::mutant::d38_same_holder);
    auto digits = same ? client.id() : client.platform().random_id();
    const auto& me = client.room().client();
    lease->holder = settings->what.kind == core::object_kind::many
                        ? core::make_holder_of_many(std::move(digits), me)
                        : core::make_holder(std::move(digits), me);
    // The length says that the server is to tell this client when another one wants the lock.
    if (settings->linger.count() > 0) lease->holder += me;
    lease->length = settings->lease;
    lease->renew = settings->renew;
    lease->announce = settings->announce;
    lease->longest_hold = std::chrono::duration_cast<core::duration32>(settings->longest_hold);
    lease->heartbeat = std::chrono::duration_cast<core::duration32>(settings->heartbeat);
    lease->watcher = lock;
    return lease;
}

acquisition::acquisition(client_state& client, std::shared_ptr<local_lock> lock, time_limit limit,
                         release_mode how)
    : client_{&client},
      lock_{std::move(lock)},
      limit_{limit},
      until_{limit.is_never() ? boot_time::max() : client.platform().now() + limit.wait()},
      how_{how}
{
}

acquisition::~acquisition()
{
    if (result_) return;
    if (taken_) {
        // There was no memory for its grant.
        depart_unnoticed(*client_, lock_, taken_);
        return;
    }
    // The system has no descriptors left, or memory. There may be a place in the queue, or a grant.
    if (in_line_) lock_->leave(*in_line_);
    if (asking_) {
        client_->leases().give_back(asking_->lease,
                                    client_->platform().now() + client_->options().command_limit);
    }
    if (asks_alone_) lock_->not_granted(*asks_alone_, {errc::unreachable, {}}, {});
}

core::step acquisition::start(boot_time now)
{
    asked_ = now;
    if (instead_of_) return ask(true, now);
    const auto mine = lock_->arrive(!limit_.is_now(), asked_);
    if (mine.what != core::local_sharing::turn::kind::wait) return take_turn(mine, now);
    in_line_ = mine.number;
    return take_turn(lock_->first_look(*in_line_, asked_, new_bell()), now);
}

core::step acquisition::take_turn(const core::local_sharing::turn& mine, boot_time now)
{
    using kind = core::local_sharing::turn::kind;
    in_line_.reset();
    switch (mine.what) {
    case kind::join: count(grant_way::joined, now); return finish_with(mine.lease, now);
    case kind::take: return finish_with(mine.lease, now);
    case kind::busy: return finish(trouble{errc::busy, {}});
    case kind::give_up: return finish(mine.why);
    case kind::ask: return ask(false, now);
    case kind::ask_alone: return ask(true, now);
    case kind::wait: break;
    }
    in_line_ = mine.number;
    if (now >= until_) return leave_line({errc::timed_out, {}});
    return {.what = core::step::kind::pause, .until = until_};
}

core::step acquisition::leave_line(trouble why)
{
    lock_->leave(*in_line_);
    in_line_.reset();
    return finish(std::move(why));
}

core::step acquisition::ask(bool alone, boot_time now)
{
    asks_alone_ = alone;
    const auto how = lock_->begin_to_ask(alone);
    auto lease = new_lease(*client_, lock_);
    lease->reserve = how.reserve;
    const auto plan = plan_for(*lease, how, now);
    asking_ = std::make_unique<at_server>(std::move(lease), plan, client_->random());
    if (lock_->settings()->joins && !limit_.is_now()) {
        // A new bell: that of the line may have rung once more.
        asking_->place.emplace(client_->room(), asking_->lease->holder, new_bell());
    }
    asking_->machine.hears(client_->room().is_listening());
    return checked(asking_->machine.start(now), now);
}

core::acquire_plan acquisition::plan_for(const core::lease& lease,
                                         const core::local_sharing::question& how,
                                         boot_time now) const
{
    const auto& settings = *lock_->settings();
    core::acquire_plan plan;
    plan.mine = lease.mine();
    plan.lease = lease.length;
    plan.poll_interval = settings.poll_interval;
    plan.command_limit = client_->options().command_limit;
    plan.drift = client_->options().clock_drift;
    plan.limit = limit_;
    if (!limit_.is_never() && !limit_.is_now()) {
        // A caller whose turn has come may ask once, however late it is.
        plan.limit = time_limit::after(
            std::max<std::chrono::nanoseconds>(until_ - now, std::chrono::nanoseconds{1}));
    }
    plan.joins = settings.joins && !instead_of_;
    if (instead_of_) plan.instead_of = instead_of_->mine();
    plan.fair = settings.fair;
    plan.client = client_->room().client();
    plan.reserve = how.reserve;
    plan.hint = how.hint;
    plan.silent_before = how.silent_before;
    return plan;
}

core::step acquisition::on_reply(const core::reply& got, boot_time now)
{
    if (const auto* const others = std::get_if<core::busy>(&std::get<core::acquire_reply>(got))) {
        if (asking_->place) client_->room().listen();
        if (others->waiters > 0) count_queue(others->waiters);
    }
    asking_->machine.hears(client_->room().is_listening());
    return checked(asking_->machine.on_reply(got, now), now);
}

core::step acquisition::on_time(boot_time now)
{
    if (in_line_) return take_turn(lock_->look(*in_line_, asked_), now);
    auto& server = asking_->machine;
    server.hears(client_->room().is_listening());
    const auto granted = handed_over();
    return checked(granted ? server.on_granted(*granted, now) : server.on_time(now), now);
}

core::step acquisition::on_cancel(boot_time now, std::string_view why)
{
    trouble cancelled{errc::cancelled, std::string{why}};
    if (in_line_) return leave_line(std::move(cancelled));
    if (!asking_) return finish(std::move(cancelled));  // it has not started
    auto& server = asking_->machine;
    // A lock that was handed over before is the caller's, unless the client is destroyed (`why`).
    if (const auto granted = why.empty() ? handed_over() : std::nullopt) {
        auto step = server.on_granted(*granted, now);
        if (step.what == core::step::kind::finish) return checked(step, now);
    }
    return checked(server.on_cancel(now, why), now);
}

std::optional<core::grant_notice> acquisition::handed_over()
{
    return asking_->place ? asking_->place->take() : std::nullopt;
}

core::step acquisition::checked(core::step step, boot_time now)
{
    if (step.what != core::step::kind::finish) return step;
    return asking_->machine.result().failure ? not_granted() : granted(now);
}

core::step acquisition::granted(boot_time now)
{
    const auto& got = asking_->machine.result();
    const auto& lease = asking_->lease;
    if (got.unheard) client_->room().doubt();
    if (core::is_gate(lease->what->kind)) {
        asking_->place.reset();
        return finish(grant_ptr{});
    }
    lease->fence = got.fence;
    lease->wanted_until = got.wanted_until;
    lease->hint = got.hint;
    lease->has_reserve = lease->reserve > 0;
    if (instead_of_) {
        // The server does not shorten the lease of the old holder.
        lease->deadline = instead_of_->deadline.load();
        lease->longest = instead_of_->longest.load();
    }
    client_->leases().add(lease, got.sent);
    lock_->granted(*asks_alone_, lease);
    asking_->place.reset();
    count_grant(now);
    const auto step = finish_with(lease, now);
    // If there was no memory for its grant, its caller has not heard of the run.
    lease->used_up = lease->what->kind == core::object_kind::once && !lease->what->retries &&
                     !base::is(base::mutant::once_taken_back);
    return step;
}

// This caller has the lease from now on.
core::step acquisition::finish_with(const core::lease_ptr& lease, boot_time now)
{
    taken_ = lease;
    return finish(
        std::make_shared<hold::grant>(client_->shared_from_this(), lease, lock_, how_, now));
}

// By the server. The lease_keeper counts those that are passed on, or have lingered.
void acquisition::count_grant(boot_time now)
{
    const auto& got = asking_->machine.result();
    if (instead_of_) {
        count(grant_way::changed, now);
        return;
    }
    count(got.handed_over ? grant_way::handed_over : grant_way::free, now);
    if (!got.handed_over_at) return;
    client_->counters().each(lock_->measured(),
                             [&](auto& here) { here.hand_over.add(now - *got.handed_over_at); });
}

// This caller has joined the queue at the server.
void acquisition::count_queue(std::uint32_t waiters)
{
    client_->counters().each(lock_->measured(), [&](auto& here) {
        here.queues_joined.add();
        here.waiters_seen.add(waiters);
        here.longest_queue.see(waiters);
    });
}

void acquisition::count(grant_way how, boot_time now)
{
    client_->counters().each(lock_->measured(), [&](auto& here) {
        here.granted[how].add();
        if (how != grant_way::changed) here.wait.add(now - asked_);
    });
}

core::step acquisition::not_granted()
{
    const auto& got = asking_->machine.result();
    const auto& lease = asking_->lease;
    const bool clean_up = !base::is(base::mutant::d9_no_cleanup) &&
                          !base::is(base::mutant::d32_waiter_stays) &&
                          !base::is(base::mutant::grant_after_limit);
    if (got.uncertain && clean_up) client_->room().gave_up(lease, got.wanted_until);
    asking_->place.reset();
    if (got.uncertain && clean_up) client_->leases().give_back(lease, got.wanted_until);
    trouble why{*got.failure, got.detail};
    lock_->not_granted(*asks_alone_, why, got.silence);
    return finish(std::move(why));
}

core::step acquisition::finish(result got)
{
    result_ = std::move(got);
    return {.what = core::step::kind::finish};
}

}  // namespace pawl::sync
