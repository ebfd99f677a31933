// One grant, as this process knows it.
#pragma once

#include "base/clock.h"
#include "core/request.h"

#include <pawl/event.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace pawl::core {

// Whoever has to know that a lease is lost, idle or not.
class lease_watcher {
public:
    lease_watcher() = default;
    virtual ~lease_watcher() = default;
    lease_watcher(const lease_watcher&) = delete;
    lease_watcher& operator=(const lease_watcher&) = delete;

    virtual void on_lost() = 0;  // on the client's scheduler
};

// There may be a million.
struct lease {
    // Fixed before it is in a table.
    std::shared_ptr<const object> what;
    std::string holder;
    std::chrono::milliseconds length{};
    bool renew = true;
    bool announce = true;  // its release
    unsigned reserve = 0;  // numbers that were to be set aside when it was asked for
    std::string_view
        place_client;  // if it may have a place in the queue: the client, whose text it is
    core::hint hint;   // if it was free when it was asked for

    // Until then a request for it may arrive that was delayed, and take the lock once more.
    base::boot_time wanted_until{};

    // Changed by the lease_table only (and `why` by a release that finds the lock lost); anyone may
    // read them, at any time.
    std::atomic<base::boot_time> deadline{};
    std::atomic<hold_state> state{hold_state::held};
    std::atomic<cause> why{cause::none};

    // The number of the hold that has it, or had it last.
    std::atomic<std::uint64_t> fence{};
    // Whether numbers above the server's are set aside, to pass it on with.
    std::atomic<bool> has_reserve{false};
    // Nobody has it at the moment, though the lease goes on. If it is lost meanwhile nobody is told.
    std::atomic<bool> idle{false};
    // Set before it is in a table.
    std::weak_ptr<lease_watcher> watcher;

    // The longest lease that was ever asked for: the server may keep it for as long.
    std::atomic<std::chrono::milliseconds> longest{};

    // Of the hold that has it: asked to stop when the lease is lost, if anyone wants to know. By
    // whoever learns of it, outside all locks: it runs the user's callbacks. Changed and copied by
    // the lease_keeper only.
    std::stop_source lost{std::nostopstate};

    // The lease_table's own.
    std::uint64_t number = 0;  // in the order of grants; zero before it is in a table
    base::boot_time renew_at{};
    base::boot_time sent{};        // of the last renewal
    bool due = false;              // to be renewed as soon as there is room
    bool under_way = false;        // a renewal is still waited for
    base::boot_time overdue_at{};  // until then
    unsigned failures = 0;         // renewals in a row
    base::boot_time wake{};        // under which the table finds it

    [[nodiscard]] bool is_over() const noexcept
    {
        const auto now = state.load();
        return now == hold_state::lost || now == hold_state::released;
    }

    // The requests about it. They are good for as long as the lease is.
    [[nodiscard]] claim mine() const noexcept { return {what.get(), holder}; }
    [[nodiscard]] extend_request extend(std::chrono::milliseconds to) const noexcept
    {
        return {.mine = mine(), .lease = to};
    }
    [[nodiscard]] count_request count(unsigned holds) const noexcept
    {
        return {.mine = mine(), .lease = length, .count = holds};
    }
    [[nodiscard]] release_request release() const noexcept
    {
        release_request asked{.mine = mine(),
                              .used = fence,
                              .has_reserve = has_reserve,
                              .place = std::nullopt,
                              .announce = announce};
        if (!place_client.empty()) asked.place = {place_client, length, reserve};
        if (state == hold_state::lost) asked.forget_numbers();
        return asked;
    }
};

}  // namespace pawl::core
