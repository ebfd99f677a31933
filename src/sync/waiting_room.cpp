#include "sync/waiting_room.h"

#include <utility>
#include <vector>

namespace pawl::sync {

waiting_room::waiting_room(const surroundings& around, lease_keeper& keeper, std::string client,
                           giving_back let_go)
    : platform_{*around.platform},
      loop_{*around.loop},
      store_{*around.store},
      keeper_{keeper},
      client_{std::move(client)},
      let_go_{std::move(let_go)}
{
}

void waiting_room::listen()
{
    if (asked_to_listen_.exchange(true)) return;
    loop_.post([this] { store_.listen(client_, *this); });
}

std::size_t waiting_room::count()
{
    const common::scoped_lock guard{mutex_};
    return places_.size();
}

void waiting_room::doubt()
{
    loop_.post([this] { store_.doubt(); });
}

void waiting_room::granted(const core::grant_notice& what)
{
    // Without the mutex: the waiter wants it.
    if (const auto waiter = note(what)) waiter->ring();
}

std::shared_ptr<bell> waiting_room::note(const core::grant_notice& what)
{
    const common::scoped_lock guard{mutex_};
    const auto found = places_.find(what.holder);
    if (found != places_.end()) {
        found->second->granted_ = what;
        return found->second->bell_.lock();
    }
    // A waiter that is not here has found the grant by looking, or has given up.
    if (const auto* const gone = abandoned_.find(what.holder)) {
        keeper_.give_back(gone->lease, gone->wanted_until);
    }
    return nullptr;
}

void waiting_room::gave_up(const core::lease_ptr& lease, base::boot_time wanted_until)
{
    const auto now = platform_.now();
    const common::scoped_lock guard{mutex_};
    abandoned_.add({lease, wanted_until}, now);
}

void waiting_room::listening(bool now)
{
    listening_ = now;
    // A waiter without a place can get one now. If the client did not hear for a while, a place may have
    // been given away, so its waiter must look.
    std::vector<std::weak_ptr<bell>> all;
    {
        const common::scoped_lock guard{mutex_};
        all.reserve(places_.size());
        for (const auto& [holder, each] : places_) all.push_back(each->bell_);
    }
    for (const auto& each : all) {
        if (const auto woken = each.lock()) woken->ring();
    }
    if (!now) let_go_(std::nullopt);
}

waiting_room::place::place(waiting_room& room, std::string_view holder,
                           std::weak_ptr<bell> woken_by)
    : room_{&room}, holder_{holder}, bell_{std::move(woken_by)}
{
    const common::scoped_lock guard{room_->mutex_};
    room_->places_.emplace(holder_, this);
}

waiting_room::place::~place()
{
    const common::scoped_lock guard{room_->mutex_};
    room_->places_.erase(holder_);
}

std::optional<core::grant_notice> waiting_room::place::take()
{
    const common::scoped_lock guard{room_->mutex_};
    return std::exchange(granted_, std::nullopt);
}

}  // namespace pawl::sync
