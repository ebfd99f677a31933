// What a lock is and how it is to be used: its name and options, checked and settled.
#pragma once

#include "core/keys.h"

#include <pawl/options.h>

#include <chrono>
#include <memory>
#include <string_view>

namespace pawl::sync {

// Whether a thread that holds the lock may acquire it again.
enum class reentry : bool { forbidden, allowed };

// Whether someone who waits may be overtaken.
enum class fairness : bool { unfair, fair };

struct lock_settings {
    core::lock_keys keys;
    pawl::layout layout{};
    std::chrono::milliseconds lease{};
    bool renew{};
    bool joins{};  // those who wait do so in the server's queue
    bool fair{};
    std::chrono::milliseconds poll_interval{};
    std::chrono::milliseconds linger{};
    bool announce{};

    // Whether those of one process can share a grant: they want the same.
    [[nodiscard]] bool same_as(const lock_settings& other) const
    {
        return keys.lock == other.keys.lock && layout == other.layout && lease == other.lease &&
               renew == other.renew && linger == other.linger && announce == other.announce;
    }
};

// One for all who use the lock.
using settings_ptr = std::shared_ptr<const lock_settings>;

// Throws pawl::error (bad_argument).
[[nodiscard]] settings_ptr settle(std::string_view name, const lock_options& options,
                                  reentry reentry, fairness fairness);

}  // namespace pawl::sync
