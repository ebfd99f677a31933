#include "sync/local_lock.h"

#include <utility>
#include <variant>

namespace pawl::sync {

local_lock::local_lock(client_state& client, settings_ptr settings, std::weak_ptr<local_locks> all)
    : client_{&client},
      settings_{std::move(settings)},
      measured_{client.measured(settings_->what)},
      all_{std::move(all)},
      machine_(machine_for(*settings_))
{
}

local_lock::machine local_lock::machine_for(const lock_settings& settings)
{
    using core::object_kind;
    const auto kind = settings.what.kind;
    if (kind == object_kind::shared && settings.what.mode == core::entry_mode::reader) {
        // A reader whose lease depends on its own heartbeat must not live on that of another one.
        const bool shares = settings.renew && settings.heartbeat.count() == 0;
        return machine{std::in_place_type<core::local_readers>,
                       core::local_readers::rules{.lease = settings.lease, .shares = shares}};
    }
    // Where no waiter may be overtaken, each one needs a place of its own at the server. And only a lock
    // with one holder is passed on: the server sets no numbers aside for the others.
    const bool one_holder = kind == object_kind::exclusive || kind == object_kind::counted;
    return machine{
        std::in_place_type<core::local_lock>,
        core::local_lock::rules{.lease = settings.lease,
                                .linger = settings.linger,
                                .renew = settings.renew,
                                .shares = settings.joins && !settings.fair && one_holder}};
}

core::local_sharing& local_lock::sharing()
{
    if (auto* const readers = std::get_if<core::local_readers>(&machine_)) return *readers;
    return std::get<core::local_lock>(machine_);
}

local_lock::~local_lock()
{
    if (const auto all = all_.lock()) all->part_from(*this);
}

class PAWL_SCOPED_CAPABILITY local_lock::event {
public:
    explicit event(local_lock& lock) PAWL_ACQUIRE(lock.mutex_) : lock_{lock}
    {
        lock_.mutex_.lock();
        now_ = lock_.client_->platform().now();
    }
    ~event() PAWL_RELEASE();
    event(const event&) = delete;
    event& operator=(const event&) = delete;

    [[nodiscard]] base::boot_time now() const noexcept { return now_; }

    // A grant that was held since then has ended.
    void grant_ends(base::boot_time held) noexcept { lasted_ = now_ - held; }

private:
    local_lock& lock_;
    base::boot_time now_;
    std::optional<std::chrono::nanoseconds> lasted_;
};

local_lock::event::~event()
{
    const auto what = lock_.sharing().take_effects();
    auto& leases = lock_.client_->leases();
    if (what.resting) {
        leases.rest(what.resting, *lasted_, lock_.measured_);
    } else if (lasted_) {
        lock_.client_->counters().each(lock_.measured_,
                                       [&](auto& here) { here.hold.add(*lasted_); });
    }
    for (const auto& each : what.ended) {
        static_cast<void>(leases.end(each.lease));
        if (!each.to_server) continue;
        leases.give_back(each.lease, each.lease->wanted_until, *each.to_server);
    }
    if (what.look_at) lock_.look_at(*what.look_at);
    std::map<ticket, std::weak_ptr<bell>> all;
    if (what.wake_all) all = lock_.waiting_;
    std::shared_ptr<bell> next;
    if (const auto first = lock_.sharing().to_wake(now_)) {
        // A caller that has no bell yet is about to look.
        const auto found = lock_.waiting_.find(*first);
        if (found != lock_.waiting_.end()) next = found->second.lock();
    }
    // A caller that is woken wants the mutex.
    lock_.mutex_.unlock();
    if (next) next->ring();
    for (const auto& [number, each] : all) {
        if (const auto woken = each.lock()) woken->ring();
    }
}

void local_lock::look_at(base::boot_time when)
{
    client_->loop().post([self = shared_from_this(), when] {
        self->client_->loop().call_at(when, [self] {
            const event here{*self};
            self->sharing().on_time(here.now());
        });
    });
}

local_lock::turn local_lock::arrive(bool may_wait, base::boot_time asked)
{
    const event here{*this};
    return passed_on(sharing().arrive(may_wait, here.now()), asked, here.now());
}

local_lock::turn local_lock::first_look(ticket mine, base::boot_time asked,
                                        std::weak_ptr<bell> woken_by)
{
    const event here{*this};
    auto what = passed_on(sharing().look(mine, here.now()), asked, here.now());
    if (what.what == turn::kind::wait) waiting_.emplace(what.number, std::move(woken_by));
    return what;
}

local_lock::turn local_lock::look(ticket mine, base::boot_time asked)
{
    const event here{*this};
    auto what = passed_on(sharing().look(mine, here.now()), asked, here.now());
    auto woken_by = waiting_.extract(mine);
    // It may have to wait again, with another ticket.
    if (what.what == turn::kind::wait && woken_by) {
        woken_by.key() = what.number;
        waiting_.insert(std::move(woken_by));
    }
    return what;
}

// The mutex is held: no thread may see the lease as idle any more.
local_lock::turn local_lock::passed_on(turn what, base::boot_time asked, base::boot_time now)
{
    if (what.what != turn::kind::take) return what;
    client_->leases().pass_on(what.lease, {.fence = what.fence,
                                           .now = now,
                                           .waited = now - asked,
                                           .lingered = what.lingered,
                                           .measured = measured_});
    return what;
}

void local_lock::leave(ticket mine)
{
    const event here{*this};
    waiting_.erase(mine);
    sharing().leave(mine, here.now());
}

core::local_sharing::question local_lock::begin_to_ask(bool alone)
{
    auto& room = client_->room();
    if (settings_->linger.count() > 0) room.listen();
    const event here{*this};
    return sharing().begin_to_ask(alone, room.is_listening());
}

void local_lock::granted(bool alone, const core::lease_ptr& lease)
{
    const event here{*this};
    sharing().granted(alone, lease, here.now());
}

void local_lock::not_granted(bool alone, const trouble& why,
                             const std::optional<core::silence>& seen)
{
    const event here{*this};
    sharing().not_granted(alone, why, seen, here.now());
}

core::local_sharing::ending local_lock::release(const core::lease_ptr& lease, base::boot_time held)
{
    event here{*this};
    here.grant_ends(held);
    return sharing().release(lease, here.now());
}

void local_lock::given_back(const core::lease_ptr& lease, base::boot_time held)
{
    event here{*this};
    here.grant_ends(held);
    sharing().given_back(lease, here.now());
}

bool local_lock::begin_change(const core::lease_ptr& lease)
{
    const event here{*this};
    return sharing().begin_change(lease);
}

void local_lock::kept(const core::lease_ptr& lease, const core::keep_reply& got,
                      base::boot_time sent)
{
    if (const auto* const stays = std::get_if<core::kept>(&got)) {
        if (stays->lease_restarts) client_->leases().extended(lease, lease->length, sent);
        lease->has_reserve = true;
    }
    const event here{*this};
    sharing().kept(lease, got, sent, here.now());
}

void local_lock::wanted()
{
    const event here{*this};
    sharing().wanted(here.now());
}

void local_lock::on_lost()
{
    const event here{*this};
    sharing().look_at_lease(here.now());
}

}  // namespace pawl::sync
