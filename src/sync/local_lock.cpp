#include "sync/local_lock.h"

#include <type_traits>
#include <utility>
#include <variant>

namespace pawl::sync {

local_lock::local_lock(client_state& client, settings_ptr settings, std::weak_ptr<local_locks> all)
    : client_{&client},
      settings_{std::move(settings)},
      all_{std::move(all)},
      // Where no waiter may be overtaken, each one needs a place of its own at the server.
      machine_{{.lease = settings_->lease,
                .linger = settings_->linger,
                .renew = settings_->renew,
                .shares = settings_->joins && !settings_->fair}}
{
}

local_lock::~local_lock()
{
    if (const auto all = all_.lock()) all->part_from(*this);
}

template <class Event>
auto local_lock::after(Event event)
{
    std::unique_lock held{mutex_};
    const auto now = client_->platform().now();
    if constexpr (std::is_void_v<std::invoke_result_t<Event, base::boot_time>>) {
        event(now);
        do_what_follows(held, now);
    } else {
        auto result = event(now);
        do_what_follows(held, now);
        return result;
    }
}

// Unlocks the mutex before it rings: a caller that is woken wants it.
void local_lock::do_what_follows(std::unique_lock<std::mutex>& held, base::boot_time now)
{
    const auto what = machine_.take_effects();
    auto& leases = client_->leases();
    if (what.resting) leases.rest(what.resting);
    for (const auto& each : what.ended) {
        static_cast<void>(leases.end(each.lease));
        if (!each.to_server) continue;
        leases.give_back(each.lease, each.lease->wanted_until, *each.to_server);
    }
    if (what.look_at) look_at(*what.look_at);
    std::map<ticket, std::shared_ptr<bell>> all;
    if (what.wake_all) all.swap(waiting_);
    std::shared_ptr<bell> next;
    if (const auto first = machine_.to_wake(now)) {
        // A caller that has no bell yet is about to look.
        const auto found = waiting_.find(*first);
        if (found != waiting_.end()) next = found->second;
    }
    held.unlock();
    if (next) next->ring();
    for (const auto& [number, each] : all) each->ring();
}

void local_lock::look_at(base::boot_time when)
{
    client_->loop().post([self = shared_from_this(), when] {
        self->client_->loop().call_at(
            when, [self] { self->after([&](auto now) { self->machine_.on_time(now); }); });
    });
}

local_lock::turn local_lock::arrive(bool may_wait)
{
    return after([&](auto now) { return passed_on(machine_.arrive(may_wait, now)); });
}

local_lock::turn local_lock::look(ticket mine, const std::shared_ptr<bell>& woken_by)
{
    return after([&](auto now) {
        auto what = passed_on(machine_.look(mine, now));
        if (what.what == turn::kind::wait) {
            waiting_[mine] = woken_by;
        } else {
            waiting_.erase(mine);
        }
        return what;
    });
}

// The mutex is held: nobody must see the lease as idle any more.
local_lock::turn local_lock::passed_on(turn what)
{
    if (what.what == turn::kind::take) client_->leases().pass_on(what.lease, what.fence);
    return what;
}

void local_lock::leave(ticket mine)
{
    after([&](auto now) {
        waiting_.erase(mine);
        machine_.leave(mine, now);
    });
}

core::local_lock::question local_lock::begin_to_ask(bool alone)
{
    auto& room = client_->room();
    if (settings_->linger.count() > 0) room.listen();
    return after([&](auto) { return machine_.begin_to_ask(alone, room.is_listening()); });
}

void local_lock::granted(bool alone, const core::lease_ptr& lease)
{
    after([&](auto now) { machine_.granted(alone, lease, now); });
}

void local_lock::not_granted(bool alone, const trouble& why,
                             const std::optional<core::silence>& seen)
{
    after([&](auto now) { machine_.not_granted(alone, why, seen, now); });
}

core::local_lock::ending local_lock::release(const core::lease_ptr& lease)
{
    return after([&](auto now) { return machine_.release(lease, now); });
}

void local_lock::kept(const core::lease_ptr& lease, const core::keep_reply& got,
                      base::boot_time sent)
{
    if (std::holds_alternative<core::kept>(got)) {
        client_->leases().extended(lease, lease->length, sent);
        lease->has_reserve = true;
    }
    after([&](auto now) { machine_.kept(lease, got, sent, now); });
}

void local_lock::wanted()
{
    after([&](auto now) { machine_.wanted(now); });
}

void local_lock::on_lost()
{
    after([&](auto now) { machine_.look_at_lease(now); });
}

}  // namespace pawl::sync
