// One grant, as this process knows it.
#pragma once

#include "base/clock.h"
#include "base/mutant.h"
#include "core/deadline.h"
#include "core/request.h"

#include <pawl/event.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <forward_list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace pawl::core {

// Is told that a lease is lost, also if no caller has it at that moment.
class lease_watcher {
public:
    lease_watcher() = default;
    virtual ~lease_watcher() = default;
    lease_watcher(const lease_watcher&) = delete;
    lease_watcher& operator=(const lease_watcher&) = delete;

    virtual void on_lost() = 0;  // on the client's scheduler
};

// Milliseconds in 32 bits, up to 49 days.
using duration32 = std::chrono::duration<std::uint32_t, std::milli>;

// A client may have a million of these.
struct lease {
    // ── Set before the lease is in a table, and fixed after that ────────────────────────────────
    std::shared_ptr<const object> what;
    std::string holder;
    std::chrono::milliseconds length{};
    bool renew = true;
    bool announce = true;  // publish its release
    unsigned reserve = 0;  // how many numbers the acquire asked the server to set aside
    core::hint hint;       // if it was free when it was asked for

    // Each hold of it ends after this time at the latest; 0: no limit. At least `length`.
    duration32 longest_hold{};
    // It is renewed only if the holder has given a sign of progress within this time; 0: it always is.
    duration32 heartbeat{};

    // Until then a delayed request may arrive at the server and take the lock once more. 0 if each request for it
    // was answered.
    base::boot_time wanted_until{};
    [[nodiscard]] bool was_repeated() const noexcept { return wanted_until != base::boot_time{}; }

    std::weak_ptr<lease_watcher> watcher;

    // ── Any thread may read these, at any time ──────────────────────────────────────────────────

    // Changed by the lease_table only, and `why` by a release that finds the lock lost.
    // The deadline is until when the server surely has the lock for this holder.
    std::atomic<base::boot_time> deadline{};
    // When the longest_hold of the current hold is over. boot_time::max() if it has no limit, or if no
    // caller has the lock.
    std::atomic<base::boot_time> hold_ends{base::boot_time::max()};
    std::atomic<hold_state> state{hold_state::held};
    std::atomic<cause> why{cause::none};

    // The server was asked to exchange its holder for a new one. Until the answer is here, a renewal that
    // does not find the holder is no news.
    std::atomic<bool> changing{false};

    // A run of a once_per that counts, however it ends: no other run may begin in its period.
    std::atomic<bool> used_up{false};

    // The fence of the current hold, or of the last one.
    std::atomic<std::uint64_t> fence{};
    // Whether the server has set numbers aside above its own fence, to pass the lock on with.
    std::atomic<bool> has_reserve{false};
    // No caller has the lock, but the lease goes on. If it is lost in that state, no user is told.
    std::atomic<bool> idle{false};
    // When the holder last gave a sign of progress. Changed by the holder too.
    std::atomic<base::boot_time> beaten_at{};
    // The longest lease that was ever asked for: the server may keep the lock for that time.
    std::atomic<std::chrono::milliseconds> longest{};

    // ── Of the lease_keeper, under its mutex ────────────────────────────────────────────────────

    // Of the current hold: stop is requested when the lease is lost. It has no state if no user asked
    // for the token. Stop is requested outside of all locks, because that runs the user's callbacks.
    std::stop_source lost{std::nostopstate};
    // In place of it, of each reader that shares the lease and has asked for its token.
    struct reader_loss {
        std::stop_source source;
        std::atomic<bool> left{false};  // a loss after that does not concern the reader
    };
    std::forward_list<std::shared_ptr<reader_loss>> lost_to_readers;

    // ── Of core::local_readers, under the mutex of its owner ───────────────────────────────────

    unsigned readers = 0;  // how many share the lease

    // ── Of the lease_table ──────────────────────────────────────────────────────────────────────

    std::uint64_t number = 0;  // in the order of grants; zero before it is in a table
    base::boot_time renew_at{};
    base::boot_time sent{};        // of the last renewal
    bool due = false;              // to be renewed as soon as there is room
    bool under_way = false;        // a renewal was sent and is not answered yet
    base::boot_time overdue_at{};  // when its answer is overdue
    unsigned failures = 0;         // renewals that failed, in a row
    base::boot_time wake{};        // the time by which the table sorts it

    [[nodiscard]] bool is_over() const noexcept
    {
        const auto now = state.load();
        return now == hold_state::lost || now == hold_state::released;
    }

    // Until when the current hold is valid.
    [[nodiscard]] base::boot_time valid_until() const noexcept
    {
        return std::min(deadline.load(), hold_ends.load());
    }

    // Whether the lease may be renewed, as far as the heartbeat decides. An idle lease has no holder.
    [[nodiscard]] bool is_beating(base::boot_time now) const noexcept
    {
        return heartbeat.count() == 0 || idle || now - beaten_at.load() <= heartbeat;
    }

    // How long a lease to ask for in a request that is sent at `now`: no longer than the hold may last.
    [[nodiscard]] std::chrono::milliseconds capped(std::chrono::milliseconds wanted,
                                                   base::boot_time now, double drift) const noexcept
    {
        const auto end = hold_ends.load();
        if (end == base::boot_time::max() || base::is(base::mutant::lease_beyond_hold)) {
            return wanted;
        }
        return std::min(wanted, lease_until(end, now, drift));
    }

    // ── The requests about it. They point to the lease, which must outlive them ─────────────────

    [[nodiscard]] claim mine() const noexcept { return {what.get(), holder}; }
    [[nodiscard]] extend_request extend(std::chrono::milliseconds to) const noexcept
    {
        return {.mine = mine(), .lease = to};
    }
    [[nodiscard]] count_request count(unsigned holds, std::chrono::milliseconds to) const noexcept
    {
        return {.mine = mine(), .lease = to, .count = holds};
    }
    [[nodiscard]] release_request release() const noexcept
    {
        release_request asked{.mine = mine(),
                              .used = fence,
                              .has_reserve = has_reserve,
                              .announce = announce,
                              .used_up = used_up};
        if (state == hold_state::lost) asked.forget_numbers();
        return asked;
    }
};

}  // namespace pawl::core
