#include "sync/condition_wait.h"

#include "sync/acquisition.h"
#include "sync/bell.h"
#include "sync/departure.h"

#include <utility>

namespace pawl::sync {

using base::boot_time;

namespace {

// Until it has the lock again, the object of its lease has the condition. So if it gives up, it leaves that too.
core::lease_ptr waiter_of(client_state& client, const std::shared_ptr<local_lock>& lock,
                          const std::shared_ptr<const core::object>& condition)
{
    auto made = new_lease(client, lock);
    made->what = condition;
    return made;
}

}  // namespace

condition_wait::condition_wait(client_state& client, const grant& held, question asked,
                               release_mode how)
    : client_{&client},
      lock_{held.lock()},
      old_{held.share_lease()},
      asked_{std::move(asked)},
      how_{how},
      lease_{waiter_of(client, lock_, asked_.condition)},
      machine_{plan(), client.random()}
{
}

maybe_trouble condition_wait::leave(grant& held)
{
    auto lost = held.leave_to_server();
    has_left_ = !lost;
    return lost;
}

condition_wait::~condition_wait()
{
    if (!has_left_ || result_) return;
    if (is_granted_) {
        // There was no memory for its grant.
        depart_unnoticed(*client_, lock_, lease_);
        return;
    }
    // The system has no descriptors left, or memory.
    const auto now = client_->platform().now();
    if (!gives_old_back_) give_old_back();
    clean_up(now + core::latest_execution);
}

core::condition_plan condition_wait::plan() const
{
    const auto& settings = *lock_->settings();
    core::condition_plan made;
    made.release = old_->release();
    made.limit = asked_.limit;
    made.waiter.mine = lease_->mine();
    made.waiter.lease = lease_->length;
    made.waiter.poll_interval = settings.poll_interval;
    made.waiter.command_limit = client_->options().command_limit;
    made.waiter.drift = client_->options().clock_drift;
    made.waiter.joins = settings.joins;
    made.waiter.fair = settings.fair;
    made.waiter.client = client_->room().client();
    return made;
}

core::step condition_wait::start(boot_time now)
{
    const auto woken_by = new_bell();
    place_.emplace(client_->room(), lease_->holder, woken_by);
    if (lock_->settings()->joins) client_->room().listen();
    if (asked_.stop.stop_possible()) {
        watch_.emplace(asked_.stop, [woken_by] {
            if (const auto mine = woken_by.lock()) mine->ring();
        });
    }
    look_around();
    return checked(machine_.start(now));
}

core::step condition_wait::on_reply(const core::reply& got, boot_time now)
{
    look_around();
    return checked(machine_.on_reply(got, now));
}

core::step condition_wait::on_time(boot_time now)
{
    look_around();
    const auto granted = place_->take();
    return checked(granted ? machine_.on_granted(*granted, now) : machine_.on_time(now));
}

core::step condition_wait::on_cancel(boot_time now, std::string_view why)
{
    return checked(machine_.on_cancel(now, why));
}

void condition_wait::look_around()
{
    machine_.hears(client_->room().is_listening());
    if (asked_.stop.stop_requested()) machine_.stop();
}

core::step condition_wait::checked(core::step step)
{
    const bool over = step.what == core::step::kind::finish;
    const auto& got = machine_.result();
    // A delayed acquire of the old holder may take the lock again, also while this waits.
    const bool may_come = got.gave_back && old_->was_repeated();
    if (!gives_old_back_ && (may_come || (over && !got.gave_back))) give_old_back();
    if (!over) return step;
    watch_.reset();
    if (got.failure) {
        not_granted();
    } else {
        granted();
    }
    return step;
}

void condition_wait::give_old_back()
{
    gives_old_back_ = true;
    client_->leases().give_back(old_, old_->wanted_until, core::giving::again);
}

void condition_wait::granted()
{
    const auto& got = machine_.result();
    if (got.unheard) client_->room().doubt();
    const auto& settings = lock_->settings();
    lease_->what = {settings, &settings->what};
    lease_->fence = got.fence;
    lease_->wanted_until = got.wanted_until;
    client_->leases().add(lease_, got.sent);
    // It asked for itself alone.
    static_cast<void>(lock_->begin_to_ask(true));
    lock_->granted(true, lease_);
    is_granted_ = true;
    place_.reset();
    client_->counters().each(lock_->measured(),
                             [](auto& here) { here.granted[grant_way::woken].add(); });
    result_ = woken{std::make_shared<hold::grant>(client_->shared_from_this(), lease_, lock_, how_,
                                                  client_->platform().now()),
                    got.notified};
}

void condition_wait::not_granted()
{
    const auto& got = machine_.result();
    if (*got.failure == errc::lost) {
        old_->why = got.why;
        result_ = lost_because(got.why);
    } else {
        result_ = trouble{*got.failure, got.detail};
    }
    if (got.uncertain) clean_up(got.wanted_until);
}

void condition_wait::clean_up(boot_time wanted_until)
{
    client_->room().gave_up(lease_, wanted_until);
    place_.reset();
    client_->leases().give_back(lease_, wanted_until);
}

}  // namespace pawl::sync
