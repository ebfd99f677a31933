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

void waiting_room::doubt()
{
    loop_.post([this] { store_.doubt(); });
}

void waiting_room::granted(const core::grant_notice& what)
{
    // Woken without the mutex, which he wants.
    if (const auto wake = note(what)) wake();
}

// Whom to wake.
waiting_room::place::waker waiting_room::note(const core::grant_notice& what)
{
    const std::scoped_lock guard{mutex_};
    const auto found = places_.find(what.holder);
    if (found != places_.end()) {
        found->second->granted_ = what;
        return std::exchange(found->second->wake_, nullptr);
    }
    // If he is not here he has found it by looking, or has given it up.
    for (const auto& each : abandoned_) {
        if (each.lease->holder == what.holder) keeper_.give_back(each.lease, each.wanted_until);
    }
    return nullptr;
}

void waiting_room::gave_up(const core::lease_ptr& lease, base::boot_time wanted_until)
{
    const auto now = platform_.now();
    const std::scoped_lock guard{mutex_};
    std::erase_if(abandoned_, [&](const auto& each) { return each.wanted_until < now; });
    if (wanted_until >= now) abandoned_.push_back({lease, wanted_until});
}

void waiting_room::listening(bool now)
{
    listening_ = now;
    // Who waits without a place can get one now; whose place may have been given away must look.
    std::vector<place::waker> woken;
    {
        const std::scoped_lock guard{mutex_};
        for (const auto& [holder, each] : places_) {
            each->look_ = !each->wake_;
            if (each->wake_) woken.push_back(std::exchange(each->wake_, nullptr));
        }
    }
    for (const auto& wake : woken) wake();
    if (!now) let_go_(std::nullopt);
}

waiting_room::place::place(waiting_room& room, std::string_view holder)
    : room_{&room}, holder_{holder}
{
    const std::scoped_lock guard{room_->mutex_};
    room_->places_.emplace(holder_, this);
}

waiting_room::place::~place()
{
    const std::scoped_lock guard{room_->mutex_};
    room_->places_.erase(holder_);
}

bool waiting_room::place::wake_by(waker wake)
{
    const std::scoped_lock guard{room_->mutex_};
    if (granted_ || std::exchange(look_, false)) return false;
    wake_ = std::move(wake);
    return true;
}

void waiting_room::place::wake_no_more()
{
    const std::scoped_lock guard{room_->mutex_};
    wake_ = nullptr;
}

bool waiting_room::place::wait(base::boot_time until, const std::stop_token& stop)
{
    std::stop_source woken;
    if (!wake_by([woken]() mutable { woken.request_stop(); })) return true;
    {
        const std::stop_callback watch{stop, [&woken] { woken.request_stop(); }};
        // Most likely the grant is heard by this very thread.
        static_cast<void>(room_->loop_.help(room_->platform_, until, woken.get_token()));
    }
    const std::scoped_lock guard{room_->mutex_};
    wake_ = nullptr;
    look_ = false;
    return granted_ || !stop.stop_requested();
}

std::optional<core::grant_notice> waiting_room::place::take()
{
    const std::scoped_lock guard{room_->mutex_};
    return std::exchange(granted_, std::nullopt);
}

}  // namespace pawl::sync
