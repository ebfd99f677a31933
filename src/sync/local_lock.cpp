#include "sync/local_lock.h"

#include "base/mutant.h"
#include "sync/server_lock.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace pawl::sync {

using base::boot_time;
using core::verdict;
using turn = core::local_queue::turn;

namespace {

// How long it is kept for someone who was woken and does not run.
constexpr std::chrono::milliseconds longest_wake_up{10};

// As many numbers as the lock is passed on before the server is asked again.
constexpr unsigned reserve_size = core::local_queue::most_passes;

}  // namespace

local_lock::local_lock(client_state& client, lock_settings settings)
    : client_{&client}, settings_{std::move(settings)}
{
}

local_lock::result local_lock::acquire(const std::shared_ptr<client_state>& client,
                                       time_limit limit, const std::stop_token& stop)
{
    auto& platform = client_->platform();
    guard held{mutex_};
    notice_loss();
    auto my_turn = queue_.arrive();
    if (my_turn == turn::wait) {
        if (limit.is_now() && lease_) return trouble{errc::busy, {}};
        if (limit.is_now()) return ask(held, client, {limit, stop, true});
        const auto until = limit.is_never() ? boot_time::max() : platform.now() + limit.wait();
        if (!wait_for_turn(held, my_turn, until, stop)) {
            wake_next(held);
            return trouble{stop.stop_requested() ? errc::cancelled : errc::timed_out, {}};
        }
        if (!limit.is_never()) {
            // Whose turn it is may ask once, however late it is.
            const auto left = std::max<std::chrono::nanoseconds>(until - platform.now(),
                                                                 std::chrono::nanoseconds{1});
            limit = time_limit::after(left);
        }
    }
    if (my_turn == turn::take) return take(client);
    return ask(held, client, {limit, stop, false});
}

// False if the limit passed or stop was requested before.
bool local_lock::wait_for_turn(guard& held, turn& my_turn, boot_time until,
                               const std::stop_token& stop)
{
    const auto mine = queue_.line_up();
    const auto leave = [&] {
        asleep_.erase(mine);
        queue_.leave(mine);
        if (queue_.is_idle()) stay_or_drop();
    };
    try {
        while (true) {
            std::stop_source woken;
            asleep_[mine] = woken;
            wake_next(held);
            {
                const std::stop_callback watch{stop, [&woken] { woken.request_stop(); }};
                static_cast<void>(client_->platform().sleep(until, woken.get_token()));
            }
            held.lock();
            notice_loss();
            my_turn = queue_.look(mine);
            if (my_turn != turn::wait) {
                asleep_.erase(mine);
                return true;
            }
            if (stop.stop_requested() || client_->platform().now() >= until) {
                leave();
                return false;
            }
        }
    } catch (const std::system_error&) {
        // Out of descriptors.
        held.lock();
        leave();
        wake_next(held);
        throw;
    }
}

// Who asks for all who wait here, or, with `beside`, for himself alone: he will not wait.
local_lock::result local_lock::ask(guard& held, const std::shared_ptr<client_state>& client,
                                   const asking& how)
{
    const bool may_pass_on =
        settings_.renew && (queue_.has_waiters() || settings_.linger.count() > 0);
    const unsigned reserve = may_pass_on ? reserve_size : 0;
    if (settings_.linger.count() > 0) client_->room().listen();
    // Until we hear, anyone may have asked for it.
    if (!how.beside) wanted_ = false;
    if (!client_->room().is_listening()) wanted_ = true;
    const auto asked = [&] {
        held.lock();
        if (!how.beside) queue_.asked();
    };
    wake_next(held);
    try {
        auto got = take_from_server(*client_, settings_,
                                    {.limit = how.limit,
                                     .stop = how.stop,
                                     .reserve = reserve,
                                     .when_lost = [self = weak_from_this()] {
                                         if (const auto here = self.lock()) here->on_lost();
                                     }});
        asked();
        if (const auto* lease = std::get_if<core::lease_ptr>(&got)) {
            auto granted = adopt(client, *lease, reserve);
            // It may have been lost before we knew that it was here.
            notice_loss();
            wake_next(held);
            return granted;
        }
        wake_next(held);
        return std::get<trouble>(std::move(got));
    } catch (const std::system_error&) {
        asked();
        wake_next(held);
        throw;
    }
}

std::shared_ptr<grant> local_lock::adopt(const std::shared_ptr<client_state>& client,
                                         const core::lease_ptr& lease, unsigned reserve)
{
    // What was idle here meanwhile the server must have forgotten: it granted the lock anew.
    if (queue_.is_idle()) drop();
    lease_ = lease;
    next_fence_ = lease->fence + 1;
    last_fence_ = lease->fence + reserve;
    queue_.granted(client_->platform().now());
    return std::make_shared<grant>(client, lease, shared_from_this());
}

std::shared_ptr<grant> local_lock::take(const std::shared_ptr<client_state>& client)
{
    const auto number =
        base::is(base::mutant::pass_on_stale_fence) ? lease_->fence.load() : next_fence_++;
    client_->leases().pass_on(lease_, number);
    return std::make_shared<grant>(client, lease_, shared_from_this());
}

