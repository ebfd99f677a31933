#include "core/local_readers.h"

#include "base/mutant.h"
#include "base/require.h"

namespace pawl::core {

using base::boot_time;

namespace {

bool is_lost(const lease& which, boot_time now)
{
    return which.is_over() || now >= which.valid_until();
}

}  // namespace

local_readers::turn local_readers::arrive(bool may_wait, boot_time now)
{
    if (!rules_.shares) return {.what = turn::kind::ask_alone};
    close_unless_fresh(now);
    if (!open_) return ask_or_wait(may_wait);
    ++open_->readers;
    return {.what = turn::kind::join, .lease = open_};
}

local_readers::turn local_readers::ask_or_wait(bool may_wait)
{
    if (!line_.is_asking() && line_.empty()) {
        line_.begin_to_ask();
        return {.what = turn::kind::ask};
    }
    if (!may_wait) return {.what = turn::kind::ask_alone};
    return {.what = turn::kind::wait, .number = line_.join()};
}

local_readers::turn local_readers::look(ticket mine, boot_time now)
{
    if (const auto found = let_in_.find(mine); found != let_in_.end()) {
        const auto lease = found->second;
        let_in_.erase(found);
        if (!is_lost(*lease, now)) return {.what = turn::kind::join, .lease = lease};
        drop_reader(lease);
        return arrive(true, now);
    }
    if (line_.must_give_up(mine)) return {.what = turn::kind::give_up, .why = in_vain_};
    turn waits{.what = turn::kind::wait, .number = mine};
    if (!line_.is_first(mine)) return waits;
    line_.first_looks();
    if (line_.is_asking()) return waits;
    line_.begin_to_ask();
    line_.remove(mine);
    return {.what = turn::kind::ask};
}

void local_readers::leave(ticket mine, boot_time /*now*/)
{
    const auto found = let_in_.find(mine);
    if (found == let_in_.end()) {
        line_.remove(mine);
        return;
    }
    const auto lease = found->second;
    let_in_.erase(found);
    drop_reader(lease);
}

// A caller that was let in does not use the lease.
void local_readers::drop_reader(const lease_ptr& lease)
{
    if (--lease->readers > 0) return;
    if (lease == open_) open_ = nullptr;
    effects_.ended.push_back({lease, giving::first_time});
}

local_readers::question local_readers::begin_to_ask(bool alone, bool /*hears*/)
{
    question how;
    if (!alone) how.silent_before = line_.silent_before();
    return how;
}

void local_readers::granted(bool alone, const lease_ptr& lease, boot_time now)
{
    if (!alone) line_.asked();
    lease->readers = 1;
    if (!is_sound(*lease, now)) return;
    // The caller that asks for the line may wait at the server, behind a writer. If callers that ask alone let
    // the line in again and again, the writer would starve.
    if (alone && line_.is_asking()) return;
    open_ = lease;
    granted_at_ = now;
    line_.answered();
    for (const auto each : line_.remove_all()) {
        let_in_.emplace(each, lease);
        ++lease->readers;
        effects_.wake_all = true;
    }
}

void local_readers::not_granted(bool alone, const trouble& why, const std::optional<silence>& seen,
                                boot_time now)
{
    if (alone) return;
    line_.asked();
    if (!seen) return;
    if (!seen->out_of_patience) {
        line_.note_silence(seen->since, now);
        return;
    }
    in_vain_ = why;
    line_.give_up();
    effects_.wake_all = true;
}

local_readers::ending local_readers::release(const lease_ptr& lease, boot_time now)
{
    base::require(lease->readers > 0, "a lock is released by a reader that does not have it");
    if (--lease->readers > 0) {
        return {is_lost(*lease, now) ? ending::kind::lost : ending::kind::done};
    }
    if (lease == open_) open_ = nullptr;
    return {ending::kind::give_back};
}

bool local_readers::begin_change(const lease_ptr& lease)
{
    if (lease->readers > 1) return false;
    if (lease == open_) open_ = nullptr;
    return true;
}

std::optional<local_readers::ticket> local_readers::to_wake(boot_time /*now*/)
{
    return line_.is_asking() ? std::nullopt : line_.wake_first();
}

void local_readers::close_unless_fresh(boot_time now)
{
    if (!open_) return;
    const bool old = now - granted_at_ >= longest_open;
    if (old && base::is(base::mutant::reader_joins_old_lease)) return;
    if (old || !is_sound(*open_, now)) open_ = nullptr;
}

// As good as new, or nearly: a reader that joins it need not fear for it.
bool local_readers::is_sound(const lease& which, boot_time now) const
{
    if (base::is(base::mutant::reader_joins_weak_lease)) return rules_.shares;
    return rules_.shares && which.state == hold_state::held &&
           which.valid_until() - now >= rules_.lease / 2;
}

}  // namespace pawl::core
