// Waiters that gave up while a request of theirs was still on its way. If the server grants one of them
// the lock after all, that grant is given back at once.
#pragma once

#include "base/clock.h"
#include "core/lease_table.h"

#include <string_view>
#include <utility>
#include <vector>

namespace pawl::core {

class abandoned_waiters {
public:
    struct entry {
        lease_ptr lease;
        base::boot_time wanted_until;  // the request is not executed later than that
    };

    void add(entry who, base::boot_time now)
    {
        std::erase_if(all_, [&](const auto& each) { return each.wanted_until < now; });
        if (who.wanted_until >= now) all_.push_back(std::move(who));
    }

    // nullptr if this holder did not give up, or long ago.
    [[nodiscard]] const entry* find(std::string_view holder) const noexcept
    {
        for (const auto& each : all_) {
            if (each.lease->holder == holder) return &each;
        }
        return nullptr;
    }

private:
    std::vector<entry> all_;  // few, and not for long
};

}  // namespace pawl::core