maybe_trouble local_lock::release(const core::lease_ptr& lease)
{
    using ending = core::local_queue::ending;
    guard held{mutex_};
    notice_loss();
    if (lease != lease_) {
        wake_next(held);
        return give_to_server(*client_, lease);
    }
    const auto now = client_->platform().now();
    const core::local_queue::condition now_is{
        .sound = is_sound(now), .has_fence = next_fence_ <= last_fence_, .lingers = lingers()};
    switch (queue_.release(now_is, now)) {
    case ending::pass_on:
    case ending::linger:
        rest(now);
        stay_or_drop();
        break;
    case ending::keep: rest(now); return keep(held, lease);
    case ending::give_back:
        lease_ = nullptr;
        queue_.gone();
        wake_next(held);
        return give_to_server(*client_, lease);
    }
    wake_next(held);
    return std::nullopt;
}

// Asks the server whether it may stay, and what numbers there are to pass it on with.
maybe_trouble local_lock::keep(guard& held, const core::lease_ptr& lease)
{
    auto request = lease->ask(core::verb::keep);
    request.reserve = reserve_size;
    request.reserved = last_fence_;
    held.unlock();
    auto& leases = client_->leases();
    client_state::answer got;
    try {
        got = client_->run(request);
    } catch (const std::system_error& e) {
        // Out of descriptors or memory: then it is given back, once that can be done.
        got.what = {.what = verdict::unreachable, .fence = 0, .detail = e.what()};
    }
    held.lock();
    notice_loss();
    const auto what = got.what.what;
    if (lease == lease_ && what == verdict::done) {
        leases.extended(lease, lease->length, got.sent);
        lease->has_reserve = true;
        next_fence_ = got.what.fence;
        last_fence_ = next_fence_ + reserve_size;
        queue_.kept(client_->platform().now());
        idle_since_ = client_->platform().now();
        stay_or_drop();
        wake_next(held);
        return std::nullopt;
    }
    if (lease == lease_) {
        lease_ = nullptr;
        queue_.gone();
    }
    static_cast<void>(leases.end(lease));
    wake_next(held);
    // Handed over is as good as released. If it was lost meanwhile, it had been released before.
    const bool settled = what == verdict::busy || means_lost(what);
    const bool may_come = client_->platform().now() <= lease->wanted_until;
    if (!settled || may_come) leases.give_back(lease, lease->wanted_until);
    if (what == verdict::busy || what == verdict::done || what == verdict::superseded) {
        return std::nullopt;
    }
    if (means_lost(what)) return lost_because(core::cause_of(what));
    return trouble_of(got.what);
}

void local_lock::let_go()
{
    guard held{mutex_};
    if (base::is(base::mutant::lingers_when_wanted)) return;
    wanted_ = true;
    notice_loss();
    if (queue_.is_idle() && !queue_.has_waiters()) drop();
    wake_next(held);
}

void local_lock::on_lost()
{
    guard held{mutex_};
    notice_loss();
    wake_next(held);
}

void local_lock::look_after_idle()
{
    guard held{mutex_};
    looked_after_.reset();
    notice_loss();
    if (queue_.is_idle()) stay_or_drop();
    wake_next(held);
}

// It is idle: for those who linger, or for one who was woken and will take it as soon as he runs. If he
// does not, it is not kept from everyone else.
void local_lock::stay_or_drop()
{
    auto end = idle_since_;
    if (lingers()) end += settings_.linger;
    if (queue_.has_waiters()) end = std::max(end, idle_since_ + longest_wake_up);
    if (client_->platform().now() >= end) {
        drop();
        return;
    }
    if (looked_after_ && *looked_after_ <= end) return;
    looked_after_ = end;
    client_->loop().post([self = shared_from_this(), end] {
        self->client_->loop().call_at(end, [self] { self->look_after_idle(); });
    });
}

void local_lock::notice_loss()
{
    if (!lease_) return;
    client_->leases().notice_time(lease_);
    if (lease_->is_over()) {
        lease_ = nullptr;
        queue_.gone();
    } else if (queue_.is_idle() && !is_sound(client_->platform().now())) {
        drop();
    }
}

void local_lock::drop()
{
    const auto lease = std::exchange(lease_, nullptr);
    queue_.gone();
    static_cast<void>(client_->leases().end(lease));
    client_->leases().give_back(lease, lease->wanted_until);
}

void local_lock::rest(boot_time now)
{
    idle_since_ = now;
    client_->leases().rest(lease_);
}

// As good as new, or nearly: whoever takes it shall not have to fear for it.
bool local_lock::is_sound(boot_time now) const
{
    return settings_.renew && lease_->state == hold_state::held &&
           lease_->deadline.load() - now >= settings_.lease / 2;
}

bool local_lock::lingers() const
{
    return settings_.linger.count() > 0 && !wanted_ && client_->room().is_listening();
}

// Lets go of the mutex: who is woken wants it.
void local_lock::wake_next(guard& held)
{
    const auto next = queue_.to_wake(client_->platform().now());
    auto woken = next ? asleep_.at(*next) : std::stop_source{std::nostopstate};
    held.unlock();
    woken.request_stop();
}

}  // namespace pawl::sync
