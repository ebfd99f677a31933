#include "core/local_queue.h"

#include "base/mutant.h"
#include "base/require.h"

#include <algorithm>

namespace pawl::core {

using base::boot_time;

local_queue::turn local_queue::arrive()
{
    if (lock_ == state::idle && !reserved_) {
        lock_ = state::held;
        return turn::take;
    }
    if (lock_ == state::absent && !asking_ && line_.empty()) {
        asking_ = true;
        silent_for_ = {};
        return turn::ask;
    }
    return turn::wait;
}

local_queue::ticket local_queue::line_up()
{
    line_.insert(line_.end(), ++last_ticket_);
    return last_ticket_;
}

local_queue::turn local_queue::look(ticket who)
{
    if (who <= last_in_vain_) return turn::give_up;
    if (*line_.begin() != who) return turn::wait;
    woken_ = false;
    if (lock_ == state::idle) {
        lock_ = state::held;
        remove_first();
        return turn::take;
    }
    if (lock_ == state::absent && !asking_) {
        asking_ = true;
        remove_first();
        return turn::ask;
    }
    return turn::wait;
}

void local_queue::leave(ticket who)
{
    if (who <= last_in_vain_ || line_.empty()) return;
    if (*line_.begin() == who) {
        remove_first();
    } else {
        line_.erase(who);
    }
}

void local_queue::remove_first() noexcept
{
    line_.erase(line_.begin());
    woken_ = false;
    woken_at_.reset();
    reserved_ = false;
}

std::optional<local_queue::ticket> local_queue::to_wake(boot_time now)
{
    const bool available = lock_ == state::idle || (lock_ == state::absent && !asking_);
    if (line_.empty() || woken_ || !available) return std::nullopt;
    woken_ = true;
    if (!woken_at_) woken_at_ = now;
    return *line_.begin();
}

void local_queue::asked() noexcept
{
    asking_ = false;
    silent_for_ = {};
}

bool local_queue::asked_in_vain(silence seen, boot_time now) noexcept
{
    asked();
    // A caller that asked for itself alone got the lock meanwhile. So the server does answer, and the callers
    // in line wait for that holder.
    if (lock_ != state::absent) return false;
    if (seen.out_of_patience) return give_up_all();
    silent_for_ = now - seen.since;
    return false;
}

bool local_queue::kept_in_vain() noexcept
{
    gone();
    return !asking_ && give_up_all();
}

bool local_queue::give_up_all() noexcept
{
    if (base::is(base::mutant::d47_only_one_is_told)) return false;
    while (!line_.empty()) remove_first();
    last_in_vain_ = last_ticket_;
    return true;
}

void local_queue::granted(boot_time now) noexcept
{
    lock_ = state::held;
    silent_for_ = {};
    passes_ = 0;
    granted_at_ = now;
}

void local_queue::kept(boot_time now) noexcept
{
    granted(now);
    lock_ = state::idle;
}

local_queue::ending local_queue::release(condition now_is, boot_time now)
{
    base::require(lock_ == state::held, "a lock is released that nobody holds");
    if (!now_is.sound) return ending::give_back;
    if (line_.empty()) {
        if (!now_is.lingers || asking_) return ending::give_back;
        if (!now_is.has_fence) return ending::keep;
        lock_ = state::idle;
        return ending::linger;
    }
    const bool must_ask = passes_ >= most_passes || now - granted_at_ >= longest_passing;
    if (must_ask || !now_is.has_fence) return ending::keep;
    ++passes_;
    lock_ = state::idle;
    reserved_ = woken_at_ && now - *woken_at_ >= longest_overtaken;
    return ending::pass_on;
}

}  // namespace pawl::core
