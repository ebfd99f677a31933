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
    if (lock_ == state::absent && !line_.is_asking() && line_.empty()) {
        line_.begin_to_ask();
        return turn::ask;
    }
    return turn::wait;
}

local_queue::turn local_queue::look(ticket who)
{
    if (line_.must_give_up(who)) return turn::give_up;
    if (!line_.is_first(who)) return turn::wait;
    line_.first_looks();
    if (lock_ == state::idle) {
        lock_ = state::held;
        remove_first(who);
        return turn::take;
    }
    if (lock_ == state::absent && !line_.is_asking()) {
        line_.begin_to_ask();
        remove_first(who);
        return turn::ask;
    }
    return turn::wait;
}

void local_queue::leave(ticket who)
{
    if (line_.must_give_up(who) || line_.empty()) return;
    if (line_.is_first(who)) {
        remove_first(who);
    } else {
        line_.remove(who);
    }
}

void local_queue::remove_first(ticket who)
{
    line_.remove(who);
    woken_at_.reset();
    reserved_ = false;
}

std::optional<local_queue::ticket> local_queue::to_wake(boot_time now)
{
    const bool available = lock_ == state::idle || (lock_ == state::absent && !line_.is_asking());
    if (!available) return std::nullopt;
    const auto first = line_.wake_first();
    if (first && !woken_at_) woken_at_ = now;
    return first;
}

bool local_queue::asked_in_vain(silence seen, boot_time now) noexcept
{
    line_.asked();
    // A caller that asked for itself alone got the lock meanwhile. So the server does answer, and the callers
    // in line wait for that holder.
    if (lock_ != state::absent) return false;
    if (seen.out_of_patience) return give_up_all();
    line_.note_silence(seen.since, now);
    return false;
}

bool local_queue::kept_in_vain() noexcept
{
    gone();
    return !line_.is_asking() && give_up_all();
}

bool local_queue::give_up_all() noexcept
{
    if (base::is(base::mutant::d47_only_one_is_told)) return false;
    line_.give_up();
    woken_at_.reset();
    reserved_ = false;
    return true;
}

void local_queue::granted(boot_time now) noexcept
{
    lock_ = state::held;
    line_.answered();
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
        if (!now_is.lingers || line_.is_asking()) return ending::give_back;
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
