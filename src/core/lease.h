// One grant, as this process knows it.
#pragma once

#include "base/clock.h"
#include "core/operation.h"

#include <pawl/event.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>

namespace pawl::core {

struct lease {
    // Fixed from the start.
    lock_keys keys;
    std::string holder;
    pawl::layout layout{};
    std::chrono::milliseconds length{};
    bool renew = true;
    std::uint64_t fence{};

    // Changed by the lease_table only (and `why` by a release that finds the lock lost); anyone may
    // read them, at any time.
    std::atomic<base::boot_time> deadline{};
    std::atomic<hold_state> state{hold_state::held};
    std::atomic<cause> why{cause::none};

    // The longest lease that was ever asked for: the server may keep it for as long.
    std::atomic<std::chrono::milliseconds> longest{};

    // Asked to stop when the lease is lost. By whoever learns of it, outside all locks: it runs the
    // user's callbacks.
    std::stop_source lost;

    // The lease_table's own.
    std::uint64_t number = 0;  // in the order of grants; zero before it is in a table
    base::boot_time renew_at{};
    base::boot_time sent{};        // of the last renewal
    bool under_way = false;        // whether that is still waited for
    base::boot_time overdue_at{};  // until then
    unsigned failures = 0;         // renewals in a row
    base::boot_time wake{};        // under which the table finds it

    [[nodiscard]] bool is_over() const noexcept
    {
        const auto now = state.load();
        return now == hold_state::lost || now == hold_state::released;
    }

    [[nodiscard]] operation ask(verb what) const noexcept
    {
        return {.what = what, .layout = layout, .keys = &keys, .holder = holder, .lease = length};
    }
};

}  // namespace pawl::core
